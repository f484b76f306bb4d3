/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/** A protection domain. */
public final class PdKind {
    /** Without attributes and counters. */
    public static final LiveKind KIND = LiveKind.of(4, "PD").build();

    private PdKind() {
    }
}
