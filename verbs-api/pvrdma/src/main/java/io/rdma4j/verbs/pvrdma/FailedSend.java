/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.QpType;

/** What a send request was about that failed, read from its WQE: in words, for people. */
final class FailedSend {
    private FailedSend() {
    }

    /** The WQE is still there: its slot is not free before it is retired. */
    static RdmaException explain(final PvrdmaQp qp, final SequencedQueue queue, final long seq, final int status) {
        final int at = queue.slotOffset((int) seq & queue.count() - 1);
        final int opcode = SqWqe.opcode(queue.buffer(), at);
        return RdmaException.of(WrOpcode.NAMES.of(opcode))
            .device(qp.context.address())
            .object(qp)
            .detail("wr_id 0x%x, %d bytes%s: %s", queue.userWrId(seq), queue.length(seq),
                target(SqWqe.layoutOf(opcode, qp.type() == QpType.UD), queue, at), WcStatus.NAMES.of(status))
            .errno(status == WcStatus.PVRDMA_WC_REM_ACCESS_ERR ? RdmaException.EACCES : RdmaException.EIO)
            .hint(status == WcStatus.PVRDMA_WC_REM_ACCESS_ERR ? "the peer's region, or window, must have this rkey, "
                + "hold all of these bytes, grant the right and be of the QP's protection domain; its QP must grant "
                + "the right, too" : null)
            .build();
    }

    private static String target(final Layout layout, final SequencedQueue queue, final int at) {
        final StringBuilder text = new StringBuilder();
        for (final Layout.Field field : layout.fields()) {
            if (field.name().endsWith(".remote_addr")) {
                text.append(" at remote address 0x").append(Long.toHexString(field.number(queue.buffer(), at)));
            } else if (field.name().endsWith(".rkey")) {
                text.append(" with rkey 0x").append(Long.toHexString(field.number(queue.buffer(), at)));
            }
        }
        return text.toString();
    }
}
