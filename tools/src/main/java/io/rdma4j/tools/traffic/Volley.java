/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What an end does for a message of a latency test, and how it knows that one came. For one thread; allocates nothing
 * after {@link #begin}.
 */
abstract class Volley {
    final PerfEnd end;
    final Lane lane;

    private Volley(final PerfEnd end) {
        this.end = end;
        lane = end.lane();
    }

    static Volley of(final Operation operation, final PerfEnd end) {
        switch (operation) {
            case SEND:
                return new Sent(end);
            case WRITE:
                return new Written(end);
            default:
                return new Pulled(end);
        }
    }

    /** Messages of so many bytes will go. */
    void begin(final int bytes) {
        end.aim(bytes);
    }

    /** Makes message number n, from 0, ready to go. */
    void prepare(final long n) {
        // It is as it was.
    }

    /** Looks for messages; 0 if no completion tells of them. */
    int poll() {
        return 0;
    }

    /** Whether message number n of the other end, from 0, has come. */
    abstract boolean hasCome(long n);

    /** Makes room for the next one. */
    void take() {
        // There is room.
    }

    /**
     * Sends message number n, and waits for what comes back.
     *
     * @param patience how to wait.
     */
    final void turn(final long n, final Patience patience) {
        prepare(n);
        lane.postOne(end, patience);
        await(n, patience);
        take();
    }

    /** Waits for message number n of the other end. */
    final void await(final long n, final Patience patience) {
        while (!hasCome(n)) {
            if (poll() + end.pollSends() == 0) {
                patience.idle();
            }
        }
    }

    /** A message there, and one back. */
    private static final class Sent extends Volley {
        private long before;

        Sent(final PerfEnd end) {
            super(end);
        }

        @Override
        void begin(final int bytes) {
            super.begin(bytes);
            before = lane.received();
        }

        @Override
        int poll() {
            return end.pollReceives();
        }

        @Override
        boolean hasCome(final long n) {
            return lane.received() - before > n;
        }

        @Override
        void take() {
            lane.replenish();
        }
    }

    /**
     * A WRITE there, and one back. That one came is seen by the last byte of the own memory, as in perftest: that a
     * device writes the end of a message last is no law, but what all programs of this kind rely on.
     */
    private static final class Written extends Volley {
        private final UnsafeBuffer incoming;
        private final UnsafeBuffer outgoing;
        private int last;

        Written(final PerfEnd end) {
            super(end);
            incoming = lane.incoming();
            outgoing = lane.outgoing();
        }

        @Override
        void begin(final int bytes) {
            super.begin(bytes);
            last = bytes - 1;
            incoming.putByteVolatile(last, (byte) 0);
        }

        /** Neighbours differ, and the first is not what fresh memory holds. */
        private static byte mark(final long n) {
            return (byte) (n + 1);
        }

        @Override
        void prepare(final long n) {
            outgoing.putByte(last, mark(n));
        }

        @Override
        boolean hasCome(final long n) {
            // Volatile: whoever sees the mark sees the bytes before it.
            return incoming.getByteVolatile(last) == mark(n);
        }
    }

    /** A READ or an atomic, which comes back by itself. */
    private static final class Pulled extends Volley {
        Pulled(final PerfEnd end) {
            super(end);
        }

        @Override
        boolean hasCome(final long n) {
            return lane.completed() == lane.posted();
        }
    }
}
