/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import org.agrona.BufferUtil;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Addresses whose pages come and go: those of a mapped file, which has pages as far as it is long. Nobody may touch
 * the memory while there are none: read what is there through {@link #text}.
 */
final class FileMemory implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Path path;
    private final FileChannel file;
    private final MappedByteBuffer mapped;
    private final int length;

    /** Addresses without pages. */
    FileMemory(final int length) throws IOException {
        this.length = length;
        path = Files.isWritable(MEMORY) ? Files.createTempFile(MEMORY, "rdma4j-", ".example")
            : Files.createTempFile("rdma4j-", ".example");
        file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, length);
        removePages();
    }

    long address() {
        return BufferUtil.address(mapped);
    }

    /** New pages, all zero. */
    void addPages() throws IOException {
        file.write(ByteBuffer.allocate(1), length - 1L);
    }

    void removePages() throws IOException {
        file.truncate(0);
    }

    /** What the file has at its beginning: read from the file, so that no page has to be there. */
    String text(final int count) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(count);
        file.read(bytes, 0);
        return '"' + new String(bytes.array(), StandardCharsets.US_ASCII).replace('\0', '.') + '"';
    }

    @Override
    public void close() throws IOException {
        BufferUtil.free(mapped);
        file.close();
        Files.delete(path);
    }
}
