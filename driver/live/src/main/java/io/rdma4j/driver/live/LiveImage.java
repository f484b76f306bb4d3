/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.driver.state.HeldFile;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

import org.agrona.concurrent.UnsafeBuffer;

/** Bytes that somebody else may be writing to, or cut off. Read by copying: a mapping of them could crash. */
interface LiveImage extends AutoCloseable {
    /**
     * Copies bytes.
     *
     * @return null if there are not so many there.
     */
    byte[] bytes(long at, int length);

    long length();

    /** The user who wrote it. */
    long owner();

    @Override
    void close();

    /**
     * What a file of the folder is, or leads to. It leads nowhere if its process has ended or closed the device, is of
     * another container, or is not of the user who wrote it: then the file is all there is.
     */
    static LiveImage of(final Path path) throws IOException {
        final LiveImage file = OfFile.open(path);
        LiveImage found = null;
        try {
            found = PublishedMemory.behind(file);
            return found;
        } finally {
            if (found != file) {
                file.close();
            }
        }
    }

    /** A file. Not a channel, which an interrupt would close. */
    final class OfFile implements LiveImage {
        private final RandomAccessFile file;
        private final long owner;

        /** A file that may be closed afterwards. Others than plain files, such as a pipe, may have no end. */
        OfFile(final HeldFile held, final Object name) throws IOException {
            if (!held.isRegular()) {
                throw new IOException(name + " is no regular file" + (held.isLink() ? ", but a symbolic link" : ""));
            }
            file = new RandomAccessFile(held.path().toFile(), "r");
            owner = held.owner();
        }

        static OfFile open(final Path path) throws IOException {
            try (HeldFile held = HeldFile.of(path)) {
                return new OfFile(held, path);
            }
        }

        @Override
        public long owner() {
            return owner;
        }

        @Override
        public byte[] bytes(final long at, final int length) {
            try {
                if (at < 0 || at > file.length() - length) {
                    return null;
                }
                final byte[] bytes = new byte[length];
                file.seek(at);
                file.readFully(bytes);
                return bytes;
            } catch (final IOException e) {
                return null;
            }
        }

        @Override
        public long length() {
            try {
                return file.length();
            } catch (final IOException e) {
                return 0;
            }
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (final IOException e) {
                // Nothing was written that could be lost.
                return;
            }
        }
    }

    /** Memory of this process that is published to nobody else. */
    final class OfMemory implements LiveImage {
        private final UnsafeBuffer memory;

        OfMemory(final LiveMemory memory, final long length) {
            this.memory = memory.buffer(0, length);
        }

        @Override
        public byte[] bytes(final long at, final int length) {
            if (at < 0 || at > memory.capacity() - length) {
                return null;
            }
            final byte[] bytes = new byte[length];
            memory.getBytes((int) at, bytes);
            return bytes;
        }

        @Override
        public long length() {
            return memory.capacity();
        }

        @Override
        public long owner() {
            return LiveProcess.user(LiveProcess.PID);
        }

        @Override
        public void close() {
            // Belongs to the publisher; the buffer keeps it.
        }
    }
}
