/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** What is particular about a connection that {@link RdmaConnector} makes. Mutable; used by one call at a time. */
public final class ConnectOptions {
    /** Most bytes of private data. */
    public static final int MAX_PRIVATE_DATA = 1024;

    private static final String SET = "set connect options";

    private Duration timeout = Duration.ofSeconds(10);
    private Duration patience = Duration.ofSeconds(3);
    private byte[] privateData = {};
    private QpAttributes attributes = new QpAttributes();
    private Consumer<RdmaConnection> beforeReady = connection -> { };
    private LongSupplier clock = System::nanoTime;

    /** Creates the usual options: 10 seconds, no private data, the attributes of {@link QpConnector}. */
    public ConnectOptions() {
        // The fields say it.
    }

    /**
     * Sets the longest time for the whole call. 10 seconds if not set.
     *
     * @param value above 0.
     * @return this.
     * @throws RdmaException EINVAL if it is null, 0 or negative.
     */
    public ConnectOptions timeout(final Duration value) {
        timeout = positive("timeout", value);
        return this;
    }

    /**
     * Sets the longest time for a message from a peer that is there and has to answer at once. 3 seconds if not set.
     *
     * @param value above 0; beyond the timeout it means nothing.
     * @return this.
     * @throws RdmaException EINVAL if it is null, 0 or negative.
     */
    public ConnectOptions patience(final Duration value) {
        patience = positive("patience", value);
        return this;
    }

    /**
     * Sets bytes that the other side gets with the connection. None if not set.
     *
     * @param value up to {@link #MAX_PRIVATE_DATA} bytes; copied.
     * @return this.
     * @throws RdmaException EINVAL if it is null or longer.
     */
    public ConnectOptions privateData(final byte[] value) {
        if (value == null || value.length > MAX_PRIVATE_DATA) {
            throw invalid("private data of %s bytes, allowed are %d", value == null ? "null" : value.length,
                MAX_PRIVATE_DATA);
        }
        privateData = value.clone();
        return this;
    }

    /**
     * Sets attributes that replace the usual ones of {@link QpConnector}; they are read, not changed. The path MTU and
     * the READs and atomics under way are upper limits, of which the smaller of both sides is taken; without a path
     * MTU the active one of the port is offered. Of the way to the peer ({@link QpAttributes#ah}) everything is used
     * but the GID, which is the peer's. The peer is told the packet number to begin with (SQ_PSN); its own is for it
     * to choose, so that connecting with RQ_PSN is refused (EINVAL). A datagram QP takes the queue key alone; without
     * one, one is drawn at random.
     *
     * @param value attributes.
     * @return this.
     * @throws RdmaException EINVAL if it is null.
     */
    public ConnectOptions attributes(final QpAttributes value) {
        if (value == null) {
            throw invalid("attributes are null");
        }
        attributes = value;
        return this;
    }

    /**
     * Sets what to do when the QP is ready and the peer does not know it yet: the place to post receives, so that the
     * first message finds one, and to look at the peer's private data. Nothing is to be sent yet. What it throws ends
     * the connection on both sides; the peer is told the message of an {@link RdmaException}, of others the kind.
     *
     * @param value called on the thread that connects, at most once a call.
     * @return this.
     * @throws RdmaException EINVAL if it is null.
     */
    public ConnectOptions beforeReady(final Consumer<RdmaConnection> value) {
        if (value == null) {
            throw invalid("beforeReady is null");
        }
        beforeReady = value;
        return this;
    }

    /**
     * Longest time for the whole call.
     *
     * @return above 0.
     */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Longest time for a message of a peer that is there.
     *
     * @return above 0.
     */
    public Duration patience() {
        return patience;
    }

    /**
     * What the other side gets.
     *
     * @return a copy.
     */
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * What replaces the usual attributes.
     *
     * @return the attributes themselves.
     */
    public QpAttributes attributes() {
        return attributes;
    }

    /**
     * What to do before the peer knows that the QP is ready.
     *
     * @return never null.
     */
    public Consumer<RdmaConnection> beforeReady() {
        return beforeReady;
    }

    /** For tests: another clock than {@link System#nanoTime}, in its unit. */
    ConnectOptions clock(final LongSupplier value) {
        clock = value;
        return this;
    }

    LongSupplier clock() {
        return clock;
    }

    private static Duration positive(final String name, final Duration value) {
        if (value == null || value.isZero() || value.isNegative()) {
            throw invalid("%s is %s, it must be above 0", name, value);
        }
        return value;
    }

    private static RdmaException invalid(final String format, final Object... args) {
        return RdmaException.of(SET).detail(format, args).errno(RdmaException.EINVAL).build();
    }
}
