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
