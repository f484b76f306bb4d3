/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * The arithmetic of ring indices, as {@code pvrdma_ring.h} in Linux has it; both ends of a ring must compute the same.
 *
 * <p>A ring of {@code n} slots has indices from 0 to {@code 2n-1}, so that full and empty differ without a slot being
 * lost:
 *
 * <pre>
 *   bit  31                log2(2n) log2(n)                0
 *       +-------------------------+-----+-------------------+
 *       |       must be zero      | lap |       slot        |
 *       +-------------------------+-----+-------------------+
 *
 *   empty: prod_tail == cons_head        full: prod_tail == (cons_head ^ n), the same slot in the other lap
 * </pre>
 *
 * <p>An index with a bit above these is not a position: whoever shares the memory has corrupted it.
 *
 * <h2>Rings whose n is not a power of two</h2>
 *
 * <p>Linux gives the asynchronous event ring and the CQ notification ring three pages of elements, 1536 and 3072 slots.
 * The masks then have a hole, and the formulas, which both ends apply unchanged, mean this:
 *
 * <ul>
 * <li>n = 3072: the index counts 0..2047 and starts again, only 1024 different slots are used;</li>
 * <li>n = 1536: the index counts 0..1023, only 512 different slots are used;</li>
 * <li>the ring is never found full, as no index has the bits that {@code ^ n} would ask for: a producer may overtake
 * its consumer;</li>
 * <li>{@link #used} is wrong once the tail has started again below the head. Ask {@link #hasData} instead.</li>
 * </ul>
 */
public final class RingIndex {
    /** Of {@link #hasData}: the ring is empty. */
    public static final int NO_DATA = 0;
    /** Of {@link #hasData}: there is an element at the head. */
    public static final int HAS_DATA = 1;
    /** Of {@link #hasSpace}: the ring is full. */
    public static final int NO_SPACE = 0;
    /** Of {@link #hasSpace}: there is a free slot at the tail. */
    public static final int HAS_SPACE = 1;
    /** Of both: one of the indices is no index of this ring. */
    public static final int CORRUPT = -1;

    private RingIndex() {
    }

    /**
     * {@return the index after another}
     *
     * @param idx a valid index
     * @param n   slots of the ring
     */
    public static int next(int idx, int n) {
        return (idx + 1) & (2 * n - 1);
    }

    /**
     * {@return the index some places after another}
     *
     * @param idx a valid index
     * @param by  how many places; not negative
     * @param n   slots of the ring, a power of two
     */
    public static int advance(int idx, int by, int n) {
        return (idx + by) & (2 * n - 1);
    }

    /**
     * {@return the slot that an index stands for, 0..n-1}
     *
     * @param idx an index; also an invalid one gives a slot inside of the ring
     * @param n   slots of the ring
     */
    public static int slot(int idx, int n) {
        return idx & (n - 1);
    }

    /**
     * {@return whether an index read from shared memory can be one of this ring}
     *
     * @param idx as read
     * @param n   slots of the ring
     */
    public static boolean isValid(int idx, int n) {
        return (idx & ~(2 * n - 1)) == 0;
    }

    /**
     * {@return how many elements are in the ring; more than n means that the indices are corrupt}
     *
     * @param tail producer index
     * @param head consumer index
     * @param n    slots of the ring, a power of two
     */
    public static int used(int tail, int head, int n) {
        return (tail - head) & (2 * n - 1);
    }

    /**
     * {@return whether nothing is in the ring}
     *
     * @param tail producer index
     * @param head consumer index
     */
    public static boolean isEmpty(int tail, int head) {
        return tail == head;
    }

    /**
     * {@return whether every slot is taken; never true for an n that is not a power of two}
     *
     * @param tail producer index
     * @param head consumer index
     * @param n    slots of the ring
     */
    public static boolean isFull(int tail, int head, int n) {
        return tail == (head ^ n);
    }

    /**
     * Asks the consumer's question, and checks both indices.
     *
     * @param tail producer index as read
     * @param head consumer index as read
     * @param n    slots of the ring
     * @return {@link #HAS_DATA}, {@link #NO_DATA} or {@link #CORRUPT}
     */
    public static int hasData(int tail, int head, int n) {
        if (!isValid(tail | head, n)) {
            return CORRUPT;
        }
        return tail == head ? NO_DATA : HAS_DATA;
    }

    /**
     * Asks the producer's question, and checks both indices.
     *
     * @param tail producer index as read
     * @param head consumer index as read
     * @param n    slots of the ring
     * @return {@link #HAS_SPACE}, {@link #NO_SPACE} or {@link #CORRUPT}
     */
    public static int hasSpace(int tail, int head, int n) {
        if (!isValid(tail | head, n)) {
            return CORRUPT;
        }
        return isFull(tail, head, n) ? NO_SPACE : HAS_SPACE;
    }
}
