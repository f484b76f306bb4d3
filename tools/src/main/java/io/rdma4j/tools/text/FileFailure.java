/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
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
        if (cause instanceof NoSuchFileException) {
            return ofAbsent(operation, file).cause(cause);
        }
        final RdmaException.Builder failure = RdmaException.of(operation).object(file).cause(cause);
        if (cause instanceof AccessDeniedException) {
            return failure.errno(RdmaException.EACCES);
        }
        return failure.errno(RdmaException.EIO).detail("%s", reason(cause));
    }

    /**
     * Begins the failure with a file that is not there, or is to be made in a folder that is not there.
     *
     * @param operation what was tried.
     * @param file      with which file.
     * @return ENOENT, with a hint.
     */
    public static RdmaException.Builder ofAbsent(final String operation, final Path file) {
        final RdmaException.Builder failure = RdmaException.of(operation).object(file).errno(RdmaException.ENOENT);
        final Path folder = file.toAbsolutePath().getParent();
        return folder != null && !Files.isDirectory(folder)
            ? failure.detail("there is no folder '%s'", folder).hint("make it, or name another")
            : failure.detail("there is no file '%s'", file).hint("name one that is there");
    }

    /** Without names of files, of which some are temporary. */
    static String reason(final IOException cause) {
        final String reason = cause instanceof FileSystemException ? ((FileSystemException) cause).getReason() : null;
        return reason != null ? reason : cause.getMessage();
    }
}
