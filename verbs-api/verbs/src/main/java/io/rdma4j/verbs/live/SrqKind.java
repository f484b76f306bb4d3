/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/** A shared receive queue. Its counters are written by the thread that posts. */
public final class SrqKind {
    private static final LiveKind.Builder K = LiveKind.of(8, "SRQ");

    /** Handle. */
    public static final int PD = K.attribute("pd");
    /** Where the device sees the ring. */
    public static final int RING_IOVA = K.attribute("ring_iova");
    /** Bytes. */
    public static final int RING_LENGTH = K.attribute("ring_length");
    /** Where in the ring the WQEs begin. */
    public static final int RQ_OFFSET = K.attribute("rq_offset");
    /** How many there are. */
    public static final int MAX_WR = K.attribute("max_wr");
    /** SGEs of each. */
    public static final int MAX_SGE = K.attribute("max_sge");
    /** Below how many WQEs the device tells; 0 for never. */
    public static final int SRQ_LIMIT = K.attribute("srq_limit");
    /** Where the device sees the page directory. */
    public static final int PDIR_DMA = K.attribute("pdir_dma");

    /** Receives shown to the device, by number. */
    public static final int RQ_POSTED = K.counter("rq_posted");
    /** Doorbells. */
    public static final int RQ_DOORBELLS = K.counter("rq_doorbells");
    /** Receives refused because the queue was full. */
    public static final int RQ_FULL = K.counter("rq_full");
    /** Receives below this number were taken. */
    public static final int RQ_TAKEN = K.counter("rq_taken");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private SrqKind() {
    }
}
