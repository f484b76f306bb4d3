/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

/** States of a region. */
enum RegionState {
    /** It is being registered asynchronously. */
    PENDING,
    /** It waits to be enabled or for its pages. */
    DISABLED,
    /** It can be used. */
    ENABLED,
    /** It could not be registered. */
    FAILED,
    /** The end. */
    CLOSED
}
