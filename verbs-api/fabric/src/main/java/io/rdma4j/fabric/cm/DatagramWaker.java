/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ReturnCode;

import java.time.Duration;
import java.util.Collection;

/**
 * Wakes up who waits for events when a datagram comes. Its thread begins with the first event queue; it takes no
 * datagrams, so that progress stays with those who read. Thread-safe.
 */
final class DatagramWaker implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMillis(200);
    private static final FabricEventQueue[] NONE = {};

    private final UdEnd port;
    private volatile FabricEventQueue[] queues = NONE;
    private volatile boolean closed;
    private Thread thread;

    DatagramWaker(final UdEnd port) {
        this.port = port;
    }

    /** Whom to wake up from now on. */
    synchronized void queues(final Collection<FabricEventQueue> now) {
        queues = now.toArray(NONE);
        final CompletionQueue cq = port.events();
        if (thread == null && queues.length > 0 && cq != null && !closed) {
            thread = DaemonThreads.start("rdma4j-connections-" + port.qpn(), () -> run(cq));
        }
    }

    private void run(final CompletionQueue cq) {
        try {
            boolean armed = false;
            while (!closed) {
                if (!armed && cq.requestNotify(false) != ReturnCode.OK) {
                    return;
                }
                if (!armed) {
                    // What came before it was asked for has no event.
                    wakeAll();
                }
                armed = !cq.awaitEvent(LONGEST);
            }
        } catch (final RdmaException e) {
            // The port was closed, or the device failed: that is told to who reads.
            wakeAll();
        }
    }

    private void wakeAll() {
        for (final FabricEventQueue queue : queues) {
            queue.wake();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        queues = NONE;
    }
}
