/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

/**
 * An owner of registered memory that wants to know when its region is closed, to release what it holds. Given as the
 * owner to {@link io.rdma4j.verbs.ProtectionDomain#register(long, long, Object, io.rdma4j.verbs.AccessFlag...)}.
 */
public interface RegionOwner {
    /** The device does not reach the memory any more. Called once, by the thread that closes the region. */
    void regionClosed();
}
