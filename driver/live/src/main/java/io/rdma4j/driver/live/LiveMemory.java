/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.OpenFileLock;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The memory of what is published: a memfd, sealed so that nobody cuts it off under who counts in it, and in the folder
 * a file that says where; where there is no memfd, a mapped file; or memory that nobody else sees. It has holes until
 * {@link #require} fills them, so that a lack of room shows there and not as a fault of the mapped memory, and so that
 * a device with few objects costs little.
 *
 * <p>The memory stays valid as long as a buffer of it is held; the garbage collector unmaps it. Thread-safe.
 */
final class LiveMemory {
    private static final System.Logger LOG = System.getLogger(LiveMemory.class.getPackageName());
    private static final int GRANULE = 64 * 1024;
    private static final int ALIGNMENT = 128;
    /** What the kernel calls it. */
    static final String MEMFD = "rdma4j-live";

    private final ByteBuffer bytes;
    private final BitSet there = new BitSet();
    private Path path;
    private RandomAccessFile file;
    /** Of the memfd; null if there is none. */
    private final Fd descriptor;
    /** Of the file with the head, whose lock says in all PID namespaces that this process lives; null without. */
    private Fd lock;

    private LiveMemory(final ByteBuffer bytes, final Path path, final RandomAccessFile file, final Fd descriptor) {
        this.bytes = bytes;
        this.path = path;
        this.file = file;
        this.descriptor = descriptor;
    }

    /** Memory of this process alone. */
    static LiveMemory ofProcess(final long length) {
        return new LiveMemory(BufferUtil.allocateDirectAligned(Math.toIntExact(length), ALIGNMENT), null, null, null);
    }

    /** For a file that is there and empty. */
    static LiveMemory ofFile(final Path path, final long length) throws IOException {
        // With the flag up, each use of a channel would close it.
        final boolean interrupted = Thread.interrupted();
        final Fd descriptor = memfd(length);
        try (Undo undo = new Undo()) {
            if (descriptor != null) {
                undo.add(descriptor::close);
            }
            final LiveMemory memory = map(path, length, descriptor);
            undo.forget();
            return memory;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static LiveMemory map(final Path path, final long length, final Fd descriptor) throws IOException {
        final String name = descriptor == null ? path.toString() : "/proc/self/fd/" + descriptor.fd();
        final RandomAccessFile file = new RandomAccessFile(name, "rw");
        boolean mapped = false;
        try {
            if (descriptor == null) {
                file.setLength(length);
            }
            final LiveMemory memory = new LiveMemory(
                file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, length), path, file, descriptor);
            mapped = true;
            return memory;
        } finally {
            if (!mapped) {
                file.close();
            }
        }
    }

    /** Null where there is no such thing. */
    private static Fd memfd(final long length) {
        try (Undo undo = new Undo()) {
            final Fd made = Fd.of(Libc.memfdCreate(MEMFD, LibcConstants.MFD_ALLOW_SEALING), "what is published");
            undo.add(made::close);
            Libc.ftruncate(made.fd(), length);
            FileCalls.addSeals(made.fd(), LibcConstants.F_SEAL_SHRINK | LibcConstants.F_SEAL_SEAL);
            undo.forget();
            return made;
        } catch (final RdmaException | UnsatisfiedLinkError e) {
            return null;
        }
    }

    /** A part of it. Not to be touched before it was {@linkplain #require required}. */
    UnsafeBuffer buffer(final long at, final long length) {
        return new UnsafeBuffer(bytes, Math.toIntExact(at), Math.toIntExact(length));
    }

    /**
     * Makes sure that a range can be written to.
     *
     * @return false if there is no room for it.
     */
    synchronized boolean require(final long at, final long length) {
        if (file == null) {
            return true;
        }
        try {
            for (long granule = at / GRANULE; granule * GRANULE < at + length; granule++) {
                if (!there.get((int) granule)) {
                    fill(granule * GRANULE);
                    there.set((int) granule);
                }
            }
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    private void fill(final long at) throws IOException {
        file.seek(at);
        file.write(new byte[(int) Math.min(GRANULE, bytes.capacity() - at)]);
    }

    /** The file; null if there is none, or none any more. */
    synchronized Path path() {
        return path;
    }

    /** Completes the file, and gives it the name by which it is found. */
    synchronized void publish(final Path name) throws IOException {
        if (descriptor != null) {
            final UnsafeBuffer head = buffer(0, LiveLayout.HEADER_LENGTH);
            head.putInt(LiveLayout.MEMORY_OFFSET, descriptor.fd() + 1, ByteOrder.LITTLE_ENDIAN);
            final byte[] copy = new byte[LiveLayout.HEADER_LENGTH];
            head.getBytes(0, copy);
            lock = locked(path);
            if (lock != null) {
                new UnsafeBuffer(copy).putInt(LiveLayout.LOCKED_OFFSET, 1, ByteOrder.LITTLE_ENDIAN);
            }
            Files.write(path, copy);
        }
        Files.move(path, name);
        path = name;
    }

    /** Null where files have no such locks: then nobody of another PID namespace can tell whether this one lives. */
    private static Fd locked(final Path file) {
        try (Undo undo = new Undo()) {
            final Fd open = Fd.open(file.toString(), LibcConstants.O_RDWR);
            undo.add(open::close);
            if (!new OpenFileLock(open.fd()).tryTake()) {
                return null;
            }
            undo.forget();
            return open;
        } catch (final RdmaException e) {
            return null;
        }
    }

    /**
     * Removes the file. Who has it open keeps it as it is; this process goes on with memory of its own, in which only
     * what is kept has its value, so that what writes late does no harm and the file's memory is given back.
     *
     * @param kept pairs of an offset and a length.
     */
    synchronized void close(final long... kept) {
        if (path == null) {
            return;
        }
        final boolean isReplaced = replace(kept);
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            final boolean isTold = tellClosed();
            LOG.log(System.Logger.Level.DEBUG, isTold
                ? "the file stays, and says that the device is closed: whoever opens a device next removes it"
                : "the file stays until this process has ended, and whoever opens a device then removes it", e);
        } finally {
            path = null;
            // Nobody else would: what is mapped needs them no longer, and what is still to be filled is so by the file.
            final RandomAccessFile replaced = isReplaced ? file : null;
            file = isReplaced ? null : file;
            new Cleanup().run(() -> close(lock)).run(() -> close(descriptor)).run(() -> close(replaced))
                .throwIfFailed();
        }
    }

    /**
     * In a file that is the head alone, too: its status is as it was published.
     *
     * @return whether the file says it now.
     */
    private boolean tellClosed() {
        if (lock == null) {
            return descriptor == null;
        }
        final UnsafeBuffer status = new UnsafeBuffer(BufferUtil.allocateDirectAligned(Integer.BYTES, Integer.BYTES));
        status.putInt(0, LiveLayout.CLOSED, ByteOrder.LITTLE_ENDIAN);
        try {
            // By the descriptor, which is of this file, whatever has its name by now.
            return Libc.pwrite(lock.fd(), status, Integer.BYTES, LiveLayout.STATUS_OFFSET) == Integer.BYTES;
        } catch (final RdmaException e) {
            return false;
        }
    }

    private static void close(final Fd one) {
        if (one != null) {
            one.close();
        }
    }

    private static void close(final RandomAccessFile replaced) {
        if (replaced == null) {
            return;
        }
        try {
            replaced.close();
        } catch (final IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "what was published is given up, and its file told of an error", e);
        }
    }

    /**
     * Puts other memory into the file's place.
     *
     * @return false if that cannot be: then the file's is given back by the garbage collector, and filled until then.
     */
    private boolean replace(final long... kept) {
        try {
            // Elsewhere at first: mmap at a fixed address may fail for want of memory when nothing is there any more.
            final long other = Libc.mmap(0, bytes.capacity(), LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_NORESERVE, -1, 0);
            for (int i = 0; i < kept.length; i += 2) {
                new UnsafeBuffer(other + kept[i], (int) kept[i + 1]).putBytes(0, buffer(kept[i], kept[i + 1]), 0,
                    (int) kept[i + 1]);
            }
            return move(other);
        } catch (final RdmaException | UnsatisfiedLinkError e) {
            return false;
        }
    }

    private boolean move(final long other) {
        try {
            AddressSpace.mremap(other, bytes.capacity(), bytes.capacity(),
                LibcConstants.MREMAP_MAYMOVE | LibcConstants.MREMAP_FIXED, BufferUtil.address(bytes));
            return true;
        } catch (final RdmaException e) {
            Libc.munmap(other, bytes.capacity());
            return false;
        }
    }
}
