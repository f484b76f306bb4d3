/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.live;

import io.rdma4j.base.LiveKind;
import io.rdma4j.hw.pvrdma.GidType;

/** An entry of the GID table; its handle is the index. */
public final class GidKind {
    private static final LiveKind.Builder K = LiveKind.of(3, "GID");

    /** The first eight bytes. */
    public static final int GID_HIGH = K.attribute("gid_high");
    /** The last eight bytes. */
    public static final int GID_LOW = K.attribute("gid_low");
    /** {@link GidType}. */
    public static final int TYPE = K.attribute("type");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private GidKind() {
    }
}
