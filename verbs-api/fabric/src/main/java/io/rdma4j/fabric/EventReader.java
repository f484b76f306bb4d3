/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Told of events by {@link EventQueue#read}. */
@FunctionalInterface
public interface EventReader {
    /**
     * One event.
     *
     * @param entry immutable.
     */
    void onEvent(EventEntry entry);
}
