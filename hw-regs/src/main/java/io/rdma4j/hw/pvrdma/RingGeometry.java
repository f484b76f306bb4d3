/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * How many elements a ring has and how many pages it takes. Every ring begins with a page that holds only its
 * {@link RingState}; elements follow from the second page on. A QP has one state page, then the pages of its send
 * queue, then those of its receive queue.
 */
public final class RingGeometry {
    /** Where the elements of a ring begin, behind its state page. */
    public static final int ELEMENTS_OFFSET = Pdir.PAGE_SIZE;

    /** Pages of the event rings in Linux, state page included; the only number that is known to work on ESXi. */
    public static final int LINUX_EVENT_RING_PAGES = 4;

    private static final int MAX_POWER_OF_TWO = 1 << 30;

    private RingGeometry() {
    }

    /**
     * Rounds up to a power of two.
     *
     * @param value 0 to 2^30
     * @return the smallest power of two that is not below the value, and not below 1
     * @throws IllegalArgumentException if there is none in an int
     */
    public static int powerOfTwo(int value) {
        if (value < 0 || value > MAX_POWER_OF_TWO) {
            throw new IllegalArgumentException(value + ": no power of two for it; allowed are 0.." + MAX_POWER_OF_TWO);
        }
        return value <= 1 ? 1 : 1 << (Integer.SIZE - Integer.numberOfLeadingZeros(value - 1));
    }

    /**
     * {@return how many elements fit into one page}
     *
     * @param stride bytes of an element
     * @throws IllegalArgumentException if the stride is not between 1 and the size of a page
     */
    public static int elementsPerPage(int stride) {
        if (stride < 1 || stride > Pdir.PAGE_SIZE) {
            throw new IllegalArgumentException("stride " + stride + ": allowed are 1.." + Pdir.PAGE_SIZE);
        }
        return Pdir.PAGE_SIZE / stride;
    }

    /**
     * {@return the pages that elements take, without the state page}
     *
     * @param count  elements, not negative
     * @param stride bytes of an element
     * @throws IllegalArgumentException if a page directory could not reach the pages
     */
    public static int pagesFor(int count, int stride) {
        final long bytes = (long) count * stride;
        if (count < 0 || stride < 1 || bytes > (long) Pdir.MAX_PAGES * Pdir.PAGE_SIZE) {
            throw new IllegalArgumentException(count + " elements of " + stride + " bytes: a page directory reaches "
                + Pdir.MAX_PAGES + " pages");
        }
        return (int) Pdir.pagesSpanned(0, bytes);
    }

    /**
     * {@return the nchunks of CREATE_CQ: state page and CQEs}
     *
     * @param cqe number of CQEs
     */
    public static int cqPages(int cqe) {
        return 1 + pagesFor(cqe, Cqe.LENGTH);
    }

    /**
     * {@return the nchunks of CREATE_SRQ: state page and WQEs}
     *
     * @param wrs    number of WQEs
     * @param maxSge entries of each
     */
    public static int srqPages(int wrs, int maxSge) {
        return 1 + pagesFor(wrs, RqWqe.stride(maxSge));
    }

    /**
     * {@return the send_chunks of CREATE_QP: the pages of the send queue, without the state page}
     *
     * @param wrs    number of WQEs
     * @param maxSge entries of each
     */
    public static int sqPages(int wrs, int maxSge) {
        return pagesFor(wrs, SqWqe.stride(maxSge));
    }

    /**
     * {@return the pages of a QP's receive queue, without the state page}
     *
     * @param wrs    number of WQEs; 0 if the QP takes from an SRQ
     * @param maxSge entries of each
     */
    public static int rqPages(int wrs, int maxSge) {
        return pagesFor(wrs, RqWqe.stride(maxSge));
    }

    /**
     * {@return the total_chunks of CREATE_QP: state page, send queue, receive queue}
     *
     * @param sqPages pages of the send queue
     * @param rqPages pages of the receive queue
     */
    public static int qpPages(int sqPages, int rqPages) {
        return 1 + sqPages + rqPages;
    }

    /**
     * {@return the elements of an event ring, which need not be a power of two; see {@link RingIndex}}
     *
     * @param pages         pages of the ring, the state page included
     * @param elementLength {@link Eqe#LENGTH} or {@link Cqne#LENGTH}
     */
    public static int eventRingElements(int pages, int elementLength) {
        return (pages - 1) * elementsPerPage(elementLength);
    }
}
