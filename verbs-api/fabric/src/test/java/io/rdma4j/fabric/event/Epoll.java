/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import com.sun.jna.Function;
import com.sun.jna.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** File descriptors in an epoll of their own: what an application's event loop sees of them. */
final class Epoll implements AutoCloseable {
    private static final int CTL_ADD = 1;
    private static final int EINTR = 4;
    private static final int IN = 1;
    private static final int EDGES = 1 << 31;
    /** struct epoll_event is packed on x86-64 only. */
    private static final int EVENT_SIZE = System.getProperty("os.arch").equals("amd64") ? 12 : 16;

    private final int fd;
    private final ByteBuffer event = ByteBuffer.allocateDirect(EVENT_SIZE).order(ByteOrder.nativeOrder());

    private Epoll(final int events, final int... watched) {
        fd = call("epoll_create1", 0);
        for (final int each : watched) {
            event.putInt(0, events);
            if (fd < 0 || call("epoll_ctl", fd, CTL_ADD, each, event) != 0) {
                throw new AssertionError("epoll of " + each + ": errno " + Native.getLastError());
            }
        }
    }

    /** Tells as long as one is readable. */
    static Epoll ofLevel(final int... watched) {
        return new Epoll(IN, watched);
    }

    /** Tells once for each time that one became readable, or more so. */
    static Epoll ofEdges(final int... watched) {
        return new Epoll(IN | EDGES, watched);
    }

    private static int call(final String name, final Object... arguments) {
        return Function.getFunction("c", name).invokeInt(arguments);
    }

    boolean isReady() {
        return await(0);
    }

    boolean await(final int millis) {
        while (true) {
            final int found = call("epoll_wait", fd, event, 1, millis);
            if (found >= 0) {
                return found == 1;
            }
            if (Native.getLastError() != EINTR) {
                throw new AssertionError("epoll_wait: errno " + Native.getLastError());
            }
        }
    }

    @Override
    public void close() {
        call("close", fd);
    }
}
