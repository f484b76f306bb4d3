/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.queues.Padded;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;

/** A CQE in place. Reading it late gives another completion's values, never an access outside of the ring. */
final class CqeCompletion extends Padded implements Completion {
    private final boolean tellsImmData;
    private final boolean tellsInvalidation;
    private UnsafeBuffer buffer;
    private int offset;
    private PvrdmaQp qp;
    private long wrId;
    private int opcode;
    private int status;
    private int bytes;
    /** Here and not in the queue, as the JVM would put it beside fields of a superclass, in front of the room. */
    private Thread poller;

    /** Told what the device delivers ({@link Traits}): where it does not, a flag means nothing, or something else. */
    CqeCompletion(final boolean tellsImmData, final boolean tellsInvalidation) {
        this.tellsImmData = tellsImmData;
        this.tellsInvalidation = tellsInvalidation;
    }

    /** Who polls from now on. */
    void polledBy(final Thread thread) {
        if (poller != thread) {
            poller = thread;
        }
    }

    /** Whether it polls, if somebody does. */
    boolean isPolledBy(final Thread thread) {
        return poller == thread;
    }

    /**
     * Looks at a CQE. Its wr_id is not the application's for requests of a queue of the QP's own. A reference is stored
     * only if it is another one, as the garbage collector hears of each store.
     */
    CqeCompletion wrap(final UnsafeBuffer newBuffer, final int newOffset, final PvrdmaQp newQp, final long newWrId) {
        if (buffer != newBuffer) {
            buffer = newBuffer;
        }
        if (qp != newQp) {
            qp = newQp;
        }
        offset = newOffset;
        wrId = newWrId;
        return this;
    }

    /** The CQE is elsewhere from now on. */
    void moved(final UnsafeBuffer newBuffer, final int newOffset) {
        buffer = newBuffer;
        offset = newOffset;
    }

    /** What was checked. Read from the CQE again, it might be something else: the device can write there any time. */
    CqeCompletion outcome(final int newOpcode, final int newStatus, final int newBytes) {
        opcode = newOpcode;
        status = newStatus;
        bytes = newBytes;
        return this;
    }

    @Override
    public long wrId() {
        return wrId;
    }

    @Override
    public WcStatus status() {
        return WcStatus.of(status);
    }

    @Override
    public WcOpcode opcode() {
        return Opcodes.completion(opcode);
    }

    private static boolean isSuccess(final int code) {
        return code == io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
    }

    @Override
    public int byteLength() {
        if (!isSuccess(status)) {
            return 0;
        }
        // Unsigned in the CQE: a message may have 2 GiB, and a device may say anything.
        return bytes < 0 ? Integer.MAX_VALUE : bytes;
    }

    @Override
    public boolean hasImmData() {
        return tellsImmData && (Cqe.wcFlags(buffer, offset) & WcFlags.PVRDMA_WC_WITH_IMM) != 0;
    }

    @Override
    public int immData() {
        return Opcodes.immData(Cqe.immData(buffer, offset));
    }

    @Override
    public boolean isInvalidated() {
        return tellsInvalidation && Opcodes.isReceive(opcode)
            && (Cqe.wcFlags(buffer, offset) & WcFlags.PVRDMA_WC_WITH_INVALIDATE) != 0;
    }

    @Override
    public int invalidatedRkey() {
        return Cqe.immData(buffer, offset);
    }

    @Override
    public boolean hasGrh() {
        // QEMU sets the flag on connections too, where no header is written.
        return qp.type() == QpType.UD && (Cqe.wcFlags(buffer, offset) & WcFlags.PVRDMA_WC_GRH) != 0;
    }

    @Override
    public QueuePair queuePair() {
        return qp;
    }

    @Override
    public int qpNumber() {
        return qp.qpNumber();
    }

    @Override
    public int sourceQp() {
        return Cqe.srcQp(buffer, offset);
    }

    @Override
    public int pkeyIndex() {
        return Cqe.pkeyIndex(buffer, offset);
    }

    /** Where the device told of a success, also of one that the driver does not believe, the number means nothing. */
    @Override
    public int vendorError() {
        return isSuccess(status) || isSuccess(Cqe.status(buffer, offset)) ? 0 : Cqe.vendorErr(buffer, offset);
    }

    @Override
    public String toString() {
        return "Completion[wrId=" + wrId + " status=" + status() + " opcode=" + opcode() + " bytes=" + byteLength()
            + " vendorError=0x" + Integer.toHexString(vendorError()) + " " + qp + "]";
    }
}
