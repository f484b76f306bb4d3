/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.Cqe;

/**
 * Writes a whole CQE in words, so that nothing of the one before is left, and each byte is stored once. Fields that are
 * named nowhere here are 0.
 */
final class CqeWriter {
    private static final long PORT = 1L << 8 * (Cqe.PORT_NUM_OFFSET - Cqe.SL_OFFSET);
    private static final int LAST_OFFSET = Cqe.LENGTH - Long.BYTES;

    private CqeWriter() {
    }

    /**
     * Writes what completions of both sides have.
     *
     * @param cqe       its address in this process.
     * @param wrId      of the request.
     * @param qp        handle.
     * @param opcode    of the completion.
     * @param status    of the completion.
     * @param length    bytes.
     * @param vendorErr detail of a failure.
     */
    static void write(long cqe, long wrId, int qp, int opcode, int status, int length, int vendorErr) {
        Words.put(cqe + Cqe.WR_ID_OFFSET, wrId);
        Words.put(cqe + Cqe.QP_OFFSET, qp & 0xffff_ffffL);
        Words.put(cqe + Cqe.OPCODE_OFFSET, Words.pair(opcode, status));
        Words.put(cqe + Cqe.BYTE_LEN_OFFSET, Words.pair(length, 0));
        Words.put(cqe + Cqe.SRC_QP_OFFSET, 0);
        Words.put(cqe + Cqe.VENDOR_ERR_OFFSET, Words.pair(vendorErr, 0));
        Words.put(cqe + Cqe.SL_OFFSET, PORT);
        Words.put(cqe + LAST_OFFSET, 0);
    }

    /**
     * Adds immediate data.
     *
     * @param cqe       its address in this process.
     * @param length    bytes, as they were written before.
     * @param immediate data.
     */
    static void immediate(long cqe, int length, int immediate) {
        Words.put(cqe + Cqe.BYTE_LEN_OFFSET, Words.pair(length, immediate));
    }

    /**
     * Says where a received message came from.
     *
     * @param cqe   its address in this process.
     * @param srcQp number of the sender.
     * @param flags of the completion.
     */
    static void source(long cqe, int srcQp, int flags) {
        Words.put(cqe + Cqe.SRC_QP_OFFSET, Words.pair(srcQp, flags));
    }
}
