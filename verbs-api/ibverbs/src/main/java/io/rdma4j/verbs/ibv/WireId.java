/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

/**
 * What the library is given as {@code wr_id}: which queue of whom a request is in, and its number there. So a
 * completion is told from one of a queue that is not there any more, also if the device uses the QP's number again.
 *
 * <pre>
 *   63       62        61 ... 52   51 ... 32     31 ... 0
 *   receive  of a SRQ  life        index         sequence number, or place in the SRQ
 * </pre>
 */
final class WireId {
    static final int INDEX_BITS = 20;
    static final int LIFE_BITS = 10;
    private static final int OWNER_MASK = (1 << INDEX_BITS + LIFE_BITS) - 1;
    private static final long RECEIVE = 1L << 63;
    private static final long SHARED = 1L << 62;

    private WireId() {
    }

    static long send(final int owner) {
        return (long) owner << 32;
    }

    static long receive(final int owner) {
        return send(owner) | RECEIVE;
    }

    static long shared(final int owner) {
        return receive(owner) | SHARED;
    }

    static long of(final long queue, final int sequence) {
        return queue | sequence & 0xffff_ffffL;
    }

    static boolean isReceive(final long wrId) {
        return wrId < 0;
    }

    static boolean isShared(final long wrId) {
        return (wrId & SHARED) != 0;
    }

    /** One of a QP's queues, in one number. */
    static int queue(final long wrId) {
        return (int) (wrId >>> 32);
    }

    static int owner(final long wrId) {
        return (int) (wrId >>> 32) & OWNER_MASK;
    }

    static int sequence(final long wrId) {
        return (int) wrId;
    }
}
