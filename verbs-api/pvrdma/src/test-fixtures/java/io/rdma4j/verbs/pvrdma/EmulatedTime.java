/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;

/** The clock of emulated devices, for tests of other packages. */
public final class EmulatedTime {
    /** Longer than any connection of ours waits for one answer, half a second; shorter than all its tries. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private EmulatedTime() {
    }

    /** As if a peer had not answered for the time of one try more. */
    public static void pass(final RdmaContext context) {
        ((EmulatedDevice) ((PvrdmaContext) context).device.pci()).faults().passTime(STEP);
    }
}
