/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

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
public final class WorkId {
    /** A message is sent. */
    public static final int SEND = 0;
    /** A message is received. */
    public static final int RECEIVE = 1;
    /** RMA or an atomic. */
    public static final int RMA = 2;
    /** The count of such an operation in the peer's event cell. */
    public static final int CELL = 3;
    /** The look into the peer's key directory. */
    public static final int LOOKUP = 4;

    private static final int PORT_SHIFT = 40;
    private static final int WHAT_SHIFT = 32;
    private static final int WHAT_MASK = 0xff;

    private WorkId() {
    }

    /**
     * Puts one together, of slot 0.
     *
     * @param port as the queue numbers it.
     * @param what 0 to 255.
     * @return to be joined with a slot by or.
     */
    public static long of(final int port, final int what) {
        return (long) port << PORT_SHIFT | (long) what << WHAT_SHIFT;
    }

    /**
     * Whose it is.
     *
     * @param wrId what a completion carries.
     * @return the port's number.
     */
    public static int port(final long wrId) {
        return (int) (wrId >>> PORT_SHIFT);
    }

    /**
     * What it is.
     *
     * @param wrId what a completion carries.
     * @return 0 to 255.
     */
    public static int what(final long wrId) {
        return (int) (wrId >>> WHAT_SHIFT) & WHAT_MASK;
    }

    /**
     * Which one it is.
     *
     * @param wrId what a completion carries.
     * @return the slot.
     */
    public static int slot(final long wrId) {
        return (int) wrId;
    }
}
