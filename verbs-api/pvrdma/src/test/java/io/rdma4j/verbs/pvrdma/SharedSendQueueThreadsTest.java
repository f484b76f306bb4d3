/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedSendQueue;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/** Many threads offer, one drains: nothing is lost, doubled or overtaken, whenever the queue is closed. */
class SharedSendQueueThreadsTest {
    private static final int PRODUCERS = 4;
    private static final int SHIFT = 32;

    @RegisterExtension
    final Devices devices = new Devices();

    @RegisterExtension
    final Crew crew = new Crew();

    /** What became of each producer's requests, as the owner sees it. */
    private static final class Ledger {
        final int[] completed = new int[PRODUCERS];
        final int[] reported = new int[PRODUCERS];
        private final int[] next = new int[PRODUCERS];

        void complete(final Completion c) {
            assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
            count(completed, c.wrId());
        }

        void report(final long wrId, final int code) {
            assertThat(ReturnCode.nameOf(code)).isEqualTo("CLOSED");
            count(reported, wrId);
        }

        private void count(final int[] what, final long wrId) {
            final int producer = (int) (wrId >>> SHIFT);
            assertThat((int) wrId).as("number of producer %d, of whom %d came", producer, next[producer])
                .isEqualTo(next[producer]++);
            what[producer]++;
        }

        int total() {
            return Arrays.stream(next).sum();
        }
    }

    private static Peer[] connected(final Devices devices) {
        final Peer a = new Peer(devices.open(), new QpOptions().maxSendWr(16));
        final Peer b = new Peer(devices.open(), new QpOptions().maxReceiveWr(128));
        a.connect(b);
        for (int i = 0; i < 128; i++) {
            assertThat(b.qp.postReceive(i, b.at(0), 64, b.lkey())).isZero();
        }
        return new Peer[] {a, b};
    }

    private static void produce(
        final SharedSendQueue queue, final Peer from, final int producer, final int count,
        final AtomicIntegerArray taken) {
        final SendRequest request = new SendRequest().sge(from.at(0), 8, from.lkey());
        final long deadline = System.nanoTime() + Patience.nanos();
        int number = 0;
        while (number < count) {
            final long wrId = (long) producer << SHIFT | number;
            final int code = number % 3 == 0 ? queue.offer(request.wrId(wrId))
                : queue.offer(wrId, from.at(0), 8, from.lkey());
            if (code == ReturnCode.CLOSED) {
                return;
            }
            assertThat(code).isIn(ReturnCode.OK, ReturnCode.BACK_PRESSURED);
            if (code == ReturnCode.OK) {
                taken.set(producer, ++number);
            } else {
                assertThat(System.nanoTime()).as("%d of %d", number, count).isLessThan(deadline);
                Thread.yield();
            }
        }
    }

    private static void pollBoth(final Peer[] both, final Ledger ledger) {
        both[0].cq.poll(ledger::complete, 32);
        both[1].cq.poll(c -> both[1].qp.postReceive(c.wrId(), both[1].at(0), 64, both[1].lkey()), 32);
    }

    @Test
    void fourProducersLoseAndDoubleNothing() {
        final int count = 20_000;
        final Peer[] both = connected(devices);
        final Ledger ledger = new Ledger();
        final SharedSendQueue queue = new SharedSendQueue(both[0].qp, 32, ledger::report);
        final AtomicIntegerArray taken = new AtomicIntegerArray(PRODUCERS);
        for (int i = 0; i < PRODUCERS; i++) {
            final int producer = i;
            crew.start(() -> produce(queue, both[0], producer, count, taken));
        }
        final long deadline = System.nanoTime() + Patience.nanos();
        while (ledger.total() < PRODUCERS * count) {
            assertThat(System.nanoTime()).as("%d, %s, taken %s", ledger.total(), queue, taken).isLessThan(deadline);
            if (queue.drain(32) <= 0) {
                Thread.yield();
            }
            pollBoth(both, ledger);
        }
        assertThat(queue.drain(32)).isZero();
        assertThat(ledger.completed).containsOnly(count);
    }

    @Test
    void closingAmongOffersLosesNothingOfWhatWasTaken() {
        final Peer[] both = connected(devices);
        int some = 0;
        for (int round = 0; round < 150; round++) {
            some += closeAmongOffers(both, round) > 0 ? 1 : 0;
        }
        assertThat(some).as("rounds in which something was taken").isPositive();
    }

    private int closeAmongOffers(final Peer[] both, final int round) {
        final Ledger ledger = new Ledger();
        final SharedSendQueue queue = new SharedSendQueue(both[0].qp, 8, ledger::report);
        final AtomicIntegerArray taken = new AtomicIntegerArray(PRODUCERS);
        final Thread[] producers = new Thread[PRODUCERS];
        for (int i = 0; i < PRODUCERS; i++) {
            final int producer = i;
            producers[i] = crew.start(() -> produce(queue, both[0], producer, Integer.MAX_VALUE, taken));
        }
        crew.start(() -> {
            LockSupport.parkNanos(round * 10_000L);
            queue.close();
        });
        final boolean abandons = round % 2 == 0;
        final long deadline = System.nanoTime() + Patience.nanos();
        int code = 0;
        while (code != ReturnCode.CLOSED) {
            assertThat(System.nanoTime()).as("%s, taken %s", queue, taken).isLessThan(deadline);
            code = abandons && queue.isClosed() ? queue.abandon(16) : queue.drain(16);
            pollBoth(both, ledger);
        }
        // All is decided now: an offer that is still under way can only be refused.
        join(producers);
        assertThat(queue.drain(16)).isEqualTo(ReturnCode.CLOSED);
        int accepted = 0;
        for (int i = 0; i < PRODUCERS; i++) {
            accepted += taken.get(i);
        }
        while (ledger.total() < accepted) {
            assertThat(System.nanoTime()).as("%d of %d", ledger.total(), accepted).isLessThan(deadline);
            pollBoth(both, ledger);
        }
        for (int i = 0; i < PRODUCERS; i++) {
            assertThat(ledger.completed[i] + ledger.reported[i]).as("round %d, producer %d", round, i)
                .isEqualTo(taken.get(i));
        }
        return accepted;
    }

    private static void join(final Thread[] threads) {
        try {
            for (final Thread thread : threads) {
                Patience.join(thread);
            }
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
