/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.state.HeldFile;
import io.rdma4j.driver.state.StateFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The memory of a shared vector: a memfd, sealed so that nobody can cut it off under those who have it mapped. It has
 * no name; other processes open it by a process that has it open, and the number of the descriptor there.
 */
final class MemoryFile implements AutoCloseable {
    private static final String NAME = "rdma4j-av";
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

    /** All of it is a hole. */
    static MemoryFile create(final long length) throws IOException {
        try (Undo undo = new Undo()) {
            final Fd file = Fd.of(Libc.memfdCreate(NAME, LibcConstants.MFD_ALLOW_SEALING), NAME);
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
     * @throws IOException that says why not: the process is gone or may not be looked into, or has something else
     *                     there.
     */
    static MemoryFile open(final long pid, final int descriptor) throws IOException {
        try (Undo undo = new Undo(); HeldFile held = HeldFile.of(pid, descriptor)) {
            if (!held.isSealedMemory() || held.owner() != StateFolder.userId()) {
                throw new IOException(held.target() + " of process " + pid + " is no memory of a vector");
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

    FileChannel channel() {
        return channel;
    }

    int descriptor() {
        return file.fd();
    }

    /** Whether the system has memory for so many bytes more, without taking it from others. */
    static boolean isAvailable(final long bytes) throws IOException {
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
