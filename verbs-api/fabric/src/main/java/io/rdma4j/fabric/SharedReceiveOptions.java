/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** What a {@link SharedReceiveContext} is made with. Not thread-safe; read when it is opened. */
public final class SharedReceiveOptions {
    private CompletionQueue completionQueue;
    private AddressVector addressVector;
    private int size = 64;
    private int leastMultiReceive = EndpointOptions.LEAST_MULTI_RECEIVE;

    /** No queue, no vector, 64 receives. */
    public SharedReceiveOptions() {
        // All fields have their defaults.
    }

    /**
     * Where receives complete that no endpoint has got: those that are taken back, that looked for a message and found
     * none, and those that are posted when the context is closed. Messages complete in the queues of the endpoints.
     *
     * @param queue of the same domain; it may be that of an endpoint.
     * @return this.
     */
    public SharedReceiveOptions completionQueue(final CompletionQueue queue) {
        completionQueue = queue;
        return this;
    }

    /**
     * The vector of all its endpoints, where these address their peers.
     *
     * @param vector of the same domain; null for connected endpoints.
     * @return this.
     */
    public SharedReceiveOptions addressVector(final AddressVector vector) {
        addressVector = vector;
        return this;
    }

    /**
     * How many receives can be under way: posted, or over and not read yet.
     *
     * @param receives 1 to 65536; 64 by default.
     * @return this.
     */
    public SharedReceiveOptions size(final int receives) {
        size = receives;
        return this;
    }

    /**
     * How much room a buffer has to have left that takes several messages; see
     * {@link EndpointOptions#leastMultiReceive}.
     *
     * @param bytes above 0; 64 by default.
     * @return this.
     */
    public SharedReceiveOptions leastMultiReceive(final int bytes) {
        leastMultiReceive = bytes;
        return this;
    }

    /**
     * Where receives complete that no endpoint has got.
     *
     * @return null if not set.
     */
    public CompletionQueue completionQueue() {
        return completionQueue;
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
     * Receives under way.
     *
     * @return as given.
     */
    public int size() {
        return size;
    }

    /**
     * Room that a buffer has to have left that takes several messages.
     *
     * @return bytes as given.
     */
    public int leastMultiReceive() {
        return leastMultiReceive;
    }
}
