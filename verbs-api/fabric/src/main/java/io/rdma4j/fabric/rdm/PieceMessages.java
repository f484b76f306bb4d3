/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.Room;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.endpoint.Messages;
import io.rdma4j.fabric.endpoint.RcLink;
import io.rdma4j.fabric.endpoint.TriggeredWork;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.WcStatus;

import org.agrona.DirectBuffer;

/**
 * Messages of a connected endpoint that can have tags: they go in pieces over one channel, as those of reliable
 * datagrams do. The ends greet each other when one of them sends for the first time: when names are exchanged, nobody
 * knows when the other one is connected.
 */
public final class PieceMessages extends QpWire implements Messages, ChannelHost, ChannelEnd {
    /** Makes them. */
    public static final Messages.Factory FACTORY = new Messages.Factory() {
        @Override
        public EndpointOptions forLink(final EndpointOptions options) {
            RdmOptions.checkPieces(options);
            return new EndpointOptions().completionQueues(options.transmitQueue(), options.receiveQueue())
                .selectiveCompletion(options.selectiveCompletion())
                .sizes(Math.max(options.transmitSize(), LinkMaker.receivesOf(options)),
                    LinkMaker.receivesOf(options));
        }

        @Override
        public Messages make(
            final EndpointHost host, final Realm realm, final EndpointOptions options,
            final EndpointCounters counters, final RcLink link, final Endpoint endpoint) {
            return new PieceMessages(host, realm, options, counters, link, endpoint);
        }
    };

    /** How often a peer is probed that is waited for. */
    private static final long LOOK_NANOS = 1_000_000_000;
    private static final PeerId PEER = new PeerId(0, 0, 0, 0);

    private final RcLink link;
    private final FabricCompletionQueue transmit;
    private final FabricCompletionQueue receive;
    private final SlotPool slotMemory;
    private final SlotPool pieceMemory;
    private final SendTable sends;
    private final Room room;
    /** Null for receives of its own. */
    private final SharedReceives shared;
    private final RdmReceiveContext context;
    private final PieceReports reports;
    private final Channel channel;
    private final ToPeer sender;
    private final PieceTagged tagged;
    private boolean isConnected;
    private boolean hasGreeted;
    private boolean isOver;
    private boolean closed;
    /** What is under way when it is over ends with that. */
    private int lostErrno = FiErrno.FI_ECANCELED;
    private long nextLook = System.nanoTime() + LOOK_NANOS;
    /** Also set by who ends the connection, from any thread. */
    private volatile boolean isLost;

    private PieceMessages(
        final EndpointHost host, final Realm realm, final EndpointOptions options, final EndpointCounters counters,
        final RcLink link, final Endpoint endpoint) {
        super(link);
        final FabricInfo info = host.info();
        this.link = link;
        try (Undo undo = new Undo()) {
            this.slotMemory =
                new SlotPool(host, realm, LinkMaker.receivesOf(options), RdmResources.slotBytes(host, options));
            undo.add(slotMemory::close);
            final int pieces =
                options.transmitSize() + 2 * options.windowSlots() + RdmResources.CONTROL_PIECES + 1;
            this.pieceMemory = new SlotPool(host, realm, pieces, info.transmitAttributes().injectSize());
            undo.add(pieceMemory::close);
            this.sends = new SendTable(pieceMemory.claim(), options.transmitSize(),
                info.transmitAttributes().iovLimit(), RdmResources.CONTROL_PIECES);
            this.shared = SharedReceives.of(host, options);
            if (shared == null) {
                this.context = new RdmReceiveContext(info, 0, options.receiveSize(), options.leastMultiReceive(),
                    (FabricCompletionQueue) options.receiveQueue(), realm, null);
            } else {
                this.context = shared.bind((FabricCompletionQueue) options.receiveQueue());
                undo.add(shared::unbind);
            }
            this.channel = new Channel(this, PEER, this, slotMemory.claim(), this);
            undo.forget();
        }
        this.room = new Room(options.transmitSize());
        this.transmit = (FabricCompletionQueue) options.transmitQueue();
        this.receive = (FabricCompletionQueue) options.receiveQueue();
        this.reports = new PieceReports(endpoint, counters, transmit, sends, room);
        context.reports(reports);
        this.sender = new ToPeer(new LocalMemory(realm, info), options.selectiveCompletion(), info);
        this.tagged = context.matcher().tags() == null ? null : new PieceTagged(endpoint, sender, context);
    }

    /** To the one peer that there is. */
    private final class ToPeer extends Sender {
        ToPeer(final LocalMemory local, final boolean selective, final FabricInfo info) {
            super(sends, room, local, selective, info.endpointAttributes().maxMessageSize(),
                info.transmitAttributes());
        }

        @Override
        int aim(final long dest) {
            if (!isConnected || isLost) {
                return -FiErrno.FI_ENOTCONN;
            }
            return room.left() == 0 ? -FiErrno.FI_EAGAIN : 0;
        }

        @Override
        int check(final int flags) {
            greet();
            return check(channel, 0, flags);
        }

        @Override
        boolean mayWait() {
            return false;
        }

        @Override
        int rxIndex() {
            return 0;
        }

        @Override
        boolean isStill() {
            return PieceMessages.this.isStill() && link.rma().isStill();
        }

        @Override
        int start(final SendOp op, final int state, final boolean copied) {
            return channel.outbound().start(op);
        }

        @Override
        int inject(final SendOp op, final int state, final DirectBuffer from, final int offset, final int length) {
            return channel.outbound().inject(op, from, offset, length);
        }
    }

    private void greet() {
        if (!hasGreeted) {
            hasGreeted = true;
            channel.greet();
        }
    }

    @Override
    public void joined() {
        joined(link);
        if (!channel.prepare()) {
            throw FabricException.of("open endpoint").detail("%s takes no receives", link)
                .errno(FiErrno.FI_EIO).build();
        }
        if (receive != transmit) {
            transmit.watch(receive, 0);
            receive.watch(transmit, 0);
        }
    }

    @Override
    public void connected() {
        isConnected = true;
    }

    @Override
    public void giveUp() {
        isLost = true;
    }

    @Override
    public int send(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long itsContext) {
        return sender.send(address, length, desc, owner, 0, 0, 0, itsContext);
    }

    @Override
    public int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long itsContext) {
        return sender.send(address, length, desc, null, Header.HAS_DATA, data, 0, itsContext);
    }

    @Override
    public int inject(
        final DirectBuffer buffer, final int offset, final int length, final boolean withData, final int data) {
        return sender.inject(buffer, offset, length, withData ? Header.HAS_DATA : 0, data, 0);
    }

    @Override
    public int send(final Message message, final long flags) {
        return sender.send(message, flags, 0);
    }

    @Override
    public int receive(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long itsContext) {
        return context.receive(address, length, desc, owner, FiAddr.UNSPEC, itsContext);
    }

    @Override
    public int receive(final Message message, final long flags) {
        return context.receiveMessage(message, flags);
    }

    @Override
    public int cancel(final long itsContext) {
        return context.cancel(itsContext);
    }

    @Override
    public void setopt(final EndpointOption option, final long value) {
        MultiReceiveOption.set(context, link, option, value);
    }

    @Override
    public long getopt(final EndpointOption option) {
        return MultiReceiveOption.get(context, link, option);
    }

    @Override
    public TaggedMessages tagged() {
        return tagged;
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        final boolean failed = completion.status() != WcStatus.SUCCESS;
        if (what == WorkId.SEND) {
            sent(slot, failed);
        } else if (!failed) {
            channel.arrived(slot, completion.byteLength());
        }
        if (failed) {
            lost("messages: " + completion.status(),
                completion.status() == WcStatus.WR_FLUSH_ERR ? FiErrno.FI_ECANCELED : FiErrno.FI_ECONNRESET);
        }
    }

    private void sent(final int piece, final boolean failed) {
        if (piece == sends.probe()) {
            channel.probed();
        } else if (sends.channelOf(piece) == channel) {
            final SendOp op = sends.opOf(piece);
            sends.giveBackPiece(piece);
            if (!failed && !isOver) {
                channel.sent(piece, op);
            }
        }
    }

    /** The first failure is the reason; what comes later was flushed for it. */
    private void lost(final String why, final int errno) {
        if (link.isConnected()) {
            link.lost(why);
            lostErrno = errno;
        }
        isLost = true;
    }

    @Override
    public boolean progress(final FabricCompletionQueue read) {
        if (receive != transmit) {
            // Whichever is read: credits come in the one, and room for control messages in the other.
            (read == transmit ? receive : transmit).gatherBeside();
        }
        if (isLost && !isOver) {
            end();
        }
        context.progress();
        if (isOver) {
            // Complete messages of this end may wait until others were read.
            return shared != null;
        }
        if (channel.isWanting) {
            channel.isWanting = false;
            if (channel.progress()) {
                wants(channel);
            }
        }
        if (hasGreeted && channel.isWaiting() && System.nanoTime() - nextLook >= 0) {
            nextLook = System.nanoTime() + LOOK_NANOS;
            channel.probe();
        }
        return true;
    }

    /** Nothing comes and goes any more; complete messages that wait can still be received. */
    private void end() {
        // What went and came before is over as it went: the peer was told so, or tells so.
        new Cleanup().run(this::close).run(transmit::gatherAll).run(receive::gatherAll).run(() -> isOver = true)
            .run(channel::close).run(() -> reports.loseSends(lostErrno)).run(context::end)
            .run(() -> context.cancelAll(Failures.LANE_LOST)).throwIfFailed();
    }

    @Override
    public int arm() {
        if (receive == transmit) {
            return 0;
        }
        final int sent = transmit.armBeside();
        return receive.armBeside() == 0 ? sent : -FiErrno.FI_EAGAIN;
    }

    @Override
    public boolean isPending() {
        return channel.isWanting || isLost && !isOver || context.matcher().canGoOn();
    }

    @Override
    public void triggers(final TriggeredWork work) {
        if (tagged != null) {
            tagged.triggers(work);
        }
    }

    @Override
    public boolean isStill() {
        return sends.claimedOps() == 0;
    }

    @Override
    public long idleNanos() {
        return hasGreeted && !isOver && channel.isWaiting() ? Math.max(0, nextLook - System.nanoTime())
            : Long.MAX_VALUE;
    }

    @Override
    public long mended() {
        return 0;
    }

    @Override
    public Matcher context(final int rxIndex) {
        return rxIndex == 0 ? context.matcher() : null;
    }

    @Override
    public int contexts() {
        return 1;
    }

    @Override
    public SendTable sends() {
        return sends;
    }

    @Override
    public void received(final Receive receive, final Channel from) {
        reports.received(context, receive, FiAddr.NOTAVAIL);
    }

    @Override
    public void found(final Receive receive, final Slot first) {
        reports.found(context, receive, first, FiAddr.NOTAVAIL);
    }

    @Override
    public void unfinished(final Receive receive) {
        reports.unfinished(context, receive);
    }

    @Override
    public void sent(final SendOp op, final int errno) {
        reports.over(op, errno);
    }

    @Override
    public void greeted(final Channel by) {
        greet();
    }

    @Override
    public void resume(final Connection connection) {
        throw new IllegalStateException("nothing waits for a connection that is there");
    }

    @Override
    public void wants(final Channel one) {
        one.isWanting = true;
    }

    @Override
    public void broken(final Channel one, final String why) {
        lost("messages: " + why, FiErrno.FI_ECONNRESET);
    }

    /** Connected endpoints do not part by agreement. */
    @Override
    public void left(final Channel one) {
        broken(one, "the peer said goodbye");
    }

    @Override
    public void drained(final Channel one) {
        // The memory is given back with all else.
    }

    @Override
    public void settled(final Channel one) {
        // Nor does anything else wait for that.
    }

    /** Also out of {@link Channel#close}: the peer shall notice. */
    @Override
    public void close() {
        if (!closed) {
            link.end(link.isConnected() ? "messages" : link.whyLost());
        }
    }

    @Override
    public void release() {
        closed = true;
        isOver = true;
        context.close();
        new Cleanup().run(channel::drop).run(reports::cancelSends).run(() -> context.cancelAll(Failures.CLOSED))
            .run(pieceMemory::close).run(slotMemory::close).run(this::unbind).throwIfFailed();
    }

    private void unbind() {
        if (shared != null) {
            shared.unbind();
        }
    }

    @Override
    public String toString() {
        return "messages " + channel + ", " + sends + ", " + context;
    }
}
