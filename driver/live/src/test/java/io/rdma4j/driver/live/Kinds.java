/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import java.util.List;

/** Kinds as owners of objects define them. */
final class Kinds {
    private static final LiveKind.Builder K = LiveKind.of(3, "COUNTED");
    static final int SIZE = K.attribute("size");
    static final int IOVA = K.attribute("iova");
    static final int POLLS = K.counter("polls");

    /** Only there. */
    static final LiveKind PLAIN = LiveKind.of(1, "PLAIN").build();
    static final LiveKind NOT_COUNTED = of(2, "NOT_COUNTED", 3, 0);
    static final LiveKind COUNTED = K.build();
    /** As large as an object can be. */
    static final LiveKind FULL = of(255, "FULL", LiveKind.MAX_ATTRIBUTES, LiveKind.MAX_COUNTERS);
    static final List<LiveKind> ALL = List.of(PLAIN, NOT_COUNTED, COUNTED, FULL);

    private Kinds() {
    }

    static LiveKind of(final int code, final String name, final int attributes, final int counters) {
        final LiveKind.Builder kind = LiveKind.of(code, name);
        for (int i = 0; i < attributes; i++) {
            kind.attribute("attribute_" + i);
        }
        kind.counters(0, "counter_", counters);
        return kind.build();
    }
}
