/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** An order in time: a number that grows. Alone in its cache line, as each release of a last use writes it. */
final class Ticks {
    private static final VarHandle NOW = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int MIDDLE = 16;

    private final long[] now = new long[2 * MIDDLE];

    long next() {
        return (long) NOW.getAndAdd(now, MIDDLE, 1L) + 1;
    }
}
