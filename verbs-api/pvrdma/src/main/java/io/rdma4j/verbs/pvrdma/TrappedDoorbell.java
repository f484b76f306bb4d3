/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.queues.Doorbell;

import java.util.function.Consumer;

/**
 * Doorbells of a window that cannot be mapped: each is a call into what carries the device. That may fail; but posting
 * throws nothing, so whoever posts learns of it from the next request.
 */
final class TrappedDoorbell implements Doorbell {
    private final Bar uar;
    private final Consumer<String> failed;

    TrappedDoorbell(final Bar uar, final Consumer<String> failed) {
        this.uar = uar;
        this.failed = failed;
    }

    @Override
    public void ring(final int uarOffset, final int word) {
        try {
            uar.writeInt(uarOffset, word);
        } catch (final RdmaException e) {
            failed.accept("a doorbell could not be rung: " + e.getMessage());
        }
    }
}
