/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A ring as its device sees it: pages that need not be contiguous, shared with a driver that is not trusted. What an
 * element holds can change while it is being read: read each field once, then check, then use.
 */
public abstract sealed class DeviceRing extends Padded permits WqeConsumer, CqeProducer {
    private final UnsafeBuffer statePage;
    private final int prodTailOffset;
    private final int consHeadOffset;
    private UnsafeBuffer[] pages;
    /** Of the two indices; 0 if the page is no plain native memory, and is asked itself. */
    private final long prodTailAddress;
    private final long consHeadAddress;
    /** Of each page, or 0 alike. */
    private long[] addresses;
    /** Of the first page, where all follow it; else 0. */
    private final long first;
    private final int count;
    private final int perPageShift;
    private final int perPageMask;
    private final int strideShift;

    DeviceRing(final UnsafeBuffer statePage, final int stateOffset, final UnsafeBuffer[] pages, final int count,
        final int stride) {
        requireState(statePage, stateOffset);
        requireElements(pages, count, stride);
        this.statePage = statePage;
        this.prodTailOffset = stateOffset + RingState.PROD_TAIL_OFFSET;
        this.consHeadOffset = stateOffset + RingState.CONS_HEAD_OFFSET;
        this.pages = pages.clone();
        final long state = addressOf(statePage);
        this.prodTailAddress = state == 0 ? 0 : state + prodTailOffset;
        this.consHeadAddress = state == 0 ? 0 : state + consHeadOffset;
        this.addresses = Arrays.stream(pages).mapToLong(DeviceRing::addressOf).toArray();
        this.first = follow(addresses) ? addresses[0] : 0;
        this.count = count;
        this.strideShift = Integer.numberOfTrailingZeros(stride);
        this.perPageShift = Pdir.PAGE_SHIFT - strideShift;
        this.perPageMask = (1 << perPageShift) - 1;
    }

    private static long addressOf(final UnsafeBuffer page) {
        return page.getClass() == UnsafeBuffer.class && page.byteArray() == null ? page.addressOffset() : 0;
    }

    private static boolean follow(final long[] pages) {
        for (int i = 0; i < pages.length; i++) {
            if (pages[i] == 0 || pages[i] != pages[0] + (long) i * Pdir.PAGE_SIZE) {
                return false;
            }
        }
        return true;
    }

    private static void requireState(final UnsafeBuffer page, final int offset) {
        final int end = RingState.CONS_HEAD_OFFSET + Integer.BYTES;
        if (offset < 0 || offset > page.capacity() - end || ((page.addressOffset() + offset) & 3) != 0) {
            throw new IllegalArgumentException("ring state at " + offset + ": needs " + end
                + " bytes, aligned to 4, in a page of " + page.capacity());
        }
    }

    private static void requireElements(final UnsafeBuffer[] pages, final int count, final int stride) {
        if (Integer.bitCount(stride) != 1 || stride < Integer.BYTES || stride > Pdir.PAGE_SIZE) {
            throw new IllegalArgumentException("stride " + stride + ": must be a power of two, 4.." + Pdir.PAGE_SIZE);
        }
        if (count < 1 || count > 1 << 30 || (long) count * stride > (long) pages.length * Pdir.PAGE_SIZE) {
            throw new IllegalArgumentException(
                count + " elements of " + stride + " bytes in " + pages.length + " pages");
        }
        for (final UnsafeBuffer page : pages) {
            if (page.capacity() < Pdir.PAGE_SIZE || (page.addressOffset() & 7) != 0) {
                throw new IllegalArgumentException("page of " + page.capacity() + " bytes at 0x"
                    + Long.toHexString(page.addressOffset()) + ": needs " + Pdir.PAGE_SIZE + ", aligned to 8");
            }
        }
    }

    /**
     * {@return how many elements the ring has}
     */
    public final int count() {
        return count;
    }

    /**
     * Lets go of what is known of the pages: nobody looks at an element any more. Whoever still has the ring keeps
     * nothing by it that grows with its size.
     */
    public final void release() {
        pages = new UnsafeBuffer[0];
        addresses = new long[0];
    }

    final int stride() {
        return 1 << strideShift;
    }

    /** The index selects a slot below count whatever its value, and construction proved the page to be there. */
    final UnsafeBuffer pageOf(final int index) {
        return pages[(index & (count - 1)) >>> perPageShift];
    }

    final int offsetOf(final int index) {
        return (index & (count - 1) & perPageMask) << strideShift;
    }

    final long addressOf(final int index) {
        return first != 0 ? first + ((long) (index & (count - 1)) << strideShift)
            : addresses[(index & (count - 1)) >>> perPageShift] + offsetOf(index);
    }

    final int loadProdTail() {
        return prodTailAddress != 0 ? Fences.fromDriver(prodTailAddress) : Fences.fromDriver(statePage, prodTailOffset);
    }

    final void storeProdTail(final int index) {
        if (prodTailAddress != 0) {
            Fences.toDriver(prodTailAddress, index);
        } else {
            Fences.toDriver(statePage, prodTailOffset, index);
        }
    }

    final int loadConsHead() {
        return consHeadAddress != 0 ? Fences.fromDriver(consHeadAddress) : Fences.fromDriver(statePage, consHeadOffset);
    }

    final void storeConsHead(final int index) {
        if (consHeadAddress != 0) {
            Fences.toDriver(consHeadAddress, index);
        } else {
            Fences.toDriver(statePage, consHeadOffset, index);
        }
    }

    final String describe(final String own, final int index) {
        return getClass().getSimpleName() + "[count=" + count + ", stride=" + stride()
            + ", " + own + "=" + index + ", prod_tail=" + statePage.getInt(prodTailOffset)
            + ", cons_head=" + statePage.getInt(consHeadOffset) + "]";
    }
}
