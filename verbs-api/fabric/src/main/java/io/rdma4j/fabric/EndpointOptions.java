/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * What an endpoint is made with. Not thread-safe; read when it is opened.
 */
public final class EndpointOptions {
    /** Room that a buffer for several messages has to have left, if nothing else is said. */
    static final int LEAST_MULTI_RECEIVE = 64;
    private static final String OPEN = "open endpoint";

    private CompletionQueue transmitQueue;
    private CompletionQueue receiveQueue;
    private int transmitSize = 64;
    private int receiveSize = 64;
    private byte[] authKey;
    private AddressVector addressVector;
    private EventQueue eventQueue;
    private ConnectionRequest request;
    private String service;
    private boolean selectiveCompletion;
    private CompletionQueue[] receiveContexts = {};
    private int windowSlots = 16;
    private int windowBytes = 4096;
    private int leastMultiReceive = LEAST_MULTI_RECEIVE;
    private SharedReceiveContext sharedReceiveContext;
    private int mostConnections;
    private Duration connectTimeout = Duration.ofSeconds(5);
    private final Map<CounterEvent, Counter> counters = new EnumMap<>(CounterEvent.class);

    /** No queues, 64 operations each way, the domain's authorization key. */
    public EndpointOptions() {
        // All fields have their defaults.
    }

    /**
     * One completion queue for both directions.
     *
     * @param queue of the same domain.
     * @return this.
     */
    public EndpointOptions completionQueue(final CompletionQueue queue) {
        transmitQueue = queue;
        receiveQueue = queue;
        return this;
    }

    /**
     * A completion queue for each direction.
     *
     * @param transmit completions of sends, RMA and atomics.
     * @param receive  completions of receives, and data that peers' writes carry.
     * @return this.
     */
    public EndpointOptions completionQueues(final CompletionQueue transmit, final CompletionQueue receive) {
        transmitQueue = transmit;
        receiveQueue = receive;
        return this;
    }

    /**
     * How many operations can be under way. The completion queues make room for all of them when the endpoint is
     * opened, so they cannot overrun.
     *
     * @param transmit sends, above 0; and as many RMA operations and atomics.
     * @param receive  receives, above 0.
     * @return this.
     */
    public EndpointOptions sizes(final int transmit, final int receive) {
        transmitSize = transmit;
        receiveSize = receive;
        return this;
    }

    /**
     * How much room a buffer has to have left that takes several messages (FI_OPT_MIN_MULTI_RECV): with less it is the
     * application's again. A message that does not fit into what is left is FI_ETRUNC: give the longest there is.
     *
     * @param bytes above 0; 64 by default.
     * @return this.
     */
    public EndpointOptions leastMultiReceive(final int bytes) {
        leastMultiReceive = bytes;
        return this;
    }

    /**
     * An authorization key: only endpoints with the same one can be connected with this one, and only regions with the
     * same one are reached through it. Whoever is connected reaches all of these: give peers that must not reach each
     * other's regions different keys. {@link MsgEndpoint#name() Names} prove that their maker has the key, and do not
     * tell it; a key that can be guessed can be found out by trying. A name that is used again is not found out.
     *
     * @param key copied; null or empty for the domain's.
     * @return this.
     */
    public EndpointOptions authKey(final byte[] key) {
        authKey = key == null || key.length == 0 ? null : key.clone();
        return this;
    }

    /**
     * The vector that gives names to peers: for addressed endpoints, which need one. Several may share it. Connected
     * endpoints have none: it is FI_EINVAL there.
     *
     * @param vector of the same domain.
     * @return this.
     */
    public EndpointOptions addressVector(final AddressVector vector) {
        addressVector = vector;
        return this;
    }

    /**
     * Where a connected endpoint tells of its connection.
     *
     * @param queue of the same fabric.
     * @return this.
     */
    public EndpointOptions eventQueue(final EventQueue queue) {
        eventQueue = queue;
        return this;
    }

    /**
     * Whose request a connected endpoint shall {@linkplain MsgEndpoint#accept accept}.
     *
     * @param connectionRequest of a {@link FabricEvent#CONNREQ}.
     * @return this.
     */
    public EndpointOptions request(final ConnectionRequest connectionRequest) {
        request = connectionRequest;
        return this;
    }

    /**
     * Under which the name service of this node tells the address of an addressed endpoint.
     *
     * @param name a number, 1 to 65535, or a name of /etc/services; null for none, or, in a format of sockets, for any
     *             port that is free.
     * @return this.
     */
    public EndpointOptions service(final String name) {
        service = name;
        return this;
    }

    /**
     * Reports success only of operations with {@link OpFlags#COMPLETION} (FI_SELECTIVE_COMPLETION, for what is
     * transmitted). Failures are always reported, and counters count all.
     *
     * @param selective true if so.
     * @return this.
     */
    public EndpointOptions selectiveCompletion(final boolean selective) {
        selectiveCompletion = selective;
        return this;
    }

    /**
     * Receive contexts of an RDM endpoint: where each one's receives complete. The first is the endpoint's own.
     *
     * @param queues one for each context, at most {@link ReceiveAttributes#contexts()}; none for a single context that
     *               completes in {@link #receiveQueue()}.
     * @return this.
     */
    public EndpointOptions receiveContexts(final CompletionQueue... queues) {
        receiveContexts = queues == null ? new CompletionQueue[0] : queues.clone();
        return this;
    }

    /**
     * Where the endpoint takes its receives from (fi_ep_bind of a shared receive context, rx_ctx_cnt
     * FI_SHARED_CONTEXT): it has none of its own then, so the receive size says nothing.
     *
     * @param context of the same domain, and with this endpoint's vector if it has one; it cannot be closed before the
     *                endpoint. Null for receives of its own.
     * @return this.
     */
    public EndpointOptions sharedReceiveContext(final SharedReceiveContext context) {
        sharedReceiveContext = context;
        return this;
    }

    /**
     * What an RDM endpoint, or a connected one with tags, keeps ready for messages of each peer.
     *
     * @param slots pieces of messages that can wait, 4 to 1024; 16 by default.
     * @param bytes of each, 256 to 65536, 4096 by default; a longer message takes several. Both ends of a connection
     *              use the smaller.
     * @return this.
     */
    public EndpointOptions window(final int slots, final int bytes) {
        windowSlots = slots;
        windowBytes = bytes;
        return this;
    }

    /**
     * Connections that an RDM endpoint keeps: beyond, those that nobody has used for longest are closed, if nothing is
     * under way on them, and made again when they are needed.
     *
     * @param most above 1; 0 for as many as the device gives.
     * @return this.
     */
    public EndpointOptions mostConnections(final int most) {
        mostConnections = most;
        return this;
    }

    /**
     * How long connecting may take before it has failed.
     *
     * @param timeout above 0; 5 seconds by default.
     * @return this.
     */
    public EndpointOptions connectTimeout(final Duration timeout) {
        connectTimeout = timeout;
        return this;
    }

    /**
     * Counts completions (fi_ep_bind of counters).
     *
     * @param counter of the same domain; it cannot be closed before the endpoint.
     * @param first   what it counts.
     * @param more    what else.
     * @return this.
     * @throws FabricException FI_EINVAL for null, or if another counter counts that already.
     */
    public EndpointOptions counter(final Counter counter, final CounterEvent first, final CounterEvent... more) {
        Arguments.notNull(OPEN, "counter", counter);
        count(counter, first);
        for (final CounterEvent event : Arguments.notNull(OPEN, "events", more)) {
            count(counter, event);
        }
        return this;
    }

    private void count(final Counter counter, final CounterEvent event) {
        final Counter other = counters.putIfAbsent(Arguments.notNull(OPEN, "event", event), counter);
        if (other != null && other != counter) {
            throw FabricException.of(OPEN).detail("%s is counted by %s already", event, other)
                .errno(FiErrno.FI_EINVAL).build();
        }
    }

    /**
     * The vector.
     *
     * @return null if not set.
     */
    public AddressVector addressVector() {
        return addressVector;
    }

    /**
     * Where it tells of its connection.
     *
     * @return null if not set.
     */
    public EventQueue eventQueue() {
        return eventQueue;
    }

    /**
     * Whose request it shall accept.
     *
     * @return null if not set.
     */
    public ConnectionRequest request() {
        return request;
    }

    /**
     * Under which service it is known.
     *
     * @return null if not set.
     */
    public String service() {
        return service;
    }

    /**
     * Whether success is reported on demand only.
     *
     * @return as given.
     */
    public boolean selectiveCompletion() {
        return selectiveCompletion;
    }

    /**
     * Queues of receive contexts.
     *
     * @return a copy; empty for a single one.
     */
    public CompletionQueue[] receiveContexts() {
        return receiveContexts.clone();
    }

    /**
     * Where it takes its receives from.
     *
     * @return null for its own.
     */
    public SharedReceiveContext sharedReceiveContext() {
        return sharedReceiveContext;
    }

    /**
     * Pieces of messages that can wait.
     *
     * @return as given.
     */
    public int windowSlots() {
        return windowSlots;
    }

    /**
     * Bytes of each piece.
     *
     * @return as given.
     */
    public int windowBytes() {
        return windowBytes;
    }

    /**
     * Connections that are kept.
     *
     * @return as given.
     */
    public int mostConnections() {
        return mostConnections;
    }

    /**
     * How long connecting may take.
     *
     * @return as given.
     */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /**
     * What counts what.
     *
     * @return a copy.
     */
    public Map<CounterEvent, Counter> counters() {
        return new EnumMap<>(counters);
    }

    /**
     * Where completions of sends, RMA and atomics go.
     *
     * @return null if not set.
     */
    public CompletionQueue transmitQueue() {
        return transmitQueue;
    }

    /**
     * Where completions of receives go.
     *
     * @return null if not set.
     */
    public CompletionQueue receiveQueue() {
        return receiveQueue;
    }

    /**
     * Sends, RMA and atomics under way.
     *
     * @return as given.
     */
    public int transmitSize() {
        return transmitSize;
    }

    /**
     * Receives under way.
     *
     * @return as given.
     */
    public int receiveSize() {
        return receiveSize;
    }

    /**
     * Room that a buffer has to have left that takes several messages.
     *
     * @return bytes as given.
     */
    public int leastMultiReceive() {
        return leastMultiReceive;
    }

    /**
     * The authorization key.
     *
     * @return a copy; null for the domain's.
     */
    public byte[] authKey() {
        return authKey == null ? null : authKey.clone();
    }
}
