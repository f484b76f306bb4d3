/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/** A memory region. */
public final class MrKind {
    private static final LiveKind.Builder K = LiveKind.of(5, "MR");

    /** Handle. */
    public static final int PD = K.attribute("pd");
    /** Local key. */
    public static final int LKEY = K.attribute("lkey");
    /** Remote key. */
    public static final int RKEY = K.attribute("rkey");
    /** {@code enum ibv_access_flags}. */
    public static final int ACCESS = K.attribute("access");
    /** Where the device sees the first byte. */
    public static final int IOVA = K.attribute("iova");
    /** Bytes. */
    public static final int LENGTH = K.attribute("length");
    /** Where the process sees the first byte; that of the first page only where the pages are a list. */
    public static final int ADDRESS = K.attribute("address");
    /** Where the device sees the page directory. */
    public static final int PDIR_DMA = K.attribute("pdir_dma");
    /** How many the page directory has. */
    public static final int PAGES = K.attribute("pages");
    /** Bits: {@link #ON_DEMAND}, {@link #PAGE_LIST}, {@link #CACHED}, {@link #FAST}. */
    public static final int FLAGS = K.attribute("flags");

    /** Flag: pages are there on demand. */
    public static final long ON_DEMAND = 1;
    /** Flag: the pages are a list and need not follow each other in the process. */
    public static final long PAGE_LIST = 2;
    /** Flag: a cache above the verbs keeps it. */
    public static final long CACHED = 4;
    /** Flag: a region for fast registration; what it covers is what the last one did. */
    public static final long FAST = 8;

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private MrKind() {
    }
}
