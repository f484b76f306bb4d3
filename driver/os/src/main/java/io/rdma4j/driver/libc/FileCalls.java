/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;

/**
 * More calls into the C library, about files that are open already and about mappings of files. The rules are those of
 * {@link Libc}.
 */
public final class FileCalls {
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    private static final int SEEK_END = 2;
    private static final int MS_SYNC = 4;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;

    private FileCalls() {
    }

    /**
     * Makes a second descriptor of an open file ({@code F_DUPFD_CLOEXEC}): whoever opened it may close the first.
     *
     * @param fd an open file descriptor
     * @return another number for the same open file; {@link Fd} can own it
     * @throws RdmaException EBADF if it is not open, EMFILE if the process may not open more
     */
    public static int duplicate(final int fd) {
        return fcntl("fcntl F_DUPFD_CLOEXEC", fd, F_DUPFD_CLOEXEC, 0);
    }

    /**
     * Has reads of an open file fail with EAGAIN where they would wait ({@code F_SETFL}, {@code O_NONBLOCK}); all
     * descriptors of that open file share this.
     *
     * @param fd an open file descriptor
     * @throws RdmaException EBADF if it is not open
     */
    public static void setNonBlocking(final int fd) {
        final int flags = fcntl("fcntl F_GETFL", fd, F_GETFL, 0);
        fcntl("fcntl F_SETFL", fd, F_SETFL, flags | LibcConstants.O_NONBLOCK);
    }

    /**
     * Adds seals to a memfd that was made with {@link LibcConstants#MFD_ALLOW_SEALING}.
     *
     * @param fd    the memfd
     * @param seals {@code F_SEAL_} flags
     * @throws RdmaException EINVAL if the file has no seals, EPERM if it was sealed against more of them
     */
    public static void addSeals(final int fd, final int seals) {
        fcntl("fcntl F_ADD_SEALS", fd, F_ADD_SEALS, seals);
    }

    /**
     * The seals of a file. Only a memfd can have {@code F_SEAL_SHRINK}: other files of memory are sealed against seals
     * from their beginning.
     *
     * @param fd the file
     * @return {@code F_SEAL_} flags
     * @throws RdmaException EINVAL if it is of a kind that has no seals
     */
    public static int seals(final int fd) {
        return fcntl("fcntl F_GET_SEALS", fd, F_GET_SEALS, 0);
    }

    private static int fcntl(final String call, final int fd, final int command, final int argument) {
        Checks.fd(call, fd);
        final int result = Calls.bound(call).fcntl(fd, command, argument);
        if (result < 0) {
            throw Libc.failure(call, Native.getLastError()).detail("fd %d, argument %d", fd, argument).build();
        }
        return result;
    }

    /**
     * Goes to the end of a file, which is how the size of a dma-buf is found.
     *
     * @param fd the file descriptor; whoever shares the open file has its position moved, if it has one
     * @return the position, which is the size in bytes
     * @throws RdmaException ESPIPE for what has no positions
     */
    public static long seekEnd(final int fd) {
        Checks.fd("lseek", fd);
        final long end = Calls.bound("lseek").lseek(fd, 0, SEEK_END);
        if (end < 0) {
            throw Libc.failure("lseek", Native.getLastError()).detail("fd %d, to the end", fd).build();
        }
        return end;
    }

    /**
     * Gives a part of a file back ({@code FALLOC_FL_PUNCH_HOLE}): it reads as zeros from now on, in mappings of it,
     * and takes no memory until it is written again. The file's size stays.
     *
     * @param fd     the file descriptor, open for writing
     * @param offset where in the file
     * @param length bytes, above 0
     * @throws RdmaException EOPNOTSUPP if the file system cannot do that, EPERM if the file is sealed against it
     */
    public static void punchHole(final int fd, final long offset, final long length) {
        final String call = "fallocate FALLOC_FL_PUNCH_HOLE";
        Checks.fd(call, fd);
        Checks.notNegative(call, "offset", offset);
        Checks.that(length > 0, call, "length %d", length);
        final Calls calls = Calls.bound(call);
        while (calls.fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length) < 0) {
            final int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                throw Libc.failure(call, errno).detail("fd %d, offset %#x, length %d", fd, offset, length).build();
            }
        }
    }

    /**
     * Writes the changed pages of shared file mappings to their files and waits until that is done ({@code MS_SYNC}).
     *
     * @param address page-aligned
     * @param length  bytes; the kernel rounds up to whole pages
     * @throws RdmaException ENOMEM where nothing is mapped, EIO if the file cannot be written
     */
    public static void msync(final long address, final long length) {
        Checks.range("msync", address, length);
        Checks.pageAligned("msync", "address", address);
        final Calls calls = Calls.bound("msync");
        while (calls.msync(address, length, MS_SYNC) < 0) {
            final int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                throw Libc.failure("msync", errno).detail("address %#x, length %d", address, length).build();
            }
        }
    }
}
