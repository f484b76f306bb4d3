/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.driver.state.MemoryFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Who has the memory of a vector open, for those who come later: processes and their descriptors, in the vector's file
 * behind a copy of the header. The file is read and written, never mapped. What stands there is believed only as far
 * as the memory found there is of this vector. Changed as writer.
 *
 * <pre>
 *  0 ... 4095    header of the memory, as it was when it was made
 *  4096 ...      512 times: u32 process, 0 for none; u32 descriptor
 * </pre>
 */
final class SharedHolders {
    static final int PLACES = 512;
    /** Of the file. */
    static final long LENGTH = SharedLayout.HEADER + PLACES * (long) Long.BYTES;
    private static final int NONE = -1;

    private final FileChannel file;
    private final Path path;

    SharedHolders(final FileChannel file, final Path path) {
        this.file = file;
        this.path = path;
    }

    /** Writes a new file. */
    void make(final byte[] header) throws IOException {
        final ByteBuffer all = ByteBuffer.allocate((int) LENGTH).put(header).clear();
        while (all.hasRemaining()) {
            file.write(all, all.position());
        }
    }

    /** Notes this process; -1 if there is no room. */
    int add(final int descriptor) throws IOException {
        final ByteBuffer all = read();
        int place = free(all);
        for (int i = 0; place == NONE && i < PLACES; i++) {
            place = isGone(all, i) ? i : NONE;
        }
        if (place != NONE) {
            write(place, (int) ProcessHandle.current().pid(), descriptor);
        }
        return place;
    }

    private static int free(final ByteBuffer all) {
        for (int i = 0; i < PLACES; i++) {
            if (all.getLong(i * Long.BYTES) == 0) {
                return i;
            }
        }
        return NONE;
    }

    private static boolean isGone(final ByteBuffer all, final int place) {
        return ProcessHandle.of(Integer.toUnsignedLong(all.getInt(place * Long.BYTES))).isEmpty();
    }

    /** This process has it open no more. */
    void remove(final int place) throws IOException {
        if (place != NONE) {
            write(place, 0, 0);
        }
    }

    private ByteBuffer read() throws IOException {
        final ByteBuffer all = ByteBuffer.allocate(PLACES * Long.BYTES).order(ByteOrder.nativeOrder());
        int read = 0;
        while (read >= 0 && all.hasRemaining()) {
            read = file.read(all, SharedLayout.HEADER + all.position());
        }
        return all.clear();
    }

    private void write(final int place, final int process, final int descriptor) throws IOException {
        file.write(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putInt(process).putInt(descriptor)
            .flip(), SharedLayout.HEADER + (long) place * Long.BYTES);
    }

    /**
     * Opens the memory by one of those who have it open.
     *
     * @param header of the file.
     * @param layout that it says.
     * @return null if none lets this process at it.
     */
    MemoryFile open(final UnsafeBuffer header, final SharedLayout layout) throws IOException {
        final ByteBuffer all = read();
        for (int i = 0; i < PLACES; i++) {
            if (all.getInt(i * Long.BYTES) != 0) {
                final MemoryFile found = open(Integer.toUnsignedLong(all.getInt(i * Long.BYTES)),
                    all.getInt(i * Long.BYTES + Integer.BYTES), header, layout);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static MemoryFile open(
        final long process, final int descriptor, final UnsafeBuffer header, final SharedLayout layout) {
        MemoryFile found = null;
        boolean good = false;
        try {
            found = MemoryFile.open(process, descriptor);
            good = isOf(found, header, layout);
            return good ? found : null;
        } catch (final IOException e) {
            // The process is gone, or of somebody else by now: the next one may do.
            return null;
        } finally {
            if (!good && found != null) {
                closeQuietly(found);
            }
        }
    }

    private static void closeQuietly(final MemoryFile found) {
        try {
            found.close();
        } catch (final IOException e) {
            // It was somebody else's.
            return;
        }
    }

    private static boolean isOf(final MemoryFile found, final UnsafeBuffer header, final SharedLayout layout)
        throws IOException {
        final UnsafeBuffer there = new UnsafeBuffer(new byte[SharedLayout.HEADER]);
        return found.channel().size() == layout.length
            && SharedFile.read(found.channel(), there) == SharedLayout.HEADER
            && SharedLayout.isSame(there, header);
    }

    @Override
    public String toString() {
        return "holders of " + path;
    }
}
