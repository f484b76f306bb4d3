/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/** A completion queue. Its counters are written by the thread that polls. */
public final class CqKind {
    /** How many statuses are counted; all higher ones are counted with the last. */
    public static final int STATUSES = 24;
    private static final LiveKind.Builder K = LiveKind.of(7, "CQ");

    /** Where the device sees the ring. */
    public static final int RING_IOVA = K.attribute("ring_iova");
    /** Bytes. */
    public static final int RING_LENGTH = K.attribute("ring_length");
    /** Where in the ring the CQEs begin. */
    public static final int CQES_OFFSET = K.attribute("cqes_offset");
    /** How many there are. */
    public static final int CQE = K.attribute("cqe");
    /** Where the device sees the page directory. */
    public static final int PDIR_DMA = K.attribute("pdir_dma");

    /** All polls. */
    public static final int POLLS = K.counter("polls");
    /** Polls that found nothing. */
    public static final int EMPTY_POLLS = K.counter("empty_polls");
    /** Completions handed over. */
    public static final int COMPLETIONS = K.counter("completions");
    /** Bytes of completed sends. */
    public static final int BYTES_SENT = K.counter("bytes_sent");
    /** Bytes of completed receives. */
    public static final int BYTES_RECEIVED = K.counter("bytes_received");
    /** Times that it was armed. */
    public static final int ARMS = K.counter("arms");
    /** Completions that made no sense. */
    public static final int DROPPED = K.counter("dropped");
    /** Completions of status 0; that of status {@code n}, {@code enum ibv_wc_status}, is {@code n} places behind. */
    public static final int STATUS = K.counters(8, "status_", STATUSES);

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private CqKind() {
    }
}
