/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The owner of one file descriptor. It is closed once, whatever threads try: a second close would hit whichever file
 * has got the number by then.
 */
public final class Fd implements AutoCloseable {
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final int fd;
    private final String name;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Fd(final int fd, final String name) {
        this.fd = fd;
        this.name = name;
        OPEN.incrementAndGet();
    }

    /**
     * Takes a descriptor over.
     *
     * @param fd   an open file descriptor that nobody else closes
     * @param name what it is, for messages
     * @return its owner
     * @throws RdmaException EBADF if it is negative
     */
    public static Fd of(final int fd, final String name) {
        Checks.fd(name == null ? "file" : name, fd);
        return new Fd(fd, name);
    }

    /**
     * Opens a file.
     *
     * @param path  the file
     * @param flags as for {@link Libc#open}
     * @return the owner
     * @throws RdmaException if it cannot be opened
     */
    public static Fd open(final String path, final int flags) {
        return new Fd(Libc.open(path, flags), path);
    }

    /**
     * Makes a file, for its owner alone.
     *
     * @param path as for {@link Libc#create}
     * @return the owner
     * @throws RdmaException if it cannot be made, as where something of that name is
     */
    public static Fd create(final String path) {
        return new Fd(Libc.create(path), path);
    }

    /**
     * The descriptor, to be used while this is open and not kept.
     *
     * @return the number
     * @throws RdmaException EBADFD after close
     */
    public int fd() {
        if (closed.get()) {
            throw RdmaException.of("use of file").object(name).detail("fd %d is closed", fd)
                .errno(RdmaException.EBADFD).build();
        }
        return fd;
    }

    /**
     * Whether it is still open.
     *
     * @return false after close
     */
    public boolean isOpen() {
        return !closed.get();
    }

    /**
     * Closes the file. Nothing happens the second time.
     *
     * @throws RdmaException if the file reports an error; it is closed all the same
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            OPEN.decrementAndGet();
            Libc.close(fd);
        }
    }

    /**
     * How many there are that are not closed, in the whole process; for tests that look for leaks.
     *
     * @return the number
     */
    public static int openCount() {
        return OPEN.get();
    }

    @Override
    public String toString() {
        return name + " (fd " + fd + (closed.get() ? ", closed)" : ")");
    }
}
