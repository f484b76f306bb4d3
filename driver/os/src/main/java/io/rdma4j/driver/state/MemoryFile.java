/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of memory that grows: a memfd, sealed so that nobody can cut it off under those who have it mapped. It has no
 * name; other processes open it by a process that has it open, and the number of the descriptor there. As thread-safe
 * as its channel.
 */
public final class MemoryFile implements AutoCloseable {
    private static final int SEALS = LibcConstants.F_SEAL_SHRINK | LibcConstants.F_SEAL_SEAL;
    private static final String AVAILABLE = "MemAvailable:";
    private static final int KIB = 1024;

    private final Fd file;
    private final FileChannel channel;

    private MemoryFile(final Fd file) throws IOException {
        this.file = file;
        channel = FileChannel.open(Path.of("/proc/self/fd", Integer.toString(file.fd())), StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    }

    /**
     * Makes one, all of which is a hole.
     *
     * @param name   shown in {@code /proc}.
     * @param length bytes.
     * @return the file.
     * @throws IOException if there is no memory or descriptor for it, or the C library cannot be called.
     */
    public static MemoryFile create(final String name, final long length) throws IOException {
        try (Undo undo = new Undo()) {
            final Fd file = Fd.of(Libc.memfdCreate(name, LibcConstants.MFD_ALLOW_SEALING), name);
            undo.add(file::close);
            Libc.ftruncate(file.fd(), length);
            FileCalls.addSeals(file.fd(), SEALS);
            final MemoryFile made = new MemoryFile(file);
            undo.forget();
            return made;
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Opens what another process has open.
     *
     * @param pid        the process.
     * @param descriptor its number there.
     * @return the same memory.
     * @throws IOException that says why not: the process is gone or may not be looked into, or has something else
     *                     there.
     */
    public static MemoryFile open(final long pid, final int descriptor) throws IOException {
        try (Undo undo = new Undo(); HeldFile held = HeldFile.of(pid, descriptor)) {
            if (!held.isSealedMemory() || held.owner() != StateFolder.userId()) {
                throw new IOException(held.target() + " of process " + pid + " is no sealed memory of this user");
            }
            final Fd file = Fd.open(held.path().toString(), LibcConstants.O_RDWR);
            undo.add(file::close);
            final MemoryFile opened = new MemoryFile(file);
            undo.forget();
            return opened;
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * For reading, writing and mapping.
     *
     * @return closed with this.
     */
    public FileChannel channel() {
        return channel;
    }

    /**
     * By which other processes find it.
     *
     * @return its number in this process.
     */
    public int descriptor() {
        return file.fd();
    }

    /**
     * Whether the system has memory for so many bytes more, without taking it from others.
     *
     * @param bytes how many.
     * @return true also where the system does not tell.
     * @throws IOException if the system's figures cannot be read.
     */
    public static boolean isAvailable(final long bytes) throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
            if (line.startsWith(AVAILABLE)) {
                return bytes < KIB * Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return true;
    }

    /** What is mapped stays. */
    @Override
    public void close() throws IOException {
        try (channel) {
            file.close();
        }
    }

    @Override
    public String toString() {
        return "memory " + file;
    }
}
