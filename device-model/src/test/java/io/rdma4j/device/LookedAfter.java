/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.device.common.InterruptOutput;

/** The interrupts of a device that a test looks after, as a thread of a guest's machine would. */
class LookedAfter implements InterruptOutput {
    /** Whether the device has something to do. */
    boolean wanted;

    @Override
    public void message(int vector) {
        // Nobody waits.
    }

    @Override
    public void line() {
        // There are messages.
    }

    @Override
    public void attention() {
        wanted = true;
    }

    @Override
    public boolean isLookedAfter() {
        return true;
    }
}
