/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * The doorbells of a UAR page ({@code PVRDMA_UAR_*}): 32-bit little-endian words that are only ever written.
 *
 * <pre>
 *   bit    31   30   29  28    24 23                              0
 *         +----+----+----+-------+---------------------------------+
 *    +0   |RECV|SEND|    |       |           QP handle             |
 *         +----+----+----+-------+---------------------------------+
 *    +4   |POLL|ARM |SOL |       |           CQ handle             |
 *         +----+----+----+-------+---------------------------------+
 *    +8   |    |RECV|    |       |           SRQ handle            |
 *         +----+----+----+-------+---------------------------------+
 * </pre>
 *
 * <p>A doorbell is rung once for a posted list, after the producer index was released.
 */
public final class Uar {
    /** Offset of the doorbell of queue pairs. */
    public static final int QP_OFFSET = 0;
    /** Offset of the doorbell of completion queues. */
    public static final int CQ_OFFSET = 4;
    /** Offset of the doorbell of shared receive queues. */
    public static final int SRQ_OFFSET = 8;
    /** The bits of the handle. */
    public static final int HANDLE_MASK = 0xff_ffff;
    /** To {@link #QP_OFFSET}: there are sends. */
    public static final int QP_SEND = 1 << 30;
    /** To {@link #QP_OFFSET}: there are receives. */
    public static final int QP_RECV = 1 << 31;
    /** To {@link #CQ_OFFSET}: notify of the next solicited completion. */
    public static final int CQ_ARM_SOL = 1 << 29;
    /** To {@link #CQ_OFFSET}: notify of the next completion. */
    public static final int CQ_ARM = 1 << 30;
    /** To {@link #CQ_OFFSET}: bring in what has completed. */
    public static final int CQ_POLL = 1 << 31;
    /** To {@link #SRQ_OFFSET}: there are receives. */
    public static final int SRQ_RECV = 1 << 30;

    private Uar() {
    }

    /**
     * {@return the word that tells the device that there are sends}
     *
     * @param handle of which the low 24 bits count
     */
    public static int qpSend(int handle) {
        return handle & HANDLE_MASK | QP_SEND;
    }

    /**
     * {@return the word that tells the device that there are receives}
     *
     * @param handle of which the low 24 bits count
     */
    public static int qpRecv(int handle) {
        return handle & HANDLE_MASK | QP_RECV;
    }

    /**
     * {@return the word that tells the device to notify of the next completion}
     *
     * @param handle of which the low 24 bits count
     */
    public static int cqArm(int handle) {
        return handle & HANDLE_MASK | CQ_ARM;
    }

    /**
     * {@return the word that tells the device to notify of the next solicited completion}
     *
     * @param handle of which the low 24 bits count
     */
    public static int cqArmSol(int handle) {
        return handle & HANDLE_MASK | CQ_ARM_SOL;
    }

    /**
     * {@return the word that tells the device to bring in completions}
     *
     * @param handle of which the low 24 bits count
     */
    public static int cqPoll(int handle) {
        return handle & HANDLE_MASK | CQ_POLL;
    }

    /**
     * {@return the word that tells the device that an SRQ has receives}
     *
     * @param handle of which the low 24 bits count
     */
    public static int srqRecv(int handle) {
        return handle & HANDLE_MASK | SRQ_RECV;
    }

    /**
     * {@return the handle in a word}
     *
     * @param word as written to a doorbell
     */
    public static int handle(int word) {
        return word & HANDLE_MASK;
    }
}
