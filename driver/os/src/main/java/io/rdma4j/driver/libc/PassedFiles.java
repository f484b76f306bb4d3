/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import java.util.ArrayList;
import java.util.List;

/**
 * Open files that came with bytes of a socket ({@link LocalSockets#receive}). They are this object's until somebody
 * takes them. For one thread at a time.
 */
public final class PassedFiles implements AutoCloseable {
    /**
     * How many can come at once, which is the kernel's own limit (SCM_MAX_FD). With less room it would close the others
     * itself, while the receiver waits: a close may take as long as the sender likes.
     */
    public static final int MAX = 253;

    private final SocketMessage message = new SocketMessage();
    private final List<Fd> files = new ArrayList<>();
    private boolean cutOff;

    /** Without files. */
    public PassedFiles() {
        // Room is made once.
    }

    SocketMessage message() {
        return message;
    }

    /** Adds what the message brought. */
    void take() {
        final int count = message.count();
        for (int i = 0; i < count; i++) {
            files.add(Fd.of(message.file(i), "file that was passed"));
        }
        cutOff |= message.isCutOff();
    }

    /**
     * {@return how many there are that nobody took}
     */
    public int count() {
        return files.size();
    }

    /**
     * {@return whether some that were sent did not come, since the last {@link #close}: too many at once, or the
     * process has too many open}
     */
    public boolean isCutOff() {
        return cutOff;
    }

    /**
     * Takes the first.
     *
     * @return its owner; the caller closes it
     * @throws RdmaException EINVAL if there is none
     */
    public Fd takeFirst() {
        Checks.that(!files.isEmpty(), "take file", "none was passed");
        return files.remove(0);
    }

    /** Closes those that nobody took. More can come afterwards. */
    @Override
    public void close() {
        final List<Fd> left = List.copyOf(files);
        files.clear();
        cutOff = false;
        Cleanup.all(left, Fd::close);
    }
}
