/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;

/**
 * One end of a connection, under every endpoint that has any: a queue pair for messages, {@linkplain RmaLanes the lanes
 * of RMA}, and the name by which the peer's end finds them. The owner posts messages to {@link #qp()} itself, is the
 * port to which all completions go, and passes on to {@link #rma()} those that are not of messages.
 *
 * <p>For the thread that uses the endpoint, but for {@link #end}, {@link #lost} and {@link #isConnected}.
 */
public final class RcLink {
    private static final String CONNECT = "connect endpoint";

    private final EndpointHost host;
    private final Realm realm;
    private final Endpoint endpoint;
    private final FabricCompletionQueue transmit;
    private final FabricCompletionQueue receive;
    private final LaneSizes sizes;
    private final LocalMemory local;
    private final MessageRules rules;
    private final QueuePair qp;
    private final RmaLanes rma;
    private final boolean mends;
    private CompletionPort owner;
    private int transmitPort;
    private int receivePort;
    private byte[] name;
    private PeerName peer;
    private boolean inPieces;
    private boolean connectFailed;
    private boolean closed;
    private volatile boolean isConnected;
    private volatile String lost;
    private volatile Runnable whenLost = () -> { };

    private RcLink(
        final EndpointHost host, final Realm realm, final EndpointOptions options, final EndpointCounters counters,
        final Endpoint endpoint, final long arrivals, final boolean injects) {
        this.host = host;
        this.realm = realm;
        this.endpoint = endpoint;
        this.transmit = (FabricCompletionQueue) options.transmitQueue();
        this.receive = (FabricCompletionQueue) options.receiveQueue();
        this.sizes = LaneSizes.of(options, host);
        this.mends = host.context().supports(Feature.QP_RESET) && host.context().supports(Feature.QP_QUERY_ALL);
        this.local = new LocalMemory(realm, host.info());
        this.qp = RegionRoom.createQp(realm.pd(), sizes.messages(transmit.cq(), receive.cq(), injects));
        try (Undo undo = new Undo()) {
            undo.add(qp::close);
            LaneSteps.init(qp, false);
            this.rules = new MessageRules(local, host.info().transmitAttributes(), options.selectiveCompletion());
            this.rma = new RmaLanes(this, counters, arrivals);
            undo.forget();
        }
    }

    /**
     * Makes an end, with room in its queues.
     *
     * @param host     the domain.
     * @param realm    of the endpoint; not closed with the link.
     * @param options  its queues, sizes, and whether all successes are reported.
     * @param counters count RMA.
     * @param endpoint in completions of RMA.
     * @param arrivals the context in those of the peer's writes.
     * @param injects  whether the queue pair of messages has room for what is sent from a copy.
     * @return the end; the caller owns it.
     * @throws RdmaException as the device says.
     */
    public static RcLink open(
        final EndpointHost host, final Realm realm, final EndpointOptions options, final EndpointCounters counters,
        final Endpoint endpoint, final long arrivals, final boolean injects) {
        final FabricCompletionQueue transmit = (FabricCompletionQueue) options.transmitQueue();
        final FabricCompletionQueue receive = (FabricCompletionQueue) options.receiveQueue();
        final LaneSizes sizes = LaneSizes.of(options, host);
        try (Undo undo = new Undo()) {
            transmit.reserve(sizes.transmits());
            undo.add(() -> transmit.giveBack(sizes.transmits()));
            receive.reserve(sizes.receives());
            undo.add(() -> receive.giveBack(sizes.receives()));
            final RcLink link = new RcLink(host, realm, options, counters, endpoint, arrivals, injects);
            undo.forget();
            return link;
        }
    }

    /** Its messages go in pieces with headers: the peer's have to as well. Before {@link #join}. */
    void inPieces() {
        inPieces = true;
    }

    /**
     * Its completions go to a port from now on, and it has a name. Closed by the caller if that fails.
     *
     * @param port whose link it is.
     */
    public void join(final CompletionPort port) {
        owner = port;
        name = PeerName.of(host, realm, qp, rma.in(), rma.out(),
            (mends && rma.listen() ? PeerName.MENDS : 0) | (inPieces ? PeerName.PIECES : 0)).encode();
        transmitPort = transmit.attach(port);
        receivePort = receive == transmit ? transmitPort : receive.attach(port);
    }

    EndpointHost host() {
        return host;
    }

    Realm realm() {
        return realm;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    FabricCompletionQueue transmit() {
        return transmit;
    }

    FabricCompletionQueue receive() {
        return receive;
    }

    LaneSizes sizes() {
        return sizes;
    }

    LocalMemory local() {
        return local;
    }

    MessageRules rules() {
        return rules;
    }

    boolean canMend() {
        return mends;
    }

    PeerName peer() {
        return peer;
    }

    /**
     * Where messages go.
     *
     * @return open as long as the link.
     */
    public QueuePair qp() {
        return qp;
    }

    /**
     * RMA and atomics.
     *
     * @return usable, also where the domain has none.
     */
    public RmaLanes rma() {
        return rma;
    }

    /**
     * The owner's number in the queue where sends complete, see
     * {@link io.rdma4j.fabric.completion.WorkId}.
     *
     * @return after {@link #join}.
     */
    public int transmitPort() {
        return transmitPort;
    }

    /**
     * The owner's number in the queue where receives complete.
     *
     * @return after {@link #join}.
     */
    public int receivePort() {
        return receivePort;
    }

    /**
     * What the peer has to know.
     *
     * @return a copy.
     */
    public byte[] name() {
        return name.clone();
    }

    /**
     * Connects with the peer's end: messages, and RMA where both have it.
     *
     * @param peerName what the peer told; not to be trusted.
     * @throws FabricException as {@link io.rdma4j.fabric.MsgEndpoint#connect(byte[])}.
     */
    public void connect(final byte[] peerName) {
        final PeerName named = PeerName.decode(peerName);
        if (connectFailed) {
            throw Failures.of(CONNECT, FiErrno.FI_EBADFD, "%s failed to connect before", endpoint)
                .hint("close it and open another one").build();
        }
        if (isConnected) {
            throw Failures.of(CONNECT, FiErrno.FI_EISCONN, "%s is connected already", endpoint).build();
        }
        if (!named.isSealedBy(realm)) {
            throw Failures.of(CONNECT, FiErrno.FI_ECONNREFUSED, "the peer has another authorization key")
                .hint("give both sides the same key, with EndpointOptions.authKey or Hints").build();
        }
        if (named.has(PeerName.PIECES) != inPieces) {
            throw Failures.of(CONNECT, FiErrno.FI_ECONNREFUSED, "the messages of one side go in pieces, "
                + "for FI_TAGGED or FI_MULTI_RECV, %s", inPieces ? "those of the peer do not" : "and that is the peer")
                .hint("ask for these capabilities on both sides, or on none").build();
        }
        final String why = host.context().whyUnreachable(named.gid());
        if (why != null) {
            throw Failures.of(CONNECT, FiErrno.FI_EHOSTUNREACH, "GID %s of the peer: %s", named.gid(), why).build();
        }
        try {
            peer = named;
            LaneSteps.connect(qp, named.gid(), named.messageQpn(), named.messagePsn(), qp.localAddress().psn());
            rma.connect(named, transmitPort);
            isConnected = true;
        } catch (final RdmaException e) {
            connectFailed = true;
            lost = e.getMessage();
            throw FabricException.from(CONNECT, e);
        }
    }

    /**
     * Whether it is connected, and every part of it works or is being mended.
     *
     * @return false before and after.
     */
    public boolean isConnected() {
        return isConnected && lost == null;
    }

    /** Whether it is connected, or was until a part of it was lost. */
    boolean wasConnected() {
        return isConnected;
    }

    /** {@link #connect} failed half-way. */
    boolean hasFailed() {
        return connectFailed;
    }

    /**
     * Who wants to know at once that it works no more.
     *
     * @param told called at least once, by the thread that found out, after {@link #isConnected} says so.
     */
    void whenLost(final Runnable told) {
        whenLost = told;
    }

    /**
     * A part of it is not to be mended. From any thread.
     *
     * @param why for failure reports.
     */
    public void lost(final String why) {
        final boolean isNews = lost == null;
        lost = why;
        if (isNews) {
            whenLost.run();
        }
    }

    /**
     * Why it works no more.
     *
     * @return null if it does.
     */
    public String whyLost() {
        return lost;
    }

    /**
     * Ends the connection on this side: what is under way is flushed. From any thread.
     *
     * @param why for failure reports.
     */
    public void end(final String why) {
        lost(why);
        LaneSteps.fail(qp);
        rma.end();
    }

    /** One of its queue pairs goes on with nothing: what it has is flushed. It works no more if that is refused. */
    void stop(final QueuePair one) {
        try {
            one.modify(QpAttributes.to(QpState.ERR));
        } catch (final RdmaException e) {
            // The device is gone, or the queue pair has not begun: nothing is under way either way.
            lost(e.getMessage());
        }
    }

    /** A lane has something to go on with. */
    public void wantsProgress() {
        transmit.wants(transmitPort);
    }

    /** Closes the queue pairs: nothing is touched any more. Operations stay as they are. */
    void closeLanes() {
        try {
            qp.close();
        } finally {
            rma.close();
        }
    }

    /** After {@link #closeLanes}: RMA under way is canceled, and the queues have room again. */
    void leave() {
        rma.cancelAll();
        if (owner != null) {
            transmit.detach(owner);
            receive.detach(owner);
        }
        transmit.giveBack(sizes.transmits());
        receive.giveBack(sizes.receives());
    }

    /** Closes it. Harmless when called again. */
    public void close() {
        if (!closed) {
            closed = true;
            try {
                closeLanes();
            } finally {
                leave();
            }
        }
    }

    @Override
    public String toString() {
        return qp + rma.toString() + (lost == null ? "" : ", lost: " + lost);
    }
}
