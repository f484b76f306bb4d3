/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What the end that answers does while messages of one size go. For one thread; allocates nothing in a step. */
interface PerfAnswer {
    /** Messages of so many bytes will come. */
    void begin(int bytes);

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step();

    /**
     * How far it is.
     *
     * @param awaited what the other end says that it did.
     * @return messages that were answered, or came; what is awaited if nothing is seen of it here.
     */
    long done(long awaited);

    /** The one of a test. */
    static PerfAnswer of(final PerfTest test, final PerfEnd end) {
        if (!test.operation().isMutual() || test == PerfTest.WRITE_BW) {
            return new Lending();
        }
        return test.isLatency() ? new Echo(end, Volley.of(test.operation(), end)) : new Sink(end);
    }

    /** The device does everything with the memory that is lent. */
    final class Lending implements PerfAnswer {
        @Override
        public void begin(final int bytes) {
            // There is nothing to prepare.
        }

        @Override
        public int step() {
            return 0;
        }

        @Override
        public long done(final long awaited) {
            return awaited;
        }
    }

    /** Answers each message with one of the same size. */
    final class Echo implements PerfAnswer {
        private final PerfEnd end;
        private final Volley volley;
        private long answered;

        Echo(final PerfEnd end, final Volley volley) {
            this.end = end;
            this.volley = volley;
        }

        @Override
        public void begin(final int bytes) {
            volley.begin(bytes);
            answered = 0;
        }

        @Override
        public int step() {
            int work = volley.poll();
            if (volley.hasCome(answered)) {
                volley.prepare(answered);
                final int posted = end.lane().post(end.lane().posted() + 1);
                answered += posted;
                work += posted;
                volley.take();
            }
            return work + end.pollSends();
        }

        @Override
        public long done(final long awaited) {
            return answered;
        }
    }

    /** Takes messages, and makes room for more. */
    final class Sink implements PerfAnswer {
        private final PerfEnd end;
        private final Lane[] lanes;
        private long receivedBefore;

        Sink(final PerfEnd end) {
            this.end = end;
            lanes = end.lanes();
        }

        @Override
        public void begin(final int bytes) {
            end.aim(bytes);
            receivedBefore = end.received();
        }

        @Override
        public int step() {
            final int came = end.pollReceives();
            if (came > 0) {
                for (final Lane lane : lanes) {
                    lane.replenish();
                }
            }
            return came;
        }

        @Override
        public long done(final long awaited) {
            return end.received() - receivedBefore;
        }
    }
}
