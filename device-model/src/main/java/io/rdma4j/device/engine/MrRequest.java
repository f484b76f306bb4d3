/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.hw.pvrdma.MrFlags;

/**
 * What a driver asks for when it registers memory.
 *
 * @param pd     handle of the protection domain.
 * @param start  address of the first byte, as SGEs will use it.
 * @param length bytes.
 * @param access rights.
 * @param flags  0, or which kind of region other than user memory.
 * @param pdir   IOVA of the page directory.
 * @param pages  how many pages it lists.
 */
public record MrRequest(int pd, long start, long length, int access, int flags, long pdir, int pages) {
    boolean isFast() {
        return flags == MrFlags.PVRDMA_MR_FLAG_FRMR;
    }

    boolean isDma() {
        return flags == MrFlags.PVRDMA_MR_FLAG_DMA;
    }
}
