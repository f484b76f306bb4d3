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

    private final UnsafeBuffer uarPage;

    /**
     * Rings in a mapped page.
     *
     * @param uarPage the page, aligned to 4 bytes at least
     * @throws IllegalArgumentException if the buffer is too short for the doorbells or not aligned
     */
    public MappedDoorbell(final UnsafeBuffer uarPage) {
        if (uarPage.capacity() < LENGTH || (uarPage.addressOffset() & (Integer.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("UAR page of " + uarPage.capacity() + " bytes at 0x"
                + Long.toHexString(uarPage.addressOffset()) + ": needs " + LENGTH + " bytes, aligned to 4");
        }
        this.uarPage = uarPage;
    }

    /** Release: a store to uncached memory does not pass older stores, so the compiler alone must be kept in order. */
    @Override
    public void ring(final int uarOffset, final int word) {
        uarPage.putIntRelease(uarOffset, word);
    }

    @Override
    public String toString() {
        return "MappedDoorbell[0x" + Long.toHexString(uarPage.addressOffset()) + "]";
    }
}
