/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A doorbell that is memory: a mapped UAR page.
 */
public final class MappedDoorbell implements Doorbell {
    private static final int LENGTH = Uar.SRQ_OFFSET + Integer.BYTES;

    /** Keeps it mapped. */
    private final UnsafeBuffer uarPage;
    private final long address;

    /**
     * Rings in a mapped page.
     *
     * @param uarPage the page, aligned to 4 bytes at least
     * @throws IllegalArgumentException if the buffer is too short for the doorbells, not aligned, or in the heap
     */
    public MappedDoorbell(final UnsafeBuffer uarPage) {
        final boolean isAligned = (uarPage.addressOffset() & (Integer.BYTES - 1)) == 0;
        if (uarPage.capacity() < LENGTH || !isAligned || uarPage.byteArray() != null) {
            throw new IllegalArgumentException("UAR page of " + uarPage.capacity() + " bytes at 0x"
                + Long.toHexString(uarPage.addressOffset()) + ": needs " + LENGTH
                + " bytes outside of the heap, aligned to 4");
        }
        this.uarPage = uarPage;
        address = uarPage.addressOffset();
    }

    /**
     * Where a ring may store its doorbells itself, sparing the call.
     *
     * @param doorbell  which
     * @param uarOffset of the doorbell
     * @return its address, which stays valid as long as the doorbell is kept, or 0 if it has to be called
     */
    static long addressOf(final Doorbell doorbell, final int uarOffset) {
        return doorbell instanceof MappedDoorbell ? ((MappedDoorbell) doorbell).address + offset(uarOffset) : 0;
    }

    private static int offset(final int uarOffset) {
        if (uarOffset < 0 || uarOffset > LENGTH - Integer.BYTES || (uarOffset & (Integer.BYTES - 1)) != 0) {
            throw new IllegalArgumentException(
                "doorbell at " + uarOffset + ": they are at multiples of 4, up to " + (LENGTH - Integer.BYTES));
        }
        return uarOffset;
    }

    /** Release: a store to uncached memory does not pass older stores, so the compiler alone must be kept in order. */
    @Override
    public void ring(final int uarOffset, final int word) {
        Fences.toDevice(address + offset(uarOffset), word);
    }

    @Override
    public String toString() {
        return "MappedDoorbell[0x" + Long.toHexString(uarPage.addressOffset()) + "]";
    }
}
