/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.Link;
import io.rdma4j.fabric.cm.LinkBroker;
import io.rdma4j.fabric.cm.LinkOwner;
import io.rdma4j.fabric.cm.Peer;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.cm.UdPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.endpoint.Endpoints;
import io.rdma4j.fabric.endpoint.InternalEndpoint;
import io.rdma4j.fabric.region.EndpointHost;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The links of one endpoint: made when they are needed, closed when there are too many, buried when they broke. For the
 * thread that uses the endpoint.
 */
final class Connections implements LinkOwner {
    private static final Connection[] NONE = new Connection[0];
    private static final int MOST_INDEX = 1 << 22;
    /** RMA and atomics under way on one link: queue pairs for more would cost memory for each peer. */
    private static final int MOST_LINK_RMA = 16;

    /** How often a peer is asked to part, while there are too many. */
    private static final long LEAVE_NANOS = 1_000_000;

    /** How often a peer is probed that is waited for. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /** A link whose end has come, and what its operations end with. */
    private record Dead(LinkEnd link, int errno, boolean tell) {
    }

    private final RdmCore core;
    private final EndpointHost host;
    private final LinkQueues queues;
    private final int linkTransmits;
    private final int linkReceives;
    private final SlotPool pool;
    private final PeerId self;
    private final int most;
    private final long timeoutNanos;
    private final LinkBroker broker;
    private final Map<PeerId, Connection> byId = new HashMap<>();
    private final Map<Endpoint, LinkEnd> byEndpoint = new IdentityHashMap<>();
    private final Deque<Dead> dead = new ArrayDeque<>();
    private final List<Connection> retrying = new ArrayList<>();
    /** By what the vector calls peers; what is there may be of another peer by now. */
    private Connection[] byIndex = NONE;
    private LinkEnd[] links = new LinkEnd[8];
    private int established;
    private boolean isDialing;
    private long nextLeave = System.nanoTime();
    private long nextLook = nextLeave + LOOK_NANOS;
    private long uses;

    Connections(
        final RdmCore core, final EndpointHost host, final EndpointOptions options, final LinkQueues queues,
        final SlotPool pool, final UdPort port) {
        this.core = core;
        this.host = host;
        this.queues = queues;
        this.linkTransmits = transmitsOf(options);
        this.linkReceives = receivesOf(options);
        this.pool = pool;
        this.self = PeerId.of(port);
        this.most = options.mostConnections();
        this.timeoutNanos = options.connectTimeout().toNanos();
        this.broker = new LinkBroker(port, this, core.realm(), options.connectTimeout());
    }

    /** Sends under way on a link, and RMA. */
    static int transmitsOf(final EndpointOptions options) {
        return Math.max(receivesOf(options), Math.min(MOST_LINK_RMA, options.transmitSize()));
    }

    static int receivesOf(final EndpointOptions options) {
        return options.windowSlots() + Channel.CONTROL_SLOTS;
    }

    /** The peer of this address. Does not allocate if it is known by this name already. */
    Connection find(final PeerAddress address) {
        final int index = address.index();
        if (index < byIndex.length) {
            final Connection known = byIndex[index];
            if (known != null && !known.isForgotten && known.id.is(address)) {
                known.fiAddr = address.fiAddr();
                return known;
            }
        }
        return learn(address, index);
    }

    private Connection learn(final PeerAddress address, final int index) {
        final Connection connection = byId.computeIfAbsent(PeerId.of(address), Connection::new);
        connection.fiAddr = address.fiAddr();
        if (index >= 0 && index < MOST_INDEX) {
            if (index >= byIndex.length) {
                byIndex = Arrays.copyOf(byIndex, Math.max(index + 1, 2 * byIndex.length));
            }
            if (byIndex[index] != null && byIndex[index] != connection) {
                forget(byIndex[index]);
            }
            byIndex[index] = connection;
            connection.index = index;
        }
        return connection;
    }

    /** The link of this number; null if there is none. */
    LinkEnd link(final int number) {
        return number < links.length ? links[number] : null;
    }

    /** The link of this number, if it is this endpoint's. */
    LinkEnd link(final int number, final Endpoint endpoint) {
        final LinkEnd link = number < 0 || number >= links.length ? null : links[number];
        return link == null || link.endpoint() != endpoint ? null : link;
    }

    LinkEnd link(final Endpoint endpoint) {
        return byEndpoint.get(endpoint);
    }

    /** The link is used just now. */
    void used(final Channel channel) {
        channel.used = ++uses;
    }

    /** Makes a link for what waits there. */
    void dial(final Connection connection) {
        connection.isDialing = true;
        connection.since = System.nanoTime();
        call(connection);
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
            link = open(self, null);
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
        return open(peer.id(), peer);
    }

    private LinkEnd open(final PeerId id, final Peer peer) {
        SlotArea area = null;
        FabricCompletionQueue queue = null;
        InternalEndpoint endpoint = null;
        boolean done = false;
        try {
            area = pool.claim();
            queue = queues.claim();
            endpoint = Endpoints.openInternal(host,
                new EndpointOptions().completionQueue(queue).sizes(linkTransmits, linkReceives));
            final LinkEnd link = new LinkEnd(endpoint, this, area, queue, freeNumber(), core, id, peer);
            if (!link.channel().prepare()) {
                throw FabricException.of("open link").detail("%s takes no receives", endpoint)
                    .errno(FiErrno.FI_EIO).build();
            }
            links[link.number()] = link;
            byEndpoint.put(endpoint, link);
            done = true;
            return link;
        } catch (final RdmaException e) {
            throw noRoom(FabricException.from("open link", e));
        } catch (final FabricException e) {
            throw noRoom(e);
        } finally {
            if (!done) {
                discard(area, queue, endpoint);
            }
        }
    }

    /** What a device has no more of it tells in several ways. */
    private static FabricException noRoom(final FabricException e) {
        return e.errno() != FiErrno.FI_EINVAL ? e : FabricException.of("open link")
            .detail("%s", e.getMessage()).errno(FiErrno.FI_ENOMEM).cause(e).build();
    }

    private void discard(final SlotArea area, final FabricCompletionQueue queue, final InternalEndpoint endpoint) {
        if (endpoint != null) {
            endpoint.close();
        }
        if (queue != null) {
            queues.giveBack(queue);
        }
        if (area != null) {
            pool.giveBack(area);
        }
    }

    private int freeNumber() {
        for (int i = 0; i < links.length; i++) {
            if (links[i] == null) {
                return i;
            }
        }
        links = Arrays.copyOf(links, 2 * links.length);
        return links.length / 2;
    }

    /** Out of the link's close. */
    void gone(final LinkEnd link) {
        if (links[link.number()] == link) {
            links[link.number()] = null;
            byEndpoint.remove(link.endpoint());
            queues.giveBack(link.queue());
        }
        if (link.isEstablished()) {
            established--;
        }
    }

    void giveBack(final SlotArea area) {
        pool.giveBack(area);
    }

    @Override
    public void established(final Peer peer, final Link link, final boolean initiator) {
        final LinkEnd end = (LinkEnd) link;
        final Connection connection = byId.computeIfAbsent(end.channel().peer(), Connection::new);
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
        resume(byId.get(channel.peer()));
    }

    /** Starts what waits, if that can be now. */
    void resume(final Connection connection) {
        if (connection != null && connection.waiting != null && connection.link != null) {
            core.startWaiting(connection);
        }
    }

    @Override
    public void failed(final Peer peer, final int errno) {
        final Connection connection = byId.get(peer.id());
        if (connection != null && connection.link == null) {
            failed(connection, errno);
        }
    }

    private void failed(final Connection connection, final int errno) {
        if (errno == FiErrno.FI_ENOMEM && System.nanoTime() - connection.since < timeoutNanos
            && (isLeaving() || leaveOne(null))) {
            retry(connection);
            return;
        }
        connection.isDialing = false;
        if (errno == FiErrno.FI_ETIMEDOUT) {
            core.resolveAgain(connection.fiAddr);
        }
        final SendOp op = connection.takeWaiting();
        if (op != null) {
            core.failed(op, errno == FiErrno.FI_ETIMEDOUT ? FiErrno.FI_EHOSTUNREACH : errno);
        }
        forget(connection);
    }

    /** So that peers that come and go leave nothing behind. */
    private void forget(final Connection connection) {
        if (connection.link != null || connection.waiting != null || connection.isDialing || connection.isRetrying) {
            return;
        }
        byId.remove(connection.id, connection);
        connection.isForgotten = true;
        if (connection.index >= 0 && byIndex[connection.index] == connection) {
            byIndex[connection.index] = null;
        }
    }

    private void retry(final Connection connection) {
        if (!connection.isRetrying) {
            connection.isRetrying = true;
            retrying.add(connection);
        }
    }

    /** Asks the peer of the link that was used least recently, and is idle, to close it. */
    private boolean leaveOne(final LinkEnd except) {
        LinkEnd oldest = null;
        for (final LinkEnd link : links) {
            if (link != null && link != except && link.isEstablished() && link.channel().isIdle()
                && (oldest == null || link.channel().used < oldest.channel().used)) {
                oldest = link;
            }
        }
        if (oldest == null) {
            return false;
        }
        // If it says no it is not asked again at once.
        used(oldest.channel());
        oldest.channel().sayBye();
        return true;
    }

    private boolean isLeaving() {
        for (final LinkEnd link : links) {
            if (link != null && link.channel().isLeaving()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void replaced(final Peer peer) {
        doom(peer, FiErrno.FI_ECONNRESET);
    }

    @Override
    public void ended(final Peer peer) {
        doom(peer, FiErrno.FI_ECONNRESET);
        final Connection connection = byId.get(peer.id());
        if (connection != null && connection.waiting != null && !connection.isDialing && !connection.isRetrying) {
            core.failed(connection.takeWaiting(), FiErrno.FI_ECONNRESET);
        }
    }

    private void doom(final Peer peer, final int errno) {
        final Connection connection = byId.get(peer.id());
        if (connection != null && connection.link != null) {
            doom(connection.link, errno, false);
            connection.link = null;
        }
    }

    /** Its end has come: it is closed soon, outside of callbacks. */
    void doom(final LinkEnd link, final int errno, final boolean tell) {
        dead.add(new Dead(link, errno, tell));
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
        final Connection connection = byId.get(channel.peer());
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
            forget(connection);
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
        for (final LinkEnd link : links) {
            if (link != null && link.isEstablished() && link.channel().isWaiting()) {
                link.channel().probe();
                if (link.channel().isGreeting() && link.isTooLong(now, timeoutNanos)) {
                    doom(link, FiErrno.FI_EHOSTUNREACH, true);
                }
            }
        }
    }

    private boolean isAnyWaiting() {
        for (final LinkEnd link : links) {
            if (link != null && link.isEstablished() && link.channel().isWaiting()) {
                return true;
            }
        }
        return false;
    }

    /** Takes and repeats datagrams, and dials again. */
    void progress(final long now) {
        isDialing = broker.progress(now);
        for (int i = retrying.size() - 1; i >= 0; i--) {
            final Connection connection = retrying.remove(i);
            connection.isRetrying = false;
            if (connection.link == null && connection.waiting != null) {
                call(connection);
            }
        }
        isDialing |= !retrying.isEmpty();
        if (now - nextLook >= 0) {
            lookAfter(now);
        }
        if (most > 0 && established > most && now - nextLeave >= 0) {
            // Those that were busy when there became too many.
            nextLeave = now + LEAVE_NANOS;
            if (!isLeaving()) {
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
            return 0;
        }
        final long look = isAnyWaiting() ? Math.max(0, nextLook - now) : Long.MAX_VALUE;
        return Math.min(look, broker.idleNanos(now));
    }

    int established() {
        return established;
    }

    /** How many peers are known, for tests. */
    int known() {
        return byId.size();
    }

    /** Tells all peers, and closes all. */
    void close() {
        final List<Runnable> steps = new ArrayList<>();
        steps.add(core::drain);
        dead.forEach(one -> steps.add(() -> bury(one)));
        steps.add(broker::close);
        for (final LinkEnd link : links.clone()) {
            if (link != null) {
                steps.add(link.channel()::drop);
            }
        }
        steps.add(this::cancelWaiting);
        RuntimeException first = null;
        for (final Runnable step : steps) {
            first = run(step, first);
        }
        if (first != null) {
            throw first;
        }
    }

    /** Each, whatever happens to the others: memory is freed afterwards. */
    private static RuntimeException run(final Runnable step, final RuntimeException first) {
        try {
            step.run();
        } catch (final RuntimeException e) {
            if (first == null) {
                return e;
            }
            first.addSuppressed(e);
        }
        return first;
    }

    private void cancelWaiting() {
        for (final Connection connection : byId.values()) {
            if (connection.waiting != null) {
                core.failed(connection.takeWaiting(), FiErrno.FI_ECANCELED);
            }
        }
    }

    @Override
    public String toString() {
        return established + " links, " + byId.size() + " peers known" + (isDialing ? ", dialing" : "");
    }
}
