/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/** What regions and queues must have in common to work together. */
final class ProtectionDomain {
    private final int handle;
    private final int context;
    private int users;

    ProtectionDomain(int handle, int context) {
        this.handle = handle;
        this.context = context;
    }

    int handle() {
        return handle;
    }

    /** Handle of the user context whose doorbell page its queues may use; 0 is the driver's. */
    int context() {
        return context;
    }

    void use() {
        users++;
    }

    void letGo() {
        users--;
    }

    boolean isUsed() {
        return users > 0;
    }
}
