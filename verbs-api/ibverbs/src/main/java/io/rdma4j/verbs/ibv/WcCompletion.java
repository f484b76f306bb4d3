/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.UnsafeApi;

/** A view of an {@code ibv_wc}, with what the driver knows of the request. */
final class WcCompletion implements Completion {
    /** Holds the memory, also for who keeps this longer than the CQ is there. */
    @SuppressWarnings("unused") // Holds it.
    private final Object memory;
    private long wc;
    private IbvQp qp;
    private long wrId;
    private WcOpcode opcode;
    private WcStatus status;
    private int bytes;

    WcCompletion(final Object memory) {
        this.memory = memory;
    }

    /** The structure is elsewhere from now on: where it was something else comes. */
    void moved(final long to) {
        UnsafeApi.copyMemory(wc, to, Abi.Wc.LENGTH);
        wc = to;
    }

    WcCompletion wrap(final long at, final IbvQp owner, final long userWrId) {
        wc = at;
        // Stored only if it changes, here and below: a reference costs the collector's barrier.
        if (qp != owner) {
            qp = owner;
        }
        wrId = userWrId;
        return this;
    }

    WcCompletion outcome(final WcOpcode what, final WcStatus how, final int length) {
        if (opcode != what) {
            opcode = what;
        }
        if (status != how) {
            status = how;
        }
        bytes = length;
        return this;
    }

    @Override
    public long wrId() {
        return wrId;
    }

    @Override
    public WcStatus status() {
        return status;
    }

    @Override
    public WcOpcode opcode() {
        return opcode;
    }

    @Override
    public int byteLength() {
        if (status != WcStatus.SUCCESS) {
            return 0;
        }
        // Unsigned in the structure: a message may have 2 GiB, and a device may say anything.
        return bytes < 0 ? Integer.MAX_VALUE : bytes;
    }

    private boolean hasFlag(final int flag) {
        return (UnsafeApi.getInt(wc + Abi.Wc.WC_FLAGS) & flag) != 0;
    }

    private boolean isReceive() {
        return opcode == WcOpcode.RECV || opcode == WcOpcode.RECV_RDMA_WITH_IMM;
    }

    @Override
    public boolean hasImmData() {
        return isReceive() && hasFlag(Opcodes.WITH_IMM);
    }

    @Override
    public int immData() {
        return Opcodes.immData(UnsafeApi.getInt(wc + Abi.Wc.IMM_DATA));
    }

    @Override
    public boolean isInvalidated() {
        return isReceive() && hasFlag(qp.context.traits.invalidatedFlag);
    }

    @Override
    public int invalidatedRkey() {
        return UnsafeApi.getInt(wc + Abi.Wc.INVALIDATED_RKEY);
    }

    @Override
    public boolean hasGrh() {
        return qp.type() == QpType.UD && hasFlag(Opcodes.GRH);
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
        return UnsafeApi.getInt(wc + Abi.Wc.SRC_QP);
    }

    @Override
    public int pkeyIndex() {
        return UnsafeApi.getShort(wc + Abi.Wc.PKEY_INDEX) & 0xffff;
    }

    /** Where the device told of a success, also of one that the driver does not believe, nobody writes the number. */
    @Override
    public int vendorError() {
        return status == WcStatus.SUCCESS || UnsafeApi.getInt(wc + Abi.Wc.STATUS) == 0
            ? 0 : UnsafeApi.getInt(wc + Abi.Wc.VENDOR_ERR);
    }

    @Override
    public String toString() {
        return "Completion[wrId=" + wrId + " status=" + status + " opcode=" + opcode + " bytes=" + byteLength()
            + " vendorError=0x" + Integer.toHexString(vendorError()) + " " + qp + "]";
    }
}
