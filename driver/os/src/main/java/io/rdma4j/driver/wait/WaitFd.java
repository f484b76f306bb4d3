/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.wait;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.EventFd;

/**
 * A file descriptor that is readable or not, as its owner says: for poll, select and epoll. Each {@link #set} is an
 * edge for who waits for edges, also where it was readable already. Thread-safe; nothing here blocks or allocates.
 */
public final class WaitFd implements AutoCloseable {
    private final EventFd event;

    private WaitFd(final EventFd event) {
        this.event = event;
    }

    /**
     * Makes one that is not readable.
     *
     * @return the caller owns it
     * @throws RdmaException EMFILE if the process has too many files
     */
    public static WaitFd open() {
        return new WaitFd(EventFd.create());
    }

    /**
     * The number.
     *
     * @return for the application to wait for, and for nothing else
     * @throws RdmaException EBADFD after close
     */
    public int fd() {
        return event.fd();
    }

    /**
     * Makes it readable.
     *
     * @throws RdmaException EBADFD after close
     */
    public void set() {
        event.signal();
    }

    /**
     * Makes it not readable.
     *
     * @throws RdmaException EBADFD after close
     */
    public void clear() {
        event.read();
    }

    /** Closes it. Nothing happens the second time. */
    @Override
    public void close() {
        event.close();
    }

    @Override
    public String toString() {
        return event.toString();
    }
}
