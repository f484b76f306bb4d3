/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A mapped file that somebody cuts off: a load from it is a signal then. */
public final class CutOffFile implements AutoCloseable {
    private final Path path;
    private final MappedByteBuffer bytes;

    /**
     * Makes and maps a file.
     *
     * @param length its bytes.
     */
    public CutOffFile(final int length) {
        try {
            path = Files.createTempFile("rdma4j-cut-off", null);
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The mapping.
     *
     * @return all bytes; gone after {@link #cutOff}.
     */
    public MappedByteBuffer bytes() {
        return bytes;
    }

    /** Leaves the file without a byte. */
    public void cutOff() {
        setLength(0);
    }

    /** Gives it zeros for what was cut off. */
    public void growAgain() {
        setLength(bytes.capacity());
    }

    private void setLength(final int length) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
