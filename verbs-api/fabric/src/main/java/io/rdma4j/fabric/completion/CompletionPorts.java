/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Completion;

import java.util.Arrays;

/**
 * Endpoints that complete in a queue. Those that have nothing to go on with are not looked at when it is read. Ports
 * come and go by any thread; all else is for the thread that reads.
 */
final class CompletionPorts {
    private static final CompletionPort[] NONE = new CompletionPort[0];

    /** By number; null where there is none. Replaced when it changes, by a thread that holds this. */
    private volatile CompletionPort[] ports = NONE;
    /** Whether ports came that were not asked to go on yet; stored after {@link #ports}. */
    private volatile boolean haveCome;
    /** Numbers of those that are to be called, without gaps. */
    private int[] wanted = new int[4];
    private int[] called = new int[4];
    private int count;
    private boolean[] isWanted = new boolean[4];

    synchronized int attach(final CompletionPort port) {
        final CompletionPort[] now = ports;
        int number = 0;
        while (number < now.length && now[number] != null) {
            number++;
        }
        final CompletionPort[] next = Arrays.copyOf(now, Math.max(now.length, number + 1));
        next[number] = port;
        ports = next;
        haveCome = true;
        return number;
    }

    synchronized void detach(final CompletionPort port) {
        final CompletionPort[] next = ports.clone();
        int last = 0;
        for (int i = 0; i < next.length; i++) {
            if (next[i] == port) {
                next[i] = null;
            }
            last = next[i] == null ? last : i + 1;
        }
        ports = Arrays.copyOf(next, last);
    }

    int count() {
        int users = 0;
        for (final CompletionPort port : ports) {
            users += port == null ? 0 : 1;
        }
        return users;
    }

    private CompletionPort get(final int number) {
        final CompletionPort[] now = ports;
        return number < now.length ? now[number] : null;
    }

    void dispatch(final Completion completion) {
        final long id = completion.wrId();
        final CompletionPort port = get(WorkId.port(id));
        if (port != null) {
            port.completed(WorkId.what(id), WorkId.slot(id), completion);
        }
    }

    void want(final CompletionPort port) {
        final CompletionPort[] now = ports;
        for (int i = 0; i < now.length; i++) {
            if (now[i] == port) {
                want(i);
            }
        }
    }

    void want(final int number) {
        if (number >= isWanted.length) {
            isWanted = Arrays.copyOf(isWanted, Math.max(number + 1, 2 * isWanted.length));
        }
        if (isWanted[number]) {
            return;
        }
        isWanted[number] = true;
        if (count == wanted.length) {
            wanted = Arrays.copyOf(wanted, 2 * count);
        }
        wanted[count++] = number;
    }

    /** Calls those that wanted it, and those that are new. */
    void progress(final FabricCompletionQueue queue) {
        if (haveCome) {
            haveCome = false;
            wantAll();
        }
        if (count > 0) {
            callWanted(queue);
        }
    }

    private void wantAll() {
        for (int i = 0; i < ports.length; i++) {
            want(i);
        }
    }

    /** Each may want to be called again meanwhile: so those that are called are in another array. */
    private void callWanted(final FabricCompletionQueue queue) {
        final int[] now = wanted;
        final int calls = count;
        wanted = called;
        called = now;
        count = 0;
        int done = 0;
        try {
            for (; done < calls; done++) {
                call(now[done], queue);
            }
        } finally {
            if (done < calls) {
                callLater(now, done, calls);
            }
        }
    }

    /** One has thrown: those behind it are still to be called, and then it is again, which may have more to do. */
    private void callLater(final int[] now, final int thrower, final int calls) {
        for (int i = thrower + 1; i < calls; i++) {
            isWanted[now[i]] = false;
            want(now[i]);
        }
        want(now[thrower]);
    }

    private void call(final int number, final FabricCompletionQueue queue) {
        isWanted[number] = false;
        final CompletionPort port = get(number);
        if (port != null && port.progress(queue)) {
            want(number);
        }
    }

    /** Asks those that are called by each read for events of their own; 0, or -FI_EAGAIN if there is work to do. */
    int arm() {
        if (haveCome) {
            return -FiErrno.FI_EAGAIN;
        }
        for (int i = 0; i < count; i++) {
            final CompletionPort port = get(wanted[i]);
            if (port != null && port.arm() != 0) {
                return -FiErrno.FI_EAGAIN;
            }
        }
        return 0;
    }

    /** How long all of them may be left uncalled. */
    long idleNanos() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            final CompletionPort port = get(wanted[i]);
            least = port == null ? least : Math.min(least, port.idleNanos());
        }
        return least;
    }
}
