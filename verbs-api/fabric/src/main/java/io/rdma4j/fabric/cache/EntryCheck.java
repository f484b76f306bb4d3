/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

/** Asked before an entry is taken that nothing but a monitor keeps true: memory with an owner needs no question. */
@FunctionalInterface
interface EntryCheck {
    /** It was asked before, and may not be asked now, as a lock is held. */
    EntryCheck ASKED = () -> true;
    /** There is no monitor. */
    EntryCheck SHUT = () -> false;

    /** Whether all changes that have happened were told. */
    boolean isQuiet();
}
