/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/** Failures of shared vectors. */
final class Troubles {
    static final String OPEN = "open shared address vector";
    static final String CHANGE = "change shared address vector";
    static final String CLOSE = "close shared address vector";
    static final String LOOK = "look at shared address vectors";

    private Troubles() {
    }

    /** Of opening one. */
    static FabricException of(final int errno, final String hint, final String format, final Object... values) {
        return of(OPEN, errno, hint, format, values);
    }

    static FabricException of(
        final String operation, final int errno, final String hint, final String format, final Object... values) {
        return FabricException.of(operation).detail(format, values).errno(errno).hint(hint).build();
    }

    /** Of opening one. */
    static FabricException damaged(final Path path, final String format, final Object... values) {
        return damaged(OPEN, path, format, values);
    }

    static FabricException damaged(
        final String operation, final Path path, final String format, final Object... values) {
        return of(operation, FiErrno.FI_EIO, "if no process uses it, remove the file", "%s is damaged: %s", path,
            String.format(Locale.ROOT, format, values));
    }

    static FabricException of(final String operation, final Path path, final IOException cause) {
        return FabricException.of(operation).detail("%s: %s", path, StateFolder.why(cause))
            .errno(errno(cause)).hint(SharedFolder.WHERE).cause(cause).build();
    }

    static int errno(final IOException cause) {
        if (cause instanceof AccessDeniedException) {
            return FiErrno.FI_EACCES;
        }
        if (cause instanceof NoSuchFileException) {
            return FiErrno.FI_ENOENT;
        }
        if (cause instanceof ClosedByInterruptException) {
            return FiErrno.FI_EINTR;
        }
        final String text = String.valueOf(cause.getMessage());
        return text.contains("No space") ? FiErrno.FI_ENOMEM : FiErrno.FI_EIO;
    }
}
