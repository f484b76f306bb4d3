/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Words;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A work request in a receive queue or in an SRQ, {@code struct pvrdma_rq_wqe_hdr}, with {@link Sge}s behind it.
 *
 * <pre>
 *    0                               8               12              16
 *   +-------------------------------+---------------+---------------+---
 *   |             wr_id             |    num_sge    |       0       | sge[0], sge[1] ...
 *   +-------------------------------+---------------+---------------+---
 * </pre>
 *
 * <p>Strides: 1 entry 32 bytes, 2..3 64, 4..7 128, 8..15 256.
 */
public final class RqWqe {
    /** Offset of {@code wr_id}. */
    public static final int WR_ID_OFFSET = 0;
    /** Offset of {@code num_sge}. */
    public static final int NUM_SGE_OFFSET = WR_ID_OFFSET + 8;
    /** Bytes before the entries. */
    public static final int HEADER_LENGTH = NUM_SGE_OFFSET + 8;
    /** Offset of the first {@link Sge}. */
    public static final int SGE_OFFSET = HEADER_LENGTH;
    /** More entries than any device takes: a WQE with them still fits into a page. */
    public static final int MAX_SGE = (Pdir.PAGE_SIZE - HEADER_LENGTH) / Sge.LENGTH;

    /** What the header looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_rq_wqe_hdr", HEADER_LENGTH)
        .u64("wr_id", WR_ID_OFFSET)
        .u32("num_sge", NUM_SGE_OFFSET)
        .reserved(4)
        .build();

    private RqWqe() {
    }

    /**
     * {@return the bytes from one WQE to the next: header and entries, rounded up to a power of two}
     *
     * @param maxSge most entries of a WQE, as given to CREATE_QP or CREATE_SRQ; the device derives the same from it
     * @throws IllegalArgumentException if no queue can have so many
     */
    public static int stride(int maxSge) {
        if (maxSge < 0 || maxSge > MAX_SGE) {
            throw new IllegalArgumentException("max_sge " + maxSge + ": allowed are 0.." + MAX_SGE);
        }
        return RingGeometry.powerOfTwo(HEADER_LENGTH + maxSge * Sge.LENGTH);
    }

    /**
     * {@return where an entry begins}
     *
     * @param base where the WQE begins
     * @param i    number of the entry, from 0
     */
    public static int sgeOffset(int base, int i) {
        return base + SGE_OFFSET + i * Sge.LENGTH;
    }

    /**
     * {@return the number that the application gave to the request}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long wrId(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, WR_ID_OFFSET);
    }

    /**
     * Sets {@code wr_id}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the number that the application gave to the request
     */
    public static void wrId(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, WR_ID_OFFSET, value);
    }

    /**
     * {@return how many entries follow}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int numSge(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, NUM_SGE_OFFSET);
    }

    /**
     * Sets {@code num_sge}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value how many entries follow
     */
    public static void numSge(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, NUM_SGE_OFFSET, value);
    }

    /**
     * Writes a whole header.
     *
     * @param b      buffer
     * @param base   where the WQE begins
     * @param wrId   number of the request
     * @param numSge entries that follow
     */
    public static void header(UnsafeBuffer b, int base, long wrId, int numSge) {
        Words.check(b, base, HEADER_LENGTH);
        final byte[] array = b.byteArray();
        final long wqe = b.addressOffset() + base;
        Words.put(array, wqe + WR_ID_OFFSET, wrId);
        Words.put(array, wqe + NUM_SGE_OFFSET, Words.pair(numSge, 0));
    }
}
