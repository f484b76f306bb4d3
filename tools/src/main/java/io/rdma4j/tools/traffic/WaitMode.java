/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What an end does while its next message is under way. */
public enum WaitMode {
    /** Polls without pause. */
    SPIN,
    /** Polls a few times, then lets other threads run between polls. */
    YIELD,
    /** Sleeps until the device interrupts. */
    BLOCK
}
