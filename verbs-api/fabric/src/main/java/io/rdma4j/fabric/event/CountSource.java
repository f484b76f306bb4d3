/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

/** Something that counts by itself, and is part of counters. */
@FunctionalInterface
public interface CountSource {
    /**
     * What it counted so far. A load with acquire: what was counted is seen by who reads the count.
     *
     * @return unsigned.
     */
    long count();
}
