/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A counter of the kernel that a file descriptor stands for: the kernel or another thread adds to it, {@link Libc#poll}
 * wakes when it is not 0, reading takes all of it. Neither reading nor signalling ever blocks, unless another process
 * passed it. For any thread; whoever closes it makes sure that no {@link PollSet} in use contains it.
 */
public final class EventFd implements AutoCloseable {
    private static final int FLAGS = LibcConstants.EFD_NONBLOCK | LibcConstants.EFD_CLOEXEC;
    private static final String KIND = "anon_inode:[eventfd]";
    private static final int COUNT_OFFSET = 0;
    private static final int ONE_OFFSET = 8;

    private final Fd fd;
    private final UnsafeBuffer words = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * Long.BYTES));

    private EventFd(final Fd fd) {
        this.fd = fd;
        words.putLong(ONE_OFFSET, 1);
    }

    /**
     * Makes one whose count is 0.
     *
     * @return the owner
     * @throws RdmaException EMFILE if the process has too many files
     */
    public static EventFd create() {
        final int fd = Calls.bound("eventfd").eventfd(0, FLAGS);
        if (fd < 0) {
            throw Libc.failure("eventfd", Native.getLastError()).build();
        }
        return new EventFd(Fd.of(fd, "eventfd"));
    }

    /**
     * Takes over one that another process made and passed. Reads and signals of it do not block from now on, there
     * either, as long as that process leaves it so: it has the same open file. It can block a thread that signals or
     * closes this, for ever.
     *
     * @param passed the descriptor
     * @return the owner, also of the descriptor
     * @throws RdmaException EINVAL if it is something else; then it is still the caller's
     */
    public static EventFd of(final Fd passed) {
        final Path link = Path.of("/proc/self/fd/" + passed.fd());
        final String what;
        try {
            what = Files.readSymbolicLink(link).toString();
        } catch (final IOException e) {
            throw RdmaException.of("take eventfd").object(link).detail("%s", e.getMessage()).errno(RdmaException.EIO)
                .cause(e).build();
        }
        Checks.that(what.equals(KIND), "take eventfd", "%s is %s, not %s", link, what, KIND);
        FileCalls.setNonBlocking(passed.fd());
        return new EventFd(passed);
    }

    /**
     * The descriptor, for {@link PollSet} or to hand to the kernel.
     *
     * @return the number
     * @throws RdmaException EBADFD after close
     */
    public int fd() {
        return fd.fd();
    }

    /**
     * Takes the count. Allocates nothing unless it fails.
     *
     * @return how often it was signalled since the last time; 0 for never
     * @throws RdmaException EBADFD after close
     */
    public synchronized long read() {
        // The lock keeps close() from giving the number to another file in between; nothing under it blocks.
        if (transfer(true)) {
            return words.getLong(COUNT_OFFSET);
        }
        return 0;
    }

    /**
     * Adds 1 and wakes whoever polls. If the counter is full, it is not 0 either: then there is nothing to add.
     *
     * @throws RdmaException EBADFD after close
     */
    public synchronized void signal() {
        transfer(false);
    }

    private boolean transfer(final boolean read) {
        final Calls calls = Calls.bound("eventfd");
        final int number = fd.fd();
        while (true) {
            final long count = read ? calls.read(number, words.addressOffset() + COUNT_OFFSET, Long.BYTES)
                : calls.write(number, words.addressOffset() + ONE_OFFSET, Long.BYTES);
            if (count == Long.BYTES) {
                return true;
            }
            final int errno = Native.getLastError();
            if (errno == RdmaException.EAGAIN) {
                return false;
            }
            if (errno != Errno.EINTR) {
                throw Libc.failure(read ? "eventfd read" : "eventfd write", errno).detail("fd %d", number).build();
            }
        }
    }

    /** Closes it. Nothing happens the second time. */
    @Override
    public synchronized void close() {
        fd.close();
    }

    @Override
    public String toString() {
        return fd.toString();
    }
}
