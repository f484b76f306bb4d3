/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

/** The device was told to access an IOVA that is not mapped. Control path only. */
public final class DmaFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DmaFault(long iova, long length) {
        super(String.format("no translation for iova 0x%x length 0x%x", iova, length), null, false, false);
    }
}
