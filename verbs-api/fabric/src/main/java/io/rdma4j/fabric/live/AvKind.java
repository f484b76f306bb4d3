/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.live;

import io.rdma4j.base.LiveKind;

/** An address vector. */
public final class AvKind {
    private static final LiveKind.Builder K = LiveKind.of(12, "AV");

    /** {@code enum fi_av_type} (rdma/fi_domain.h). */
    public static final int TYPE = K.attribute("type");
    /** Bits: 1 asynchronous, 2 for reading only, 4 symmetric. */
    public static final int FLAGS = K.attribute("flags");

    /** Addresses that are there; in a vector that processes share, at the last change of this one. */
    public static final int ADDRESSES = K.counter("addresses");
    /** By this process. */
    public static final int INSERTED = K.counter("inserted");
    /** By this process. */
    public static final int REMOVED = K.counter("removed");
    /** Addresses that could not be inserted. */
    public static final int FAILED = K.counter("failed");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private AvKind() {
    }
}
