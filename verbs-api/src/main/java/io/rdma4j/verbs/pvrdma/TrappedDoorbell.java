/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.pci.Bar;
import io.rdma4j.queues.Doorbell;

/** Doorbells of a window that cannot be mapped: each is a call into what carries the device. */
final class TrappedDoorbell implements Doorbell {
    private final Bar uar;

    TrappedDoorbell(final Bar uar) {
        this.uar = uar;
    }

    @Override
    public void ring(final int uarOffset, final int word) {
        uar.writeInt(uarOffset, word);
    }
}
