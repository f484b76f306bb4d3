/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Does for one client what that client can have wait for ever: it signals its eventfds, and closes files that it passed
 * for nothing, which may be of a file system of its own, or a socket that lingers; and its connection, where such files
 * may lie unread. Nobody waits for this thread.
 */
final class ClientThread implements AutoCloseable {
    /** So many files may wait to be closed, and those of one message more. */
    private static final int MAX_FILES = 128;
    private static final long PAUSE_NANOS = 100_000;

    private final Runnable signals;
    private final Queue<Fd> files = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean closed;

    /**
     * Runs from now on.
     *
     * @param name    of the client's device.
     * @param signals run after each {@link #wake}.
     */
    ClientThread(String name, Runnable signals) {
        this.signals = signals;
        this.thread = new Thread(this::run, "rdma4j-vfio-user-client-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Any thread, with any locks held. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Takes a file over, to close it. */
    void discard(Fd file) {
        files.add(file);
        wake();
    }

    /** Whether files come faster than they can be closed. */
    boolean isBehind() {
        return files.size() > MAX_FILES;
    }

    /**
     * Waits where files came faster than they were closed: this thread may have no processor for a while.
     *
     * @param nanos to wait at most.
     * @return whether it caught up.
     */
    boolean catchesUp(long nanos) {
        final long begun = System.nanoTime();
        while (isBehind()) {
            if (System.nanoTime() - begun > nanos) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    private void run() {
        boolean last;
        do {
            last = closed;
            signals.run();
            for (Fd file = files.poll(); file != null; file = files.poll()) {
                close(file);
            }
            if (!last) {
                LockSupport.park(this);
            }
        } while (!last);
    }

    private static void close(Fd file) {
        try {
            file.close();
        } catch (final RdmaException e) {
            // What its end says is the client's business.
        }
    }

    /** Has it end when it has done what there is, unless the client holds it up. */
    @Override
    public void close() {
        closed = true;
        wake();
    }

    Thread thread() {
        return thread;
    }
}
