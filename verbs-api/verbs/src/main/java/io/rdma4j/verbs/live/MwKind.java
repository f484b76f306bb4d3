/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/** A memory window. */
public final class MwKind {
    private static final LiveKind.Builder K = LiveKind.of(6, "MW");

    /** Handle. */
    public static final int PD = K.attribute("pd");
    /** Remote key. */
    public static final int RKEY = K.attribute("rkey");
    /** 1 or 2. */
    public static final int TYPE = K.attribute("type");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private MwKind() {
    }
}
