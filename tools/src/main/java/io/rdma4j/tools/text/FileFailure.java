/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What a file could not be read or written for, with the errno that is behind it. */
public final class FileFailure {
    private FileFailure() {
    }

    /**
     * Begins the failure.
     *
     * @param operation what was tried.
     * @param file      with which file.
     * @param cause     what came of it.
     * @return ENOENT, EACCES or EIO.
     */
    public static RdmaException.Builder of(final String operation, final Path file, final IOException cause) {
        final RdmaException.Builder failure = RdmaException.of(operation).object(file).cause(cause);
        if (cause instanceof NoSuchFileException) {
            return failure.errno(RdmaException.ENOENT);
        }
        if (cause instanceof AccessDeniedException) {
            return failure.errno(RdmaException.EACCES);
        }
        return failure.errno(RdmaException.EIO).detail("%s", cause.getMessage());
    }
}
