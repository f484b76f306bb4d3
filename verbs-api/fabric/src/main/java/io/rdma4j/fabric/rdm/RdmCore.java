/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.Room;
import io.rdma4j.fabric.endpoint.Rma;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.Realm;

import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What happens in an endpoint: completions of its links come in, completions for the application go out. For the thread
 * that uses the endpoint.
 */
final class RdmCore implements ChannelHost, CompletionReader {
    private static final int BATCH = 64;
    /** Datagrams are looked for at each such read only, unless links are being made. */
    private static final int SELDOM = 16;
    private static final int ARRIVALS = 1024;
    private static final int MOST_ROUNDS = 1024;

    private final Endpoint endpoint;
    private final Realm realm;
    private final PeerTable table;
    private final LinkQueues internal;
    private final PieceReports reports;
    private final EndpointCounters counters;
    private final SendTable sends;
    private final RdmReceiveContext[] contexts;
    private final Room room;
    private final Room arrivals = new Room(ARRIVALS);
    private final Deque<Channel> wanting = new ArrayDeque<>();
    private Connections connections;
    private int turn;
    /** Of the vector, when receives were told where peers are. */
    private int moves;
    private boolean isBusy;
    /** Some buffers may take several messages. */
    private final boolean takesMany;

    RdmCore(
        final Endpoint endpoint, final Realm realm, final PeerTable table, final LinkQueues internal,
        final FabricCompletionQueue transmit, final EndpointCounters counters, final SendTable sends,
        final RdmReceiveContext[] contexts) {
        this.endpoint = endpoint;
        this.realm = realm;
        this.table = table;
        this.internal = internal;
        this.counters = counters;
        this.sends = sends;
        this.contexts = contexts;
        this.room = new Room(sends.opCount());
        this.takesMany = contexts[0].takesMany();
        this.reports = new PieceReports(endpoint, counters, transmit, sends, room);
        for (final RdmReceiveContext context : contexts) {
            context.reports(reports);
        }
    }

    void connections(final Connections its) {
        connections = its;
    }

    Realm realm() {
        return realm;
    }

    EndpointCounters counters() {
        return counters;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Room room() {
        return room;
    }

    /** One of its queues is read. */
    void progress() {
        if (isBusy) {
            // Out of a callback.
            return;
        }
        isBusy = true;
        try {
            if (moves != table.moves()) {
                follow();
            }
            internal.read(this, Math.min(BATCH, arrivals.left()));
            if (takesMany) {
                goOn();
            }
            if (!wanting.isEmpty()) {
                serve();
            }
            if (connections.isDialing() || ++turn >= SELDOM) {
                turn = 0;
                connections.progress(System.nanoTime());
            }
            if (mayBury()) {
                connections.bury();
            }
        } finally {
            isBusy = false;
        }
    }

    /** With messages that waited until others were read. */
    private void goOn() {
        for (final RdmReceiveContext context : contexts) {
            context.progress();
        }
    }

    private boolean canGoOn() {
        for (final RdmReceiveContext context : contexts) {
            if (context.matcher().canGoOn()) {
                return true;
            }
        }
        return false;
    }

    /** Peers have moved: receives that wait for one of them wait for it where it is now. */
    private void follow() {
        // Before they are looked up: who moves meanwhile is looked up again.
        moves = table.moves();
        for (final RdmReceiveContext context : contexts) {
            context.follow();
        }
    }

    /** Asks the device for events; 0, or -FI_EAGAIN if there is something to do now. */
    int arm() {
        if (isBusy || !wanting.isEmpty() || canGoOn()) {
            return -FiErrno.FI_EAGAIN;
        }
        isBusy = true;
        int came = 0;
        try {
            connections.progress(System.nanoTime());
            came = connections.arm();
        } finally {
            isBusy = false;
        }
        return came != 0 || mayBury() || !wanting.isEmpty() ? -FiErrno.FI_EAGAIN : internal.arm();
    }

    /** How long nothing is to be done, if nothing comes. */
    long idleNanos() {
        return wanting.isEmpty() && !canGoOn()
            ? Math.min(internal.idleNanos(), connections.idleNanos(System.nanoTime())) : 0;
    }

    /** Links are closed once all that came over them can be taken: not while data of peers' writes fills its room. */
    private boolean mayBury() {
        return connections.hasDead() && hears();
    }

    /** There is room for what may come. */
    boolean hears() {
        return arrivals.left() > 0;
    }

    /** Takes all that is there; false if there was no room for all data of peers' writes. */
    boolean drain() {
        internal.gatherAll();
        int taken = 1;
        for (int left = MOST_ROUNDS; left > 0 && taken > 0 && hears(); left--) {
            taken = internal.read(this, Math.min(BATCH, arrivals.left()));
        }
        return taken <= 0;
    }

    /** Before links are closed, while it is known whose they are: takes what is there, whether there is room or not. */
    void drainAll() {
        internal.gatherAll();
        int taken = 1;
        for (int left = MOST_ROUNDS; left > 0 && taken > 0; left--) {
            taken = internal.read(this, BATCH);
        }
    }

    /** After all links were closed: takes what came until then. Nothing comes any more. */
    void takeLast() {
        while (internal.read(this, BATCH) > 0) {
            Thread.onSpinWait();
        }
    }

    private void serve() {
        for (int left = wanting.size(); left > 0; left--) {
            final Channel channel = wanting.poll();
            channel.isWanting = false;
            if (channel.progress()) {
                wants(channel);
            }
        }
    }

    /** RMA is over, or data of a peer's write came. */
    @Override
    public void onCompletion(final CompletionEntry entry) {
        // Null if it was closed meanwhile.
        final LinkEnd link = connections.link((int) (entry.context() >>> Integer.SIZE));
        if (entry.kind() == OperationKind.REMOTE_WRITE) {
            arrived(entry, link);
        } else if (link != null) {
            rmaDone(entry, link, (int) entry.context());
        }
    }

    /** The device filled a slot. */
    void received(final LinkEnd link, final int slot, final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            lost(link, completion.status());
        } else {
            connections.used(link.channel());
            link.channel().arrived(slot, completion.byteLength());
        }
    }

    /** The device of the peer has a piece. */
    void sent(final LinkEnd link, final int piece, final Completion completion) {
        final Channel channel = link.channel();
        final boolean failed = completion.status() != WcStatus.SUCCESS;
        if (piece == sends.probe()) {
            channel.probed();
        } else if (sends.channelOf(piece) == channel) {
            final SendOp op = sends.opOf(piece);
            sends.giveBackPiece(piece);
            if (!failed) {
                channel.sent(piece, op);
            }
        }
        if (failed) {
            lost(link, completion.status());
        }
    }

    private void lost(final LinkEnd link, final WcStatus status) {
        link.lost("messages: " + status);
        broken(link.channel(), status.name());
    }

    private void rmaDone(final CompletionEntry entry, final LinkEnd link, final int index) {
        final Channel channel = link.channel();
        final SendOp op = index < 0 || index >= sends.opCount() ? null : sends.op(index);
        if (op == null || op.free || op.channel != channel) {
            return;
        }
        if (entry.isError() && !link.isConnected()) {
            broken(channel, entry.providerError());
            return;
        }
        channel.rmaDone();
        reports.over(op, entry.errno(), entry.isError() ? entry.providerErrno() : 0);
    }

    private void arrived(final CompletionEntry entry, final LinkEnd link) {
        final RdmReceiveContext context = contexts[0];
        // When it is closed there need not be: the peer was told that it has arrived.
        final boolean hasRoom = arrivals.take();
        counters.success(OperationKind.REMOTE_WRITE);
        context.queue().report().set(endpoint, OperationKind.REMOTE_WRITE, 0, entry.length()).data(entry.data())
            .source(link == null ? FiAddr.NOTAVAIL : sourceOf(link.channel())).room(hasRoom ? arrivals : null)
            .commit();
    }

    private long sourceOf(final Channel channel) {
        final PeerId peer = channel.peer();
        return table.source(peer.gidHigh(), peer.gidLow(), peer.qpn(), peer.qkey());
    }

    @Override
    public Matcher context(final int rxIndex) {
        return rxIndex < contexts.length ? contexts[rxIndex].matcher() : null;
    }

    @Override
    public int contexts() {
        return contexts.length;
    }

    @Override
    public SendTable sends() {
        return sends;
    }

    @Override
    public void received(final Receive receive, final Channel from) {
        reports.received(contextOf(receive), receive, sourceOf(from));
    }

    private RdmReceiveContext contextOf(final Receive receive) {
        return contexts[receive.home.index()];
    }

    @Override
    public void unfinished(final Receive receive) {
        reports.unfinished(contextOf(receive), receive);
        // While it was being filled it was in no list that is looked through when names move.
        contextOf(receive).follow();
    }

    @Override
    public void found(final Receive receive, final Slot first) {
        reports.found(contextOf(receive), receive, first, sourceOf(first.channel));
    }

    @Override
    public void sent(final SendOp op, final int errno) {
        reports.over(op, errno);
    }

    void failed(final SendOp op, final int errno) {
        reports.over(op, errno);
    }

    /** It was not started: the application was told so. */
    void abandon(final SendOp op) {
        reports.abandon(op);
    }

    /** All that is under way on a channel fails. */
    void failAll(final Channel channel, final int errno) {
        for (int piece = 0; piece < sends.pieceCount(); piece++) {
            if (sends.channelOf(piece) == channel) {
                sends.giveBackPiece(piece);
            }
        }
        SendOp op = sends.oldest();
        while (op != null) {
            final SendOp after = op.next;
            if (op.channel == channel) {
                reports.over(op, errno);
            }
            op = after;
        }
    }

    /** A link is there: what waited for it begins. */
    void startWaiting(final Connection connection) {
        final Channel channel = connection.link.channel();
        final SendOp op = connection.waiting;
        final int code = connection.rma == null ? startMessage(connection, channel, op)
            : startRma(connection.rma, connection.link, op);
        if (code == 0) {
            connection.takeWaiting();
        } else if (code != -FiErrno.FI_EAGAIN) {
            final int detail = connection.rma == null ? ErrorDetails.of(-code) : ErrorDetails.ofLateRma(-code);
            connection.takeWaiting();
            reports.over(op, -code, detail);
        } else {
            op.channel = null;
            channel.resumes(connection);
        }
    }

    private static int startMessage(final Connection connection, final Channel channel, final SendOp op) {
        if (connection.injected == null && !op.isUsable()) {
            // The application closed the region, or gave the memory back, while it waited.
            return -FiErrno.FI_EFAULT;
        }
        final int refusal =
            Transmit.check(channel, connection.rxIndex, op.flagsAndIndex);
        if (refusal != 0) {
            return refusal;
        }
        return connection.injected == null ? channel.outbound().start(op)
            : channel.outbound().inject(op, connection.injected, 0, connection.injected.capacity());
    }

    /** Starts RMA on a link; 0 or a negated errno. */
    int startRma(final Rma rma, final LinkEnd link, final SendOp op) {
        final Channel channel = link.channel();
        if (!channel.isUp()) {
            return -FiErrno.FI_EAGAIN;
        }
        final int code = link.rma().start(rma, null, link.contextOf(op.index));
        if (code == 0) {
            op.channel = channel;
            channel.rmaStarted();
        }
        if (code == -FiErrno.FI_ENOTCONN) {
            broken(channel, "it is not connected any more");
            return -FiErrno.FI_EAGAIN;
        }
        return code;
    }

    @Override
    public void greeted(final Channel channel) {
        connections.greeted(channel);
    }

    @Override
    public void resume(final Connection connection) {
        connections.resume(connection);
    }

    @Override
    public void wants(final Channel channel) {
        channel.isWanting = true;
        wanting.add(channel);
    }

    @Override
    public void broken(final Channel channel, final String why) {
        connections.doom((LinkEnd) channel.end(), FiErrno.FI_ECONNRESET, true);
    }

    @Override
    public void left(final Channel channel) {
        connections.left(channel);
    }

    /** All that the application gave is over. */
    void cancelAll() {
        reports.cancelSends();
        for (final RdmReceiveContext context : contexts) {
            context.cancelAll(Failures.CLOSED);
        }
    }

    @Override
    public String toString() {
        return sends + ", " + connections;
    }
}
