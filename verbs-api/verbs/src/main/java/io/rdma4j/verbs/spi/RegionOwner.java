/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

/**
 * An owner of registered memory that keeps it mapped and accessible until its region is closed, and wants to know when
 * that is, to release what it holds. A device in software relies on it, and does not look again. Given as the
 * owner to {@link io.rdma4j.verbs.ProtectionDomain#register(long, long, Object, io.rdma4j.verbs.AccessFlag...)}.
 */
public interface RegionOwner {
    /**
     * The device does not reach the memory any more. Called once, by the thread that closes the region, or the last of
     * those that share its memory, or changes it so that it has another owner; not if it changes and keeps this one.
     */
    void regionClosed();
}
