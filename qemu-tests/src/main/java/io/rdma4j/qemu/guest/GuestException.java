/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

/**
 * The harness could not do what it was asked for: says what, shows the last lines of the console where there is one,
 * and what to do where that is known.
 */
public class GuestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure without a cause of its own.
     *
     * @param message what failed, what was seen, what to do.
     */
    public GuestException(final String message) {
        super(message);
    }

    /**
     * A failure with a cause.
     *
     * @param message what failed, what was seen, what to do.
     * @param cause   what was caught.
     */
    public GuestException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
