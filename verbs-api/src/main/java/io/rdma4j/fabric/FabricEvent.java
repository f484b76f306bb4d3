/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Kinds of events (fi_eq). */
public enum FabricEvent {
    /** An asynchronous registration ended (FI_MR_COMPLETE). */
    MR_COMPLETE
}
