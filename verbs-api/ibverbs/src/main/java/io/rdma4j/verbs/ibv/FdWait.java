/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;

/**
 * Waits until a file of the library has something to read, or somebody ends the wait. One thread waits at a time. The
 * file does not block its reader: an event that was seen is gone if its object is destroyed before it is read.
 */
final class FdWait implements AutoCloseable {
    private final EventFd wakeUp;
    private final PollSet both = new PollSet(2);
    private final PollSet one = new PollSet(1);
    private volatile boolean closed;

    FdWait(final int fd) {
        FileCalls.setNonBlocking(fd);
        // Last of what may be refused, so that nobody has to close it.
        wakeUp = EventFd.create();
        both.add(fd, LibcConstants.POLLIN);
        both.add(wakeUp.fd(), LibcConstants.POLLIN);
        one.add(fd, LibcConstants.POLLIN);
    }

    /** Whether the file is readable, after at most so long. */
    boolean await(final long nanos) {
        Libc.poll(both, nanos);
        wakeUp.read();
        return both.revents(0) != 0;
    }

    /** Whether it is readable now; for one thread at a time, which may be another one. */
    boolean isReadable() {
        return Libc.poll(one, 0) > 0;
    }

    void wakeUp() {
        wakeUp.signal();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        wakeUp.close();
    }
}
