/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.FaultableMemory;
import java.lang.ref.Reference;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Payloads that a thread of the program copies. A mapped file can be cut off under whoever reads it, which the JVM
 * tells by an InternalError at some later moment; and memory that nobody keeps may be unmapped, which is the end of the
 * process. The kernel copies those, and says it at once. Where a sandbox forbids that, they are copied by loads and
 * stores. Nothing is allocated.
 */
public final class Payloads {
    private Payloads() {
    }

    /**
     * Copies a payload: a system call for a mapped file and for a buffer that was wrapped around an address, none for
     * anything else.
     *
     * @param from   holds the payload; may be on the heap.
     * @param offset its first byte there.
     * @param length bytes; the range is inside of {@code from}.
     * @param to     where it goes; may be on the heap.
     * @param at     its first byte there.
     * @return false if its memory is gone; any part of the range may have been written then.
     */
    public static boolean copy(
        final DirectBuffer from, final int offset, final int length, final MutableDirectBuffer to, final int at) {
        if (BufferOwners.mayGo(from) && FaultableMemory.isAvailable()) {
            final boolean copied = FaultableMemory.read(from.addressOffset() + offset, to, at, length);
            // This may be its last use: what maps the file must not be collected under the copy.
            Reference.reachabilityFence(from);
            return copied;
        }
        to.putBytes(at, from, offset, length);
        return true;
    }

    /**
     * Whether results can be stored into a buffer of the program: Agrona's stores would go through one that is laid
     * over a buffer for reading only, whose pages may be protected.
     *
     * @param to     where they would go; may be null.
     * @param offset first byte.
     * @param length bytes, 0 or more.
     * @return false if it has not so many, or is for reading only.
     */
    public static boolean isRoom(final MutableDirectBuffer to, final int offset, final long length) {
        return to != null && offset >= 0 && length >= 0 && length <= to.capacity() - offset
            && (to.byteBuffer() == null || !to.byteBuffer().isReadOnly());
    }

    /**
     * Copies memory that is known by its address.
     *
     * @param from   first byte.
     * @param isKept whether it surely is there.
     * @param to     where it goes; may be on the heap.
     * @param at     its first byte there.
     * @param length bytes.
     * @return false if not all of it can be read; any part of the range may have been written then.
     */
    public static boolean read(
        final long from, final boolean isKept, final MutableDirectBuffer to, final int at, final int length) {
        if (!isKept && FaultableMemory.isAvailable()) {
            return FaultableMemory.read(from, to, at, length);
        }
        UnsafeApi.copyMemory(null, from, to.byteArray(), to.addressOffset() + at, length);
        return true;
    }

    /**
     * Copies to memory that is known by its address.
     *
     * @param from   memory that is there.
     * @param to     first byte.
     * @param isKept whether it surely is there.
     * @param length bytes.
     * @return false if not all of it can be written; any part may have been.
     */
    public static boolean write(final long from, final long to, final boolean isKept, final int length) {
        if (!isKept && FaultableMemory.isAvailable()) {
            return FaultableMemory.write(from, to, length);
        }
        UnsafeApi.copyMemory(from, to, length);
        return true;
    }
}
