/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Linux' own dma-bufs. That a file is one is told by {@code /proc/self/fdinfo}: since Linux 5.3 the line
 * {@code exp_name} names its exporter, which no other file has. Before, the link in {@code /proc/self/fd} says so; it
 * cannot be mistaken for a path, as those begin with a slash. (Since 5.3 it is {@code /dmabuf:NAME}, which can.)
 */
final class DmaBufLinux implements DmaBufCalls {
    /** {@code _IOW('b', 0, struct dma_buf_sync)}; the struct is one u64, flags. */
    static final IoctlRequest DMA_BUF_IOCTL_SYNC =
        new IoctlRequest("DMA_BUF_IOCTL_SYNC", 0x4008_6200L, Long.BYTES, false);

    private static final int EINTR = 4;
    /** The kernel's documentation asks for another try after EINTR and EAGAIN; this is how many before giving up. */
    private static final int TRIES = 1000;
    private static final String EXPORTER = "exp_name:";
    private static final String FLAGS = "VmFlags:";
    private static final String OLD_LINK = "anon_inode:dmabuf";

    private final Path proc;

    DmaBufLinux() {
        this(Path.of("/proc/self"));
    }

    DmaBufLinux(final Path proc) {
        this.proc = proc;
    }

    @Override
    public int duplicate(final int fd) {
        return FileCalls.duplicate(fd);
    }

    @Override
    public String exporter(final int fd) {
        final Path info = proc.resolve("fdinfo").resolve(Integer.toString(fd));
        try {
            // A name is whatever its exporter calls it: no encoding may make this fail.
            for (final String line : Files.readAllLines(info, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(EXPORTER)) {
                    return line.substring(EXPORTER.length()).strip();
                }
            }
        } catch (final IOException e) {
            throw RdmaException.of("look at file descriptor").object("fd " + fd)
                .detail("%s cannot be read: %s", info, e).errno(RdmaException.EOPNOTSUPP)
                .hint("/proc must be mounted, as it tells dma-bufs from other files").cause(e).build();
        }
        return OLD_LINK.equals(describe(fd)) ? "unknown" : null;
    }

    @Override
    public String describe(final int fd) {
        try {
            return Files.readSymbolicLink(proc.resolve("fd").resolve(Integer.toString(fd))).toString();
        } catch (final IOException e) {
            return "an unknown file";
        }
    }

    @Override
    public long size(final int fd) {
        return FileCalls.seekEnd(fd);
    }

    @Override
    public MappedMemory map(final int fd, final long length, final boolean write) {
        final int protection = write ? LibcConstants.PROT_READ | LibcConstants.PROT_WRITE : LibcConstants.PROT_READ;
        return MappedMemory.map(0, length, protection, LibcConstants.MAP_SHARED, fd, 0);
    }

    @Override
    public void sync(final int fd, final long flags) {
        final UnsafeBuffer argument = new UnsafeBuffer(ByteBuffer.allocateDirect(Long.BYTES));
        argument.putLong(0, flags, ByteOrder.nativeOrder());
        for (int attempt = 1;; attempt++) {
            try {
                Libc.ioctl(fd, DMA_BUF_IOCTL_SYNC, argument);
                return;
            } catch (final RdmaException e) {
                if (attempt == TRIES || e.errno() != EINTR && e.errno() != RdmaException.EAGAIN) {
                    throw e;
                }
            }
        }
    }

    @Override
    public String flags(final long address) {
        boolean here = false;
        try (BufferedReader lines =
            Files.newBufferedReader(proc.resolve("smaps"), StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                final int dash = line.indexOf('-');
                final int blank = line.indexOf(' ');
                if (dash > 0 && dash < blank) {
                    here = Long.compareUnsigned(Long.parseUnsignedLong(line, 0, dash, 16), address) <= 0
                        && Long.compareUnsigned(address, Long.parseUnsignedLong(line, dash + 1, blank, 16)) < 0;
                } else if (here && line.startsWith(FLAGS)) {
                    return line.substring(FLAGS.length()).strip();
                }
            }
        } catch (final IOException untold) {
            return "";
        }
        return "";
    }

    @Override
    public void close(final int fd) {
        Libc.close(fd);
    }
}
