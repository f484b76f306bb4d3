/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.cmd.CreateQpRequest.*;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;

/**
 * What a queue pair shall be. Its memory is one page directory: a state page, the pages of the send queue, and unless
 * it takes from an SRQ those of the receive queue; how many follows from counts and SGEs. Not thread-safe.
 */
public final class CreateQp {
    private int type = QpType.PVRDMA_QPT_RC;
    private long pdirDma;
    private int pd;
    private int sendCq;
    private int recvCq;
    private int srq;
    private boolean usesSrq;
    private int maxSendWr = 1;
    private int maxRecvWr = 1;
    private int maxSendSge = 1;
    private int maxRecvSge = 1;
    private boolean signalAll;

    /** Begins with an RC queue pair of one send and one receive of one SGE each. */
    public CreateQp() {
        // The fields say it.
    }

    /**
     * Sets the type.
     *
     * @param qpType {@link QpType#PVRDMA_QPT_RC} or {@link QpType#PVRDMA_QPT_UD}.
     * @return this.
     */
    public CreateQp type(final int qpType) {
        this.type = qpType;
        return this;
    }

    /**
     * Sets the memory.
     *
     * @param dma bus address of the page directory of {@link #totalPages()} zeroed pages.
     * @return this.
     */
    public CreateQp pdirDma(final long dma) {
        this.pdirDma = dma;
        return this;
    }

    /**
     * Sets the protection domain.
     *
     * @param handle from {@link PvrdmaCommands#createPd()}.
     * @return this.
     */
    public CreateQp pd(final int handle) {
        this.pd = handle;
        return this;
    }

    /**
     * Sets the completion queues.
     *
     * @param send handle of that for sends.
     * @param recv handle of that for receives; may be the same.
     * @return this.
     */
    public CreateQp cqs(final int send, final int recv) {
        this.sendCq = send;
        this.recvCq = recv;
        return this;
    }

    /**
     * Makes the queue pair take its receives from an SRQ; it then has no receive queue.
     *
     * @param handle from {@link PvrdmaCommands#createSrq}.
     * @return this.
     */
    public CreateQp srq(final int handle) {
        this.srq = handle;
        this.usesSrq = true;
        return this;
    }

    /**
     * Sets the size of the send queue.
     *
     * @param wrs  entries, a power of two.
     * @param sges SGEs of each.
     * @return this.
     */
    public CreateQp send(final int wrs, final int sges) {
        this.maxSendWr = wrs;
        this.maxSendSge = sges;
        return this;
    }

    /**
     * Sets the size of the receive queue; without effect with an SRQ.
     *
     * @param wrs  entries, a power of two.
     * @param sges SGEs of each.
     * @return this.
     */
    public CreateQp recv(final int wrs, final int sges) {
        this.maxRecvWr = wrs;
        this.maxRecvSge = sges;
        return this;
    }

    /**
     * Sets whether every send completes, whatever its flags say.
     *
     * @param all true for every send.
     * @return this.
     */
    public CreateQp signalAll(final boolean all) {
        this.signalAll = all;
        return this;
    }

    /**
     * Pages of the send queue, without the state page.
     *
     * @return {@code send_chunks}.
     */
    public int sendPages() {
        return RingGeometry.sqPages(maxSendWr, maxSendSge);
    }

    /**
     * Pages of all: state page, send queue, receive queue.
     *
     * @return {@code total_chunks}.
     */
    public int totalPages() {
        return RingGeometry.qpPages(sendPages(), usesSrq ? 0 : RingGeometry.rqPages(maxRecvWr, maxRecvSge));
    }

    boolean usesSrq() {
        return usesSrq;
    }

    int srq() {
        return srq;
    }

    int pd() {
        return pd;
    }

    int sendCq() {
        return sendCq;
    }

    int recvCq() {
        return recvCq;
    }

    /** The device computes ring sizes from these numbers and does not check them. */
    void validate(final DeviceLimits limits) {
        if (type != QpType.PVRDMA_QPT_RC && type != QpType.PVRDMA_QPT_UD) {
            throw invalid("type", type, "RC (2) or UD (4)").errno(RdmaException.EOPNOTSUPP).build();
        }
        requireSge("max_send_sge", maxSendSge, limits);
        requireWrs("max_send_wr", maxSendWr, limits.maxSendWr(maxSendSge));
        if (!usesSrq) {
            requireSge("max_recv_sge", maxRecvSge, limits);
            requireWrs("max_recv_wr", maxRecvWr, limits.maxRecvWr(maxRecvSge));
        }
        if (pdirDma == 0) {
            throw invalid("pdir_dma", 0, "a page directory").build();
        }
    }

    private static void requireSge(final String name, final int sges, final DeviceLimits limits) {
        if (sges < 1 || sges > limits.maxSge()) {
            throw invalid(name, sges, "1 to " + limits.maxSge()).build();
        }
    }

    private static void requireWrs(final String name, final int wrs, final int limit) {
        if (wrs < 1 || wrs > limit || Integer.bitCount(wrs) != 1) {
            throw invalid(name, wrs, "a power of two up to " + limit).build();
        }
    }

    private static RdmaException.Builder invalid(final String name, final int value, final String allowed) {
        return RdmaException.of("create QP")
            .detail("%s is %d, allowed: %s", name, value, allowed)
            .errno(RdmaException.EINVAL);
    }

    void fill(final CreateQpRequest request) {
        request.set(PDIR_DMA, pdirDma).set(PD_HANDLE, pd).set(SEND_CQ_HANDLE, sendCq).set(RECV_CQ_HANDLE, recvCq)
            .set(SRQ_HANDLE, srq).set(IS_SRQ, usesSrq ? 1 : 0).set(MAX_SEND_WR, maxSendWr).set(MAX_SEND_SGE, maxSendSge)
            .set(MAX_RECV_WR, usesSrq ? 0 : maxRecvWr).set(MAX_RECV_SGE, usesSrq ? 0 : maxRecvSge)
            .set(ACCESS_FLAGS, 1).set(TOTAL_CHUNKS, totalPages()).set(SEND_CHUNKS, sendPages())
            .set(SQ_SIG_ALL, signalAll ? 1 : 0).set(QP_TYPE, type);
    }

    @Override
    public String toString() {
        return String.format("CreateQp[%s pd=%d cqs=%d,%d%s send=%dx%d recv=%dx%d]", QpType.NAMES.of(type), pd, sendCq,
            recvCq, usesSrq ? " srq=" + srq : "", maxSendWr, maxSendSge, maxRecvWr, maxRecvSge);
    }
}
