/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

/** What a processor is going to do with the bytes of a {@link DmaBuf}, as {@code linux/dma-buf.h} numbers it. */
public enum DmaBufAccess {
    /** It loads ({@code DMA_BUF_SYNC_READ}). */
    READ(1),
    /** It stores ({@code DMA_BUF_SYNC_WRITE}). */
    WRITE(2),
    /** Both ({@code DMA_BUF_SYNC_RW}). */
    READ_WRITE(3);

    private final int bits;

    DmaBufAccess(final int bits) {
        this.bits = bits;
    }

    int bits() {
        return bits;
    }
}
