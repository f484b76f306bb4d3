/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import org.agrona.DirectBuffer;

/**
 * Arguments, looked at before a call is made: the kernel would answer most of them with a bare EINVAL or EFAULT, and
 * some with damage.
 */
final class Checks {
    private Checks() {
    }

    static void that(final boolean valid, final String call, final String format, final Object... args) {
        if (!valid) {
            throw invalid(call, format, args);
        }
    }

    static RdmaException invalid(final String call, final String format, final Object... args) {
        return RdmaException.of(call).detail(format, args).errno(RdmaException.EINVAL).build();
    }

    static void fd(final String call, final int fd) {
        if (fd < 0) {
            throw RdmaException.of(call).detail("%d is no file descriptor", fd).errno(Errno.EBADF).build();
        }
    }

    static void notNegative(final String call, final String what, final long value) {
        if (value < 0) {
            throw invalid(call, "%s %d is negative", what, value);
        }
    }

    /** A range of this process' memory: some bytes, not at null, that do not wrap around. */
    static void range(final String call, final long address, final long length) {
        if (address <= 0 || length <= 0 || address + length < 0) {
            throw invalid(call, "address %#x, length %d is no range of memory", address, length);
        }
    }

    static void pageAligned(final String call, final String what, final long value) {
        Calls.bound(call); // So that it is this call which fails where there is no page size to be had.
        final long page = Libc.pageSize();
        if ((value & page - 1) != 0) {
            throw invalid(call, "%s %#x is not aligned to the page size, %d", what, value, page);
        }
    }

    /** The kernel gets an address: memory that the garbage collector moves has none. */
    static long offHeap(final String call, final DirectBuffer buffer, final int length) {
        if (buffer == null) {
            throw invalid(call, "no buffer");
        }
        if (buffer.byteArray() != null) {
            throw invalid(call, "the buffer is on the heap; it has to wrap a direct ByteBuffer or an address");
        }
        if (length < 0 || length > buffer.capacity()) {
            throw invalid(call, "length %d, but the buffer has %d bytes", length, buffer.capacity());
        }
        if (length > 0 && buffer.addressOffset() == 0) {
            throw invalid(call, "the buffer is at address 0");
        }
        return buffer.addressOffset();
    }
}
