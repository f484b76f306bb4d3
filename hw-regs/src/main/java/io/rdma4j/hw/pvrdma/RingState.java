/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The indices at the beginning of every ring, {@code struct pvrdma_ring_state}: two rings, each a {@code struct
 * pvrdma_ring}.
 *
 * <pre>
 *    0               4               8               12              16
 *   +---------------+---------------+---------------+---------------+
 *   | tx prod_tail  | tx cons_head  | rx prod_tail  | rx cons_head  |
 *   +---------------+---------------+---------------+---------------+
 *     send queue                      receive queue, SRQ, CQ, event rings
 * </pre>
 *
 * <p>The accessors here are plain loads and stores, for setting up and for printing. Whoever shares a ring with the
 * device orders them himself: release what he produced, acquire what the device produced. For index arithmetic see
 * {@link RingIndex}.
 */
public final class RingState {
    /** Offset of {@code tx.prod_tail}. */
    public static final int TX_PROD_TAIL_OFFSET = 0;
    /** Offset of {@code tx.cons_head}. */
    public static final int TX_CONS_HEAD_OFFSET = TX_PROD_TAIL_OFFSET + 4;
    /** Offset of {@code rx.prod_tail}. */
    public static final int RX_PROD_TAIL_OFFSET = TX_CONS_HEAD_OFFSET + 4;
    /** Offset of {@code rx.cons_head}. */
    public static final int RX_CONS_HEAD_OFFSET = RX_PROD_TAIL_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = RX_CONS_HEAD_OFFSET + 4;

    /** Where the ring begins that a send queue uses. */
    public static final int TX_OFFSET = TX_PROD_TAIL_OFFSET;
    /** Where the ring begins that everything else uses. */
    public static final int RX_OFFSET = RX_PROD_TAIL_OFFSET;
    /** Offset of {@code prod_tail} in one of the rings. */
    public static final int PROD_TAIL_OFFSET = 0;
    /** Offset of {@code cons_head} in one of the rings. */
    public static final int CONS_HEAD_OFFSET = 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_ring_state", LENGTH)
        .u32("tx.prod_tail", TX_PROD_TAIL_OFFSET)
        .u32("tx.cons_head", TX_CONS_HEAD_OFFSET)
        .u32("rx.prod_tail", RX_PROD_TAIL_OFFSET)
        .u32("rx.cons_head", RX_CONS_HEAD_OFFSET)
        .build();

    private RingState() {
    }

    /**
     * {@return the producer index of the send queue}
     *
     * @param b    buffer
     * @param base where the state page begins
     */
    public static int txProdTail(UnsafeBuffer b, int base) {
        return b.getInt(base + TX_PROD_TAIL_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code tx.prod_tail}.
     *
     * @param b     buffer
     * @param base  where the state page begins
     * @param value the producer index of the send queue
     */
    public static void txProdTail(UnsafeBuffer b, int base, int value) {
        b.putInt(base + TX_PROD_TAIL_OFFSET, value, LITTLE_ENDIAN);
    }

    /**
     * {@return the consumer index of the send queue}
     *
     * @param b    buffer
     * @param base where the state page begins
     */
    public static int txConsHead(UnsafeBuffer b, int base) {
        return b.getInt(base + TX_CONS_HEAD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code tx.cons_head}.
     *
     * @param b     buffer
     * @param base  where the state page begins
     * @param value the consumer index of the send queue
     */
    public static void txConsHead(UnsafeBuffer b, int base, int value) {
        b.putInt(base + TX_CONS_HEAD_OFFSET, value, LITTLE_ENDIAN);
    }

    /**
     * {@return the producer index of the receive queue, or of the only ring}
     *
     * @param b    buffer
     * @param base where the state page begins
     */
    public static int rxProdTail(UnsafeBuffer b, int base) {
        return b.getInt(base + RX_PROD_TAIL_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code rx.prod_tail}.
     *
     * @param b     buffer
     * @param base  where the state page begins
     * @param value the producer index of the receive queue, or of the only ring
     */
    public static void rxProdTail(UnsafeBuffer b, int base, int value) {
        b.putInt(base + RX_PROD_TAIL_OFFSET, value, LITTLE_ENDIAN);
    }

    /**
     * {@return the consumer index of the receive queue, or of the only ring}
     *
     * @param b    buffer
     * @param base where the state page begins
     */
    public static int rxConsHead(UnsafeBuffer b, int base) {
        return b.getInt(base + RX_CONS_HEAD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code rx.cons_head}.
     *
     * @param b     buffer
     * @param base  where the state page begins
     * @param value the consumer index of the receive queue, or of the only ring
     */
    public static void rxConsHead(UnsafeBuffer b, int base, int value) {
        b.putInt(base + RX_CONS_HEAD_OFFSET, value, LITTLE_ENDIAN);
    }
}
