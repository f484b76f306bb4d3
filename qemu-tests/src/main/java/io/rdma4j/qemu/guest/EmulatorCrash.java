/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

/** QEMU ended by a fault of its own, whatever the guest did. */
public final class EmulatorCrash extends GuestException {
    private static final long serialVersionUID = 1L;

    private final boolean alone;

    /**
     * A crash.
     *
     * @param message when it was, and what was seen last.
     * @param alone   whether nothing had failed until then.
     */
    EmulatorCrash(final String message, final boolean alone) {
        super(message);
        this.alone = alone;
    }

    /** Whether nothing else had failed until then. */
    boolean isAlone() {
        return alone;
    }
}
