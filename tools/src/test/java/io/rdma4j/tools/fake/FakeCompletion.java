/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

/** One completion, used again and again. */
final class FakeCompletion implements Completion {
    static final int VENDOR_ERROR = 0x7b;

    private QueuePair qp;
    private long wrId;
    private WcStatus status;
    private WcOpcode opcode;
    private int byteLength;

    void set(final QueuePair newQp, final long newWrId, final WcStatus newStatus, final WcOpcode newOpcode,
        final int newByteLength) {
        qp = newQp;
        wrId = newWrId;
        status = newStatus;
        opcode = newOpcode;
        byteLength = newByteLength;
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
        return byteLength;
    }

    @Override
    public boolean hasImmData() {
        return false;
    }

    @Override
    public int immData() {
        return 0;
    }

    @Override
    public boolean hasGrh() {
        return false;
    }

    @Override
    public boolean isInvalidated() {
        return false;
    }

    @Override
    public int invalidatedRkey() {
        return 0;
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
        return 0;
    }

    @Override
    public int pkeyIndex() {
        return 0;
    }

    @Override
    public int vendorError() {
        return status == WcStatus.SUCCESS ? 0 : VENDOR_ERROR;
    }
}
