/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

import org.agrona.MutableDirectBuffer;

/** What a completion says; one for each queue. */
final class Entry implements CompletionEntry {
    private Endpoint endpoint;
    private OperationKind kind;
    private long context;
    private long length;
    private boolean hasData;
    private int data;
    private long source;
    private long overflow;
    private long tag;
    private long buffer;
    private boolean isBufferReleased;
    private int errno;
    private int detail;

    void set(final Endpoint of, final OperationKind what, final long itsContext, final long bytes) {
        endpoint = of;
        kind = what;
        context = itsContext;
        length = bytes;
        hasData = false;
        data = 0;
        source = FiAddr.NOTAVAIL;
        overflow = 0;
        tag = 0;
        buffer = 0;
        isBufferReleased = false;
        errno = 0;
        detail = 0;
    }

    void data(final int value) {
        hasData = true;
        data = value;
    }

    void source(final long fiAddr) {
        source = fiAddr;
    }

    void tag(final long value) {
        tag = value;
    }

    void overflow(final long bytes) {
        overflow = bytes;
    }

    void buffer(final long address, final boolean isReleased) {
        buffer = address;
        isBufferReleased = isReleased;
    }

    void failure(final int number, final int what) {
        errno = number;
        detail = what;
    }

    @Override
    public long context() {
        return context;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public OperationKind kind() {
        return kind;
    }

    @Override
    public long length() {
        // Of a message that was cut it is known what came before the cut; of other failures nothing is.
        return errno == 0 || overflow > 0 ? length : 0;
    }

    @Override
    public boolean hasData() {
        return hasData;
    }

    @Override
    public int data() {
        return data;
    }

    @Override
    public long source() {
        return source;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public long overflow() {
        return overflow;
    }

    @Override
    public long buffer() {
        return buffer;
    }

    @Override
    public boolean isBufferReleased() {
        return isBufferReleased;
    }

    @Override
    public boolean isError() {
        return errno != 0;
    }

    @Override
    public int errno() {
        return errno;
    }

    @Override
    public String providerError() {
        return Failures.text(errno, detail);
    }

    @Override
    public int providerErrno() {
        return errno == 0 ? 0 : detail;
    }

    @Override
    public int errorData(final MutableDirectBuffer to, final int offset) {
        if (errno == 0) {
            return 0;
        }
        if (!Payloads.isRoom(to, offset, ERROR_DATA_LENGTH)) {
            throw Failures.invalid("copy error data", "%d bytes at %d of %s cannot be written", ERROR_DATA_LENGTH,
                offset, to);
        }
        to.putInt(offset, Failures.status(detail));
        to.putInt(offset + Integer.BYTES, Failures.vendorError(detail));
        return ERROR_DATA_LENGTH;
    }

    @Override
    public String toString() {
        return kind + " context " + context + (errno == 0 ? ", " + length + " bytes" + (hasData ? ", data " + data : "")
            : ": " + FiErrno.name(errno) + ", " + providerError());
    }
}
