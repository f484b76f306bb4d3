/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.OperationKind;

/**
 * A completion that an endpoint makes up itself: filled, then {@linkplain #commit() committed}. One for each queue; for
 * the thread that reads it.
 */
public final class Report {
    private final Reports reports;
    Endpoint endpoint;
    OperationKind kind;
    Room room;
    long context;
    long length;
    long source;
    long overflow;
    long tag;
    long buffer;
    boolean isBufferReleased;
    boolean hasData;
    int data;
    int errno;
    int detail;

    Report(final Reports reports) {
        this.reports = reports;
    }

    /**
     * Begins anew: a success.
     *
     * @param of         the endpoint.
     * @param what       what completed.
     * @param itsContext what was given with the operation.
     * @param bytes      how many were transferred.
     * @return this.
     */
    public Report set(final Endpoint of, final OperationKind what, final long itsContext, final long bytes) {
        endpoint = of;
        kind = what;
        context = itsContext;
        length = bytes;
        room = null;
        source = FiAddr.NOTAVAIL;
        overflow = 0;
        tag = 0;
        buffer = 0;
        isBufferReleased = false;
        hasData = false;
        data = 0;
        errno = 0;
        detail = 0;
        return this;
    }

    /**
     * Data came with it.
     *
     * @param value 32 bits.
     * @return this.
     */
    public Report data(final int value) {
        hasData = true;
        data = value;
        return this;
    }

    /**
     * Who sent it.
     *
     * @param fiAddr or {@link FiAddr#NOTAVAIL}.
     * @return this.
     */
    public Report source(final long fiAddr) {
        source = fiAddr;
        return this;
    }

    /**
     * The tag of a message.
     *
     * @param value 64 bits.
     * @return this.
     */
    public Report tag(final long value) {
        tag = value;
        return this;
    }

    /**
     * A part of a buffer that takes several messages.
     *
     * @param address    where it begins.
     * @param isReleased nothing more comes into the buffer.
     * @return this.
     */
    public Report buffer(final long address, final boolean isReleased) {
        buffer = address;
        isBufferReleased = isReleased;
        return this;
    }

    /**
     * It failed.
     *
     * @param number positive errno.
     * @param what   of {@link Failures}.
     * @return this.
     */
    public Report failure(final int number, final int what) {
        errno = number;
        detail = what;
        return this;
    }

    /**
     * Bytes that did not fit.
     *
     * @param bytes 0 or more.
     * @return this.
     */
    public Report overflow(final long bytes) {
        overflow = bytes;
        return this;
    }

    /**
     * Where its place was taken: given back when the completion was read.
     *
     * @param places the endpoint's.
     * @return this.
     */
    public Report room(final Room places) {
        room = places;
        return this;
    }

    /** Puts it behind all other reports of the queue. */
    public void commit() {
        reports.add(this);
    }
}
