/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.live;

import io.rdma4j.base.LiveKind;

/** An event ring: handle 0 is that of asynchronous events, 1 that of completion notices. */
public final class EventRingKind {
    private static final LiveKind.Builder K = LiveKind.of(2, "EVENT_RING");

    /** Where the device sees it. */
    public static final int IOVA = K.attribute("iova");
    /** State page included. */
    public static final int NUM_PAGES = K.attribute("num_pages");
    /** Bytes. */
    public static final int ELEMENT_LENGTH = K.attribute("element_length");
    /** Where the device sees the page directory. */
    public static final int PDIR_DMA = K.attribute("pdir_dma");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private EventRingKind() {
    }
}
