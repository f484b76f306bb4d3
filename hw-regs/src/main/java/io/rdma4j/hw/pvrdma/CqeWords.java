/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Words;

/**
 * Reads a CQE by its address, which is inside of its ring by construction. Behind each load through a buffer the JVM
 * takes all fields of all objects for changed, as the buffer might be one of the heap, and loads them anew.
 *
 * <p>Each field is read for itself: a wide load of what narrow stores of the same thread have just written, as those of
 * an emulated device, would wait until they have left the processor's store buffer. See {@link Cqe} for the fields.
 */
public final class CqeWords {
    private CqeWords() {
    }

    /**
     * {@return wr_id}
     *
     * @param cqe address of the CQE
     */
    public static long wrId(final long cqe) {
        return Words.getLong(cqe + Cqe.WR_ID_OFFSET);
    }

    /**
     * {@return the low half of qp, where handles are}
     *
     * @param cqe address of the CQE
     */
    public static int qp(final long cqe) {
        return Words.getInt(cqe + Cqe.QP_OFFSET);
    }

    /**
     * {@return opcode}
     *
     * @param cqe address of the CQE
     */
    public static int opcode(final long cqe) {
        return Words.getInt(cqe + Cqe.OPCODE_OFFSET);
    }

    /**
     * {@return status}
     *
     * @param cqe address of the CQE
     */
    public static int status(final long cqe) {
        return Words.getInt(cqe + Cqe.STATUS_OFFSET);
    }

    /**
     * {@return byte_len}
     *
     * @param cqe address of the CQE
     */
    public static int byteLen(final long cqe) {
        return Words.getInt(cqe + Cqe.BYTE_LEN_OFFSET);
    }
}
