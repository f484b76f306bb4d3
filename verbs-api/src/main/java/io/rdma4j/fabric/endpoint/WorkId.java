/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

/**
 * What work requests carry as wrId:
 *
 * <pre>
 *  63                            40 39         32 31                             0
 *  +-------------------------------+-------------+-------------------------------+
 *  |   endpoint, as the queue has  |    what     |             slot              |
 *  +-------------------------------+-------------+-------------------------------+
 * </pre>
 */
final class WorkId {
    static final int SEND = 0;
    static final int RECEIVE = 1;
    /** RMA or an atomic. */
    static final int RMA = 2;
    /** The count of such an operation in the peer's event cell. */
    static final int CELL = 3;
    /** The look into the peer's key directory. */
    static final int LOOKUP = 4;

    private static final int PORT_SHIFT = 40;
    private static final int WHAT_SHIFT = 32;
    private static final int WHAT_MASK = 0xff;

    private WorkId() {
    }

    static long of(final int port, final int what) {
        return (long) port << PORT_SHIFT | (long) what << WHAT_SHIFT;
    }

    static int port(final long wrId) {
        return (int) (wrId >>> PORT_SHIFT);
    }

    static int what(final long wrId) {
        return (int) (wrId >>> WHAT_SHIFT) & WHAT_MASK;
    }

    static int slot(final long wrId) {
        return (int) wrId;
    }
}
