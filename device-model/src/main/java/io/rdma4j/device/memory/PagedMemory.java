/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.driver.libc.FaultableMemory;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Accesses to memory on demand: the device's own instructions never touch it, as a page that is missing would end the
 * process. The kernel copies, brings in what it can, and says what it cannot.
 */
public final class PagedMemory {
    /** One for the process: a word may be reached through several devices. */
    private static final Object ATOMICS = new Object();
    private static final ByteBuffer WORD_MEMORY = ByteBuffer.allocateDirect(2 * Long.BYTES);
    /** Where a word is worked on that was read and is to be written; guarded by {@link #ATOMICS}. */
    private static final long WORD = BufferUtil.address(WORD_MEMORY) + Long.BYTES - 1 & -Long.BYTES;

    private PagedMemory() {
    }

    /** Copies a run of which one end or both may be missing; as {@link DmaList#copy}. */
    static int copy(long from, boolean fromOnDemand, long to, boolean toOnDemand, long length) {
        if (!fromOnDemand && write(from, to, toOnDemand, length)
            || fromOnDemand && !toOnDemand && FaultableMemory.read(from, to, length)) {
            return DmaList.COPIED;
        }
        // One of both cannot be reached. It need not be the one on demand: that ordinary memory stays is a promise of
        // the application, and who breaks it shall have the error.
        return switch (FaultableMemory.copy(from, to, length)) {
            case COPIED -> DmaList.COPIED;
            case SOURCE_MISSING -> DmaList.SOURCE_LOST;
            case TARGET_MISSING -> DmaList.TARGET_LOST;
        };
    }

    /** Writes what is there to what may be missing. */
    static boolean write(long from, long to, boolean onDemand, long length) {
        if (!onDemand) {
            HostMemory.copy(from, to, length);
            return true;
        }
        return FaultableMemory.write(from, to, length);
    }

    /**
     * Changes a word that may be missing, atomically among all calls of this. What does not change is not written, so
     * that a comparison that fails does not undo what somebody else wrote meanwhile.
     *
     * @param host   address of 8 bytes.
     * @param change gets the address of a copy, and changes that.
     * @return false if the word cannot be read, or not written; then it is as it was.
     */
    public static boolean update(long host, LongConsumer change) {
        synchronized (ATOMICS) {
            if (!FaultableMemory.read(host, WORD, Long.BYTES)) {
                return false;
            }
            final long before = UnsafeApi.getLong(WORD);
            change.accept(WORD);
            return UnsafeApi.getLong(WORD) == before || FaultableMemory.write(WORD, host, Long.BYTES);
        }
    }
}
