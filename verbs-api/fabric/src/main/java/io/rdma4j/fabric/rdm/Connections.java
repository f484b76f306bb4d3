/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.cm.Link;
import io.rdma4j.fabric.cm.LinkBroker;
import io.rdma4j.fabric.cm.LinkOwner;
import io.rdma4j.fabric.cm.Peer;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.cm.UdPort;
import io.rdma4j.fabric.region.EndpointHost;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The links of one endpoint: made when they are needed, closed when there are too many, buried when they broke. For the
 * thread that uses the endpoint.
 */
final class Connections implements LinkOwner {
    /** How often a peer is asked to part, while there are too many. */
    private static final long LEAVE_NANOS = 1_000_000;
    /** As long as a peer that looks at its queues takes to go. */
    private static final long ROOM_NANOS = 20_000_000;

    /** How often the name service is asked where a peer is that does not answer. */
    private static final long ASK_NANOS = 250_000_000;

    /** How soon it is looked whether the name service has answered. */
    private static final long RETRY_NANOS = 1_000_000;

    /** How often a peer is probed that is waited for. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /** A link whose end has come, and what its operations end with. */
    private record Dead(LinkEnd link, int errno, boolean tell) {
    }

    private final RdmCore core;
    private final LinkQueues queues;
    private final LinkMaker maker;
    private final SlotPool pool;
    private final PeerId self;
    private final int most;
    private final long timeoutNanos;
    private final LinkBroker broker;
    private final ConnectionTable peers = new ConnectionTable();
    private final LinkTable links = new LinkTable();
    private final Whereabouts whereabouts;
    private final Deque<Dead> dead = new ArrayDeque<>();
    /** Links that are closed, with messages that wait for receives, or one that was cut. */
    private final List<LinkEnd> undrained = new ArrayList<>();
    private final List<Connection> retrying = new ArrayList<>();
    private int established;
    private boolean isDialing;
    private long nextLeave = System.nanoTime();
    private long nextRoom = nextLeave;
    private long nextLook = nextLeave + LOOK_NANOS;
    private long nextAsk = nextLeave;
    private long uses;

    Connections(
        final RdmCore core, final EndpointHost host, final EndpointOptions options, final LinkQueues queues,
        final SlotPool pool, final UdPort port, final PeerTable table) {
        this.core = core;
        this.queues = queues;
        this.pool = pool;
        this.maker = new LinkMaker(this, links, core, host, options, queues, pool);
        this.whereabouts = new Whereabouts(table);
        this.self = PeerId.of(port);
        this.most = options.mostConnections();
        this.timeoutNanos = Deadline.nanos(options.connectTimeout());
        this.broker = new LinkBroker(port, this, core.realm(), options.connectTimeout());
    }

    /** The peer of this address. Does not allocate if it is known by this name already. */
    Connection find(final PeerAddress address) {
        final Connection known = peers.find(address);
        return known != null ? known : learn(address);
    }

    private Connection learn(final PeerAddress address) {
        final Connection before = peers.at(address.index());
        final Connection connection = peers.add(address);
        if (before != null && before != connection) {
            if (before.waiting != null && whereabouts.isStill(before, address.fiAddr())) {
                // What waits there goes first.
                move(before, connection);
            }
            peers.forget(before);
        }
        return connection;
    }

    /** The link of this number; null if there is none. */
    LinkEnd link(final int number) {
        return links.get(number);
    }

    /** The link is used just now. */
    void used(final Channel channel) {
        channel.used = ++uses;
    }

    /** Makes a link for what waits there. */
    void dial(final Connection connection) {
        connection.isDialing = true;
        connection.since = System.nanoTime();
        connection.asked = false;
        connection.failure = 0;
        whereabouts.note(connection);
        if (!whereabouts.isDoubtful(connection.fiAddr) || !ask(connection)) {
            call(connection);
        }
    }

    /** Has what waits there wait until the vector knows where the peer is; false if that cannot be asked. */
    private boolean ask(final Connection connection) {
        if (!whereabouts.ask(connection)) {
            return false;
        }
        isDialing = true;
        retry(connection);
        return true;
    }

    /** The peer may have been looked for meanwhile. */
    private void goOn(final Connection connection, final long now) {
        if (whereabouts.isAsking(connection) && now - connection.since < timeoutNanos) {
            retry(connection);
            return;
        }
        final PeerAddress moved = whereabouts.moved(connection);
        if (moved != null && find(moved) != connection) {
            move(connection, find(moved));
            if (connection.waiting != null) {
                // There is no room at the new place yet.
                retry(connection);
            }
        } else if (connection.failure != 0) {
            giveUp(connection, connection.failure);
        } else {
            call(connection);
        }
    }

    /** What waits for a peer goes where it is now, if nothing waits there. */
    private void move(final Connection from, final Connection to) {
        if (from.waiting == null || from.link != null || to.waiting != null) {
            return;
        }
        to.waitFor(from);
        from.isDialing = false;
        final Peer peer = broker.find(from.id);
        if (peer != null && peer.link() == null) {
            broker.hangUp(peer, false);
        }
        peers.forget(from);
        // The vector has just been told.
        whereabouts.trust(to.fiAddr);
        if (to.link == null && !to.isDialing) {
            dial(to);
        } else {
            resume(to);
        }
    }

    @Override
    public boolean mayAnswer(final PeerId id, final byte[] told) {
        return whereabouts.isPlaced(id, told);
    }

    /** What peers are told of this endpoint. */
    void tell(final FabricAddress socket) {
        broker.tell(Whereabouts.told(socket));
    }

    private void call(final Connection connection) {
        isDialing = true;
        if (connection.id.equals(self)) {
            callSelf(connection);
            return;
        }
        if (connection.id.isAt(self)) {
            // It names this endpoint with a queue key that it has not.
            failed(connection, FiErrno.FI_EHOSTUNREACH);
            return;
        }
        final Peer peer = broker.dial(connection.id);
        if (peer != null && peer.link() != null && connection.link == null) {
            // The broker knows a link that is being buried here: it is dialed again then.
            retry(connection);
        }
    }

    /** A queue pair that is connected with itself. */
    private void callSelf(final Connection connection) {
        LinkEnd link = null;
        try {
            link = maker.open(self, null);
            link.connect(link.name());
            adopt(connection, link);
            link.channel().greet();
        } catch (final FabricException e) {
            if (link != null) {
                link.close();
            }
            failed(connection, e.errno());
        }
    }

    @Override
    public Link openLink(final Peer peer) {
        try {
            return maker.open(peer.id(), peer);
        } catch (final FabricException e) {
            if (e.errno() == FiErrno.FI_ENOMEM) {
                // Who dials asks again.
                makeRoom();
            }
            throw e;
        }
    }

    /** Out of the link's close. */
    void gone(final LinkEnd link) {
        if (links.remove(link)) {
            queues.giveBack(link.queues());
        }
        if (link.isEstablished()) {
            established--;
        }
        if (!link.isDrained()) {
            undrained.add(link);
        }
    }

    /** Its messages are received, or dropped; it may have gone before. */
    void drained(final SlotArea area) {
        pool.giveBack(area);
    }

    /** Nobody asks for messages of it any more. */
    void settled(final LinkEnd link) {
        undrained.remove(link);
    }

    @Override
    public void established(final Peer peer, final Link link, final boolean initiator) {
        final LinkEnd end = (LinkEnd) link;
        final Connection connection = peers.of(end.channel().peer());
        adopt(connection, end);
        if (initiator) {
            end.channel().greet();
        }
    }

    private void adopt(final Connection connection, final LinkEnd link) {
        if (connection.link != null && connection.link != link) {
            doom(connection.link, FiErrno.FI_ECONNRESET, false);
        }
        connection.link = link;
        connection.isDialing = false;
        whereabouts.trust(connection.fiAddr);
        link.established(System.nanoTime());
        used(link.channel());
        established++;
        if (most > 0 && established > most) {
            leaveOne(link);
        }
    }

    /** The first message came: both ends know each other. */
    void greeted(final Channel channel) {
        final LinkEnd link = (LinkEnd) channel.end();
        if (!link.isEstablished()) {
            if (!broker.confirm(link.peer(), link)) {
                return;
            }
            channel.greet();
        }
        resume(peers.get(channel.peer()));
    }

    /** Starts what waits, if that can be now. */
    void resume(final Connection connection) {
        if (connection != null && connection.waiting != null && connection.link != null) {
            core.startWaiting(connection);
        }
    }

    @Override
    public void failed(final Peer peer, final int errno) {
        final Connection connection = peers.get(peer.id());
        if (connection != null && connection.link == null) {
            failed(connection, errno);
        }
    }

    private void failed(final Connection connection, final int errno) {
        if (errno == FiErrno.FI_ENOMEM && System.nanoTime() - connection.since < timeoutNanos
            && makeRoom()) {
            retry(connection);
            return;
        }
        if (errno == FiErrno.FI_ETIMEDOUT || errno == FiErrno.FI_EHOSTUNREACH) {
            whereabouts.doubt(connection.fiAddr);
            connection.failure = errno;
            if (!connection.asked && connection.waiting != null && ask(connection)) {
                return;
            }
        }
        giveUp(connection, errno);
    }

    private void giveUp(final Connection connection, final int errno) {
        connection.isDialing = false;
        final SendOp op = connection.takeWaiting();
        if (op != null) {
            core.failed(op, errno == FiErrno.FI_ETIMEDOUT ? FiErrno.FI_EHOSTUNREACH : errno);
        }
        peers.forget(connection);
    }

    private void retry(final Connection connection) {
        if (!connection.isRetrying) {
            connection.isRetrying = true;
            retrying.add(connection);
        }
    }

    /** Asks the peer of the link that was used least recently, and is idle, to close it. */
    private boolean leaveOne(final LinkEnd except) {
        final LinkEnd oldest = links.leastUsed(except);
        if (oldest == null) {
            return false;
        }
        // If it says no it is not asked again at once.
        used(oldest.channel());
        oldest.channel().sayBye();
        return true;
    }

    /**
     * For another link: has idle ones leave, one after the other, as those that were used least may be of peers that do
     * not look.
     *
     * @return whether one may go.
     */
    private boolean makeRoom() {
        final long now = System.nanoTime();
        if (now - nextRoom < 0 && leaving() > 0) {
            return true;
        }
        nextRoom = now + ROOM_NANOS;
        return leaveOne(null) || leaving() > 0;
    }

    private int leaving() {
        return links.count(link -> link.channel().isLeaving());
    }

    @Override
    public void replaced(final Peer peer) {
        doom(peer, FiErrno.FI_ECONNRESET);
    }

    @Override
    public void ended(final Peer peer) {
        doom(peer, FiErrno.FI_ECONNRESET);
        final Connection connection = peers.get(peer.id());
        if (connection != null && connection.waiting != null && !connection.isDialing && !connection.isRetrying) {
            core.failed(connection.takeWaiting(), FiErrno.FI_ECONNRESET);
        }
    }

    private void doom(final Peer peer, final int errno) {
        final Connection connection = peers.get(peer.id());
        if (connection != null && connection.link != null) {
            doom(connection.link, errno, false);
            connection.link = null;
        }
    }

    /** Its end has come: it is closed soon, outside of callbacks. */
    void doom(final LinkEnd link, final int errno, final boolean tell) {
        if (link.doom()) {
            dead.add(new Dead(link, errno, tell));
        }
        final Connection connection = peers.get(link.channel().peer());
        if (errno != 0 && connection != null) {
            whereabouts.doubt(connection.fiAddr);
        }
    }

    /** Both ends agreed to close it. */
    void left(final Channel channel) {
        doom((LinkEnd) channel.end(), 0, false);
    }

    /** Closes what has ended, with all that came until then taken. */
    void bury() {
        if (core.drain()) {
            buryAll();
        }
    }

    private void buryAll() {
        for (Dead one = dead.poll(); one != null; one = dead.poll()) {
            bury(one);
        }
    }

    private void bury(final Dead one) {
        final LinkEnd link = one.link();
        final Channel channel = link.channel();
        if (channel.isGone()) {
            return;
        }
        final Connection connection = peers.get(channel.peer());
        final boolean current = connection != null && connection.link == link;
        if (current) {
            connection.link = null;
        }
        try {
            channel.close();
        } finally {
            over(one, connection, current);
        }
    }

    private void over(final Dead one, final Connection connection, final boolean current) {
        final LinkEnd link = one.link();
        if (current && link.peer() != null) {
            broker.hangUp(link.peer(), one.tell());
        }
        core.failAll(link.channel(), one.errno() == 0 ? FiErrno.FI_ECONNRESET : one.errno());
        if (current && connection.waiting != null && !connection.isRetrying) {
            if (one.errno() == 0) {
                dial(connection);
            } else {
                core.failed(connection.takeWaiting(), one.errno());
            }
        }
        if (connection != null) {
            peers.forget(connection);
        }
    }

    /** With the next progress it looks whether peers are gone, which it does but once a second. For tests. */
    void lookSoon() {
        nextLook = System.nanoTime();
    }

    /** Looks after links that wait for peers that may be gone. */
    private void lookAfter(final long now) {
        nextLook = now + LOOK_NANOS;
        if (!core.hears()) {
            // What they wait for may be there.
            return;
        }
        for (int i = 0; i < links.end(); i++) {
            final LinkEnd link = links.at(i);
            if (link != null && link.isEstablished() && link.channel().isWaiting()) {
                link.channel().probe();
                if (link.channel().isGreeting() && link.isTooLong(now, timeoutNanos)) {
                    doom(link, FiErrno.FI_EHOSTUNREACH, true);
                }
            }
        }
    }

    private boolean isAnyWaiting() {
        return links.count(link -> link.isEstablished() && link.channel().isWaiting()) > 0;
    }

    /** Those that do not answer may be elsewhere by now. */
    private void lookFor(final long now) {
        nextAsk = now + ASK_NANOS;
        for (final Connection each : peers.all()) {
            if (!each.isDialing || each.isRetrying || each.waiting == null || now - each.since < ASK_NANOS) {
                continue;
            }
            final PeerAddress moved = whereabouts.moved(each);
            if (moved != null) {
                move(each, find(moved));
            } else if (!whereabouts.isAsking(each)) {
                whereabouts.ask(each);
            }
        }
    }

    /** Takes and repeats datagrams, and dials again. */
    void progress(final long now) {
        isDialing = broker.progress(now);
        for (int i = retrying.size() - 1; i >= 0; i--) {
            final Connection connection = retrying.remove(i);
            connection.isRetrying = false;
            if (connection.link == null && connection.waiting != null) {
                goOn(connection, now);
            } else {
                peers.forget(connection);
            }
        }
        if (isDialing && now - nextAsk >= 0) {
            lookFor(now);
        }
        isDialing |= !retrying.isEmpty();
        if (now - nextLook >= 0) {
            lookAfter(now);
        }
        if (most > 0 && established > most && now - nextLeave >= 0) {
            // Those that were busy when there became too many.
            nextLeave = now + LEAVE_NANOS;
            if (established - leaving() > most) {
                leaveOne(null);
            }
        }
    }

    /** Datagrams shall wake up who waits; 0, or -FI_EAGAIN if there were some. */
    int arm() {
        return broker.arm();
    }

    /** Links are being made. */
    boolean isDialing() {
        return isDialing;
    }

    boolean hasDead() {
        return !dead.isEmpty();
    }

    long idleNanos(final long now) {
        if (!retrying.isEmpty()) {
            return RETRY_NANOS;
        }
        final long look = isAnyWaiting() ? Math.max(0, nextLook - now) : Long.MAX_VALUE;
        return Math.min(look, broker.idleNanos(now));
    }

    int established() {
        return established;
    }

    /** Bytes of all slots, for tests. */
    long slotBytes() {
        return pool.size();
    }

    /** How many links are gone, and messages of them wait. For tests. */
    int undrained() {
        return undrained.size();
    }

    /** How many peers are known, for tests. */
    int known() {
        return peers.size();
    }

    /** Tells all peers, and closes all. */
    void close() {
        // Each, whatever happens to the others: memory is freed afterwards.
        final List<Dead> ended = List.copyOf(dead);
        final LinkEnd[] open = links.all();
        final Cleanup cleanup = new Cleanup().run(core::drainAll);
        ended.forEach(one -> cleanup.run(() -> bury(one)));
        cleanup.run(broker::close);
        for (final LinkEnd link : open) {
            if (link != null) {
                cleanup.run(link.channel()::drop);
            }
        }
        List.copyOf(undrained).forEach(link -> cleanup.run(link.channel()::drop));
        // Until its lane inwards has ended a peer is told that its writes have arrived.
        cleanup.run(core::takeLast).run(this::cancelWaiting).throwIfFailed();
    }

    private void cancelWaiting() {
        for (final Connection connection : peers.all()) {
            if (connection.waiting != null) {
                core.failed(connection.takeWaiting(), FiErrno.FI_ECANCELED);
            }
        }
    }

    @Override
    public String toString() {
        return established + " links, " + peers.size() + " peers known" + (isDialing ? ", dialing" : "");
    }
}
