/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * One work completion, as {@code struct ibv_wc}. A flyweight over the queue's memory: valid only during the call of
 * {@link CompletionHandler#onCompletion}, on that thread. Where {@link #status()} is not SUCCESS only wrId, status,
 * opcode, queuePair, qpNumber and vendorError mean something.
 */
public interface Completion {
    /**
     * What the work request carried.
     *
     * @return the wrId.
     */
    long wrId();

    /**
     * How it ended.
     *
     * @return the status; {@link WcStatus#GENERAL_ERR} for a number that the device made up.
     */
    WcStatus status();

    /**
     * What ended.
     *
     * @return the operation.
     */
    WcOpcode opcode();

    /**
     * Bytes received, or moved by a READ or an atomic. For UD this includes the 40 bytes of the GRH. Never more than
     * was posted: a receive of which the device claims more has {@link WcStatus#LOC_LEN_ERR}. For a receive from an
     * SRQ that means the largest one ever posted to it; and a write with immediate data ({@link
     * WcOpcode#RECV_RDMA_WITH_IMM}) went elsewhere, so its length is only what the device says.
     *
     * @return bytes, 0 or more; 0 if the status is an error.
     */
    int byteLength();

    /**
     * Whether the message carried immediate data.
     *
     * @return true if {@link #immData()} means something.
     */
    boolean hasImmData();

    /**
     * Immediate data, as the sender gave it.
     *
     * @return 32 bits.
     */
    int immData();

    /**
     * Whether the message invalidated a key of this side's ({@link SendOpcode#SEND_WITH_INV}).
     *
     * @return true if {@link #invalidatedRkey()} means something.
     */
    boolean isInvalidated();

    /**
     * The key that is not valid any more, of a window or a fast region.
     *
     * @return 32 bits.
     */
    int invalidatedRkey();

    /**
     * Whether the buffer begins with a global route header (UD).
     *
     * @return true if so.
     */
    boolean hasGrh();

    /**
     * The QP that the work request was posted to, or that took it from its SRQ.
     *
     * @return the QP.
     */
    QueuePair queuePair();

    /**
     * Number of that QP.
     *
     * @return 24 bits.
     */
    int qpNumber();

    /**
     * QP that sent the datagram (UD).
     *
     * @return 24 bits.
     */
    int sourceQp();

    /**
     * Partition key index.
     *
     * @return an index.
     */
    int pkeyIndex();

    /**
     * The device's own error number.
     *
     * @return 0 unless the status is an error.
     */
    int vendorError();
}
