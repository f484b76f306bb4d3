/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * What an endpoint is made with. Not thread-safe; read when it is opened.
 */
public final class EndpointOptions {
    private CompletionQueue transmitQueue;
    private CompletionQueue receiveQueue;
    private int transmitSize = 64;
    private int receiveSize = 64;
    private byte[] authKey;

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
     * An authorization key: only endpoints with the same one can be connected with this one, and only regions with the
     * same one are reached through it. Whoever is connected reaches all of these: give peers that must not reach each
     * other's regions different keys. {@link Endpoint#name() Names} prove that their maker has the key, and do not tell
     * it; a key that can be guessed can be found out by trying. A name that is used again is not found out.
     *
     * @param key copied; null or empty for the domain's.
     * @return this.
     */
    public EndpointOptions authKey(final byte[] key) {
        authKey = key == null || key.length == 0 ? null : key.clone();
        return this;
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
     * The authorization key.
     *
     * @return a copy; null for the domain's.
     */
    public byte[] authKey() {
        return authKey == null ? null : authKey.clone();
    }
}
