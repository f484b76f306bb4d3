/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Attributes of a QP; the bits are those of {@code enum ibv_qp_attr_mask}. */
public enum QpAttribute {
    /** The state to go to. */
    STATE(1),
    /** The state that the QP is assumed to be in. */
    CUR_STATE(2),
    /** Tell by an event when the send queue is drained. */
    EN_SQD_ASYNC_NOTIFY(4),
    /** What peers may do. */
    ACCESS_FLAGS(8),
    /** Index of the partition key. */
    PKEY_INDEX(0x10),
    /** The port. */
    PORT(0x20),
    /** Queue key (UD). */
    QKEY(0x40),
    /** The way to the peer. */
    AV(0x80),
    /** Payload of a packet. */
    PATH_MTU(0x100),
    /** How long to wait for an acknowledgement. */
    TIMEOUT(0x200),
    /** How often to try again. */
    RETRY_CNT(0x400),
    /** How often to try again when the peer has no receive posted. */
    RNR_RETRY(0x800),
    /** First packet sequence number of the peer. */
    RQ_PSN(0x1000),
    /** READs and atomics under way that this side may begin. */
    MAX_QP_RD_ATOMIC(0x2000),
    /** The other way to the peer. */
    ALT_PATH(0x4000),
    /** How long a peer waits when no receive is posted here. */
    MIN_RNR_TIMER(0x8000),
    /** First own packet sequence number. */
    SQ_PSN(0x10000),
    /** READs and atomics under way that this side accepts. */
    MAX_DEST_RD_ATOMIC(0x20000),
    /** Migration state. */
    PATH_MIG_STATE(0x40000),
    /** Sizes of the queues. */
    CAP(0x80000),
    /** Number of the peer's QP. */
    DEST_QPN(0x100000);

    private final int bit;

    QpAttribute(final int bit) {
        this.bit = bit;
    }

    /**
     * The bit in an attribute mask.
     *
     * @return a power of two.
     */
    public int bit() {
        return bit;
    }
}
