/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/**
 * That a command was refused, in the log of errors: the same for all objects, so that a loop that is refused a thousand
 * times is one entry, and told apart by who asked.
 */
final class CommandRefused extends RuntimeException {
    private static final long serialVersionUID = 1;

    CommandRefused(final String command, final int err, final int headerErr, final Throwable thrown) {
        super(String.format("%s refused: ERR 0x%x, response err %d", command, err, headerErr), null, false, true);
        setStackTrace(thrown.getStackTrace());
    }
}
