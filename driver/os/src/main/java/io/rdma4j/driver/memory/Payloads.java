/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.FaultableMemory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Payloads that the posting thread copies. A mapped file can be cut off under whoever reads it, which the JVM tells by
 * an InternalError at some later moment: the kernel reads those, and says it at once.
 */
public final class Payloads {
    private Payloads() {
    }

    /**
     * Copies a payload. Allocates nothing; a system call for a mapped file, none for anything else.
     *
     * @param from   holds the payload; may be on the heap.
     * @param offset its first byte there.
     * @param length bytes; the range is inside of {@code from}.
     * @param to     where it goes; may be on the heap.
     * @param at     its first byte there.
     * @return false if the pages of a mapped file are gone; any part of the range may have been written then.
     */
    public static boolean copy(
        final DirectBuffer from, final int offset, final int length, final MutableDirectBuffer to, final int at) {
        if (BufferOwners.isFile(from) && FaultableMemory.isAvailable()) {
            return FaultableMemory.read(from.addressOffset() + offset, to, at, length);
        }
        to.putBytes(at, from, offset, length);
        return true;
    }
}
