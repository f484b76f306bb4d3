/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.util.concurrent.atomic.LongAdder;

/** What is counted off the hit path; hits are counted by the entries themselves. */
final class Counters {
    final LongAdder misses = new LongAdder();
    final LongAdder uncached = new LongAdder();
    final LongAdder evictions = new LongAdder();
    final LongAdder replacements = new LongAdder();
    final LongAdder invalidations = new LongAdder();
    final LongAdder notifications = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder monitorFailures = new LongAdder();
    final LongAdder closeFailures = new LongAdder();
}
