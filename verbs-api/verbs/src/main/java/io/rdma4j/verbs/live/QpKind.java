/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/**
 * A queue pair. Each writer of counters has a cache line: who posts sends, who posts receives, who polls for sends, and
 * who polls for receives. The posted and retired ones are sequence numbers of the queues, whose slots are their low
 * bits: where a reset begins a new lap, it leaves numbers out that no request has.
 */
public final class QpKind {
    private static final LiveKind.Builder K = LiveKind.of(9, "QP");

    /** QP number. */
    public static final int QPN = K.attribute("qpn");
    /** {@code enum ibv_qp_type}, which is pvrdma's too. */
    public static final int TYPE = K.attribute("type");
    /** {@code enum ibv_qp_state}, as the driver knows it. */
    public static final int STATE = K.attribute("state");
    /** Handle. */
    public static final int PD = K.attribute("pd");
    /** Handle. */
    public static final int SEND_CQ = K.attribute("send_cq");
    /** Handle. */
    public static final int RECV_CQ = K.attribute("recv_cq");
    /** Handle, or -1. */
    public static final int SRQ = K.attribute("srq");
    /** Where the device sees the rings; 0 where they are the library's and nobody knows. */
    public static final int RING_IOVA = K.attribute("ring_iova");
    /** Bytes. */
    public static final int RING_LENGTH = K.attribute("ring_length");
    /** Where in the rings the send WQEs begin. */
    public static final int SQ_OFFSET = K.attribute("sq_offset");
    /** How many there are. */
    public static final int SQ_MAX_WR = K.attribute("sq_max_wr");
    /** SGEs of each. */
    public static final int SQ_MAX_SGE = K.attribute("sq_max_sge");
    /** Where in the rings the receive WQEs begin. */
    public static final int RQ_OFFSET = K.attribute("rq_offset");
    /** How many there are. */
    public static final int RQ_MAX_WR = K.attribute("rq_max_wr");
    /** SGEs of each. */
    public static final int RQ_MAX_SGE = K.attribute("rq_max_sge");
    /** QP number of the peer. */
    public static final int DEST_QPN = K.attribute("dest_qpn");
    /** Where the device sees the page directory. */
    public static final int PDIR_DMA = K.attribute("pdir_dma");
    /** {@code enum ibv_mtu}, or 0. */
    public static final int PATH_MTU = K.attribute("path_mtu");
    /** Q_Key. */
    public static final int QKEY = K.attribute("qkey");
    /** First PSN of sends. */
    public static final int SQ_PSN = K.attribute("sq_psn");
    /** First PSN of receives. */
    public static final int RQ_PSN = K.attribute("rq_psn");
    /** Local key of the memory to which payloads are copied when they are posted, or -1. */
    public static final int INLINE_LKEY = K.attribute("inline_lkey");

    /** Sends shown to the device, by number. */
    public static final int SQ_POSTED = K.counter("sq_posted");
    /** Doorbells of the send queue. */
    public static final int SQ_DOORBELLS = K.counter("sq_doorbells");
    /** Sends refused because the queue was full. */
    public static final int SQ_FULL = K.counter("sq_full");
    /** Receives shown to the device, by number. */
    public static final int RQ_POSTED = K.counter(8, "rq_posted");
    /** Doorbells of the receive queue. */
    public static final int RQ_DOORBELLS = K.counter("rq_doorbells");
    /** Receives refused because the queue was full. */
    public static final int RQ_FULL = K.counter("rq_full");
    /** Sends below this number are completed. */
    public static final int SQ_RETIRED = K.counter(16, "sq_retired");
    /** Numbers below {@link #SQ_POSTED} that no send had. */
    public static final int SQ_SKIPPED = K.counter("sq_skipped");
    /** Receives below this number are completed. */
    public static final int RQ_RETIRED = K.counter(24, "rq_retired");
    /** Numbers below {@link #RQ_POSTED} that no receive had. */
    public static final int RQ_SKIPPED = K.counter("rq_skipped");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private QpKind() {
    }
}
