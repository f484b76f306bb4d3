/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.testing.Background;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Driver and device over the same memory. */
class BothEndsTest {
    private static final int SIGNALED = 1;
    private static final long DEADLINE_SECONDS = 30;

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 1, 1", "3, 2, 4", "4, 16, 16", "5, 64, 8", "6, 8, 64", "7, 1024, 256", "8, 4, 1"})
    void everySignaledSendCompletesOnceAndInOrder(final long seed, final int sqCount, final int cqCount) {
        final Model model = new Model(new Random(seed), sqCount, cqCount);
        for (int step = 0; step < 20_000; step++) {
            model.step();
        }
        assertThat(model.completed).as("progress of seed %d: %s", seed, model).isGreaterThan(500);
    }

    /** A send queue and a completion queue between a driver and a device that take random turns. */
    private static final class Model {
        private static final int MAX_SGE = 3;

        private final Random random;
        private final SendQueue queue;
        private final WqeConsumer consumer;
        private final CompletionQueue completions;
        private final CqeProducer producer;
        private final Deque<Long> expected = new ArrayDeque<>();
        private final Deque<long[]> executing = new ArrayDeque<>();
        private long posted;
        private long executed;
        private long completed;

        Model(final Random random, final int sqCount, final int cqCount) {
            this.random = random;
            final RingMemory qp = RingMemory.plain(sqCount, SqWqe.stride(MAX_SGE));
            final RingMemory cq = RingMemory.plain(cqCount, Cqe.LENGTH);
            queue = qp.sendQueue(sqCount, MAX_SGE);
            consumer = qp.sendConsumer(sqCount, MAX_SGE);
            completions = cq.completionQueue(cqCount);
            producer = cq.cqeProducer(cqCount);
        }

        void step() {
            switch (random.nextInt(4)) {
                case 0 -> post(random.nextInt(2 * queue.count()) + 1);
                case 1 -> fetch();
                case 2 -> complete();
                default -> poll();
            }
        }

        private void post(final int most) {
            int n = 0;
            int wqe = 0;
            while (n < most && (wqe = claim()) >= 0) {
                final UnsafeBuffer buffer = queue.buffer();
                SqWqe.numSge(buffer, wqe, 1);
                Sge.set(buffer, SqWqe.sgeOffset(wqe, 0), ~posted, (int) posted, 7);
                queue.commit();
                posted++;
                n++;
            }
            queue.publish();
            assertThat(wqe).as("%s", this).isNotEqualTo(WorkQueue.DEVICE_ERROR);
            if (wqe == WorkQueue.FULL) {
                assertThat(queue.outstanding()).as("full means full, or not yet retired: %s", this).isPositive();
            }
        }

        /** The last one that fits is signaled, or the queue could never be emptied. */
        private int claim() {
            final boolean last = queue.outstanding() + 1 >= queue.count() || posted % queue.count() == 0;
            final int flags = last || random.nextBoolean() ? SIGNALED : 0;
            final int wqe = queue.claim(posted * 31, flags);
            if (wqe >= 0 && flags == SIGNALED) {
                SqWqe.sendFlags(queue.buffer(), wqe, SIGNALED);
                expected.add(posted * 31);
            }
            return wqe;
        }

        private void fetch() {
            final int available = consumer.available();
            assertThat(available).as("%s", this).isNotNegative();
            final int n = random.nextInt(available + 1);
            for (int i = 0; i < n; i++) {
                final UnsafeBuffer page = consumer.page(i);
                final int offset = consumer.offset(i);
                assertThat(Sge.addr(page, SqWqe.sgeOffset(offset, 0))).as("%s", this).isEqualTo(~executed);
                executed++;
                if (SqWqe.sendFlags(page, offset) == SIGNALED) {
                    executing.add(new long[] {SqWqe.wrId(page, offset)});
                }
            }
            consumer.advance(n);
        }

        private void complete() {
            while (!executing.isEmpty() && producer.claim()) {
                Cqe.wrId(producer.page(), producer.offset(), executing.remove()[0]);
                producer.publish();
            }
            assertThat(producer.isCorrupt()).as("%s", this).isFalse();
        }

        private void poll() {
            final int n = Math.min(completions.available(), random.nextInt(completions.count() + 1));
            assertThat(n).as("%s", this).isNotNegative();
            for (int i = 0; i < n; i++) {
                final long seq = Cqe.wrId(completions.buffer(), completions.cqeOffset(i));
                assertThat(queue.isOutstanding(seq)).as("%s", this).isTrue();
                assertThat(queue.userWrId(seq)).as("%s", this).isEqualTo(expected.remove());
                assertThat(queue.flags(seq)).isEqualTo(SIGNALED);
                assertThat(queue.retireThrough(seq)).isTrue();
                completed++;
            }
            completions.consume(n);
        }

        @Override
        public String toString() {
            return queue + " " + consumer + " " + producer + " " + completions + " executing " + executing.size();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64})
    void twoThreadsLoseNothing(final int count) throws Exception {
        final RingMemory qp = RingMemory.plain(count, RqWqe.stride(1));
        final RingMemory cq = RingMemory.plain(count, Cqe.LENGTH);
        final ReceiveQueue queue = qp.receiveQueue(count, 1);
        final CompletionQueue completions = cq.completionQueue(count);
        final AtomicBoolean stop = new AtomicBoolean();
        final CompletableFuture<Void> device = CompletableFuture.runAsync(
            () -> echo(qp.receiveConsumer(count, 1), cq.cqeProducer(count), stop), Background::run);
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        // Each element of a short ring waits for the other thread; races of those are jcstress'.
        final long total = count < 64 ? 2_000 : 100_000;
        final IdleStrategy idle = idle();
        long posted = 0;
        long completed = 0;
        try {
            while (completed < total && !device.isDone() && System.nanoTime() < deadline) {
                final int sent = postSome(queue, posted, total);
                final int done = pollSome(queue, completions, completed);
                posted += sent;
                completed += done;
                idle.idle(sent + done);
            }
        } finally {
            stop.set(true);
            device.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(completed).as("%s %s", queue, completions).isEqualTo(total);
        assertThat(queue.outstanding()).isZero();
    }

    private static int postSome(final ReceiveQueue queue, final long first, final long end) {
        int n = 0;
        int wqe;
        while (first + n < end && (wqe = queue.claim((first + n) * 5)) >= 0) {
            RqWqe.numSge(queue.buffer(), wqe, 1);
            Sge.set(queue.buffer(), RqWqe.sgeOffset(wqe, 0), (first + n) * 7, 1, 2);
            queue.commit();
            n++;
        }
        queue.publish();
        return n;
    }

    private static int pollSome(final ReceiveQueue queue, final CompletionQueue completions, final long first) {
        final int n = completions.available();
        for (int i = 0; i < n; i++) {
            final int cqe = completions.cqeOffset(i);
            final long seq = Cqe.wrId(completions.buffer(), cqe);
            assertThat(queue.isOutstanding(seq)).as("%d: %s", seq, queue).isTrue();
            assertThat(queue.userWrId(seq)).isEqualTo((first + i) * 5);
            assertThat(Cqe.qp(completions.buffer(), cqe)).as("the address in the WQE").isEqualTo((first + i) * 7);
            queue.retireThrough(seq);
        }
        if (n > 0) {
            completions.consume(n);
        }
        return n;
    }

    /** A device that returns the number and the first address of each WQE. */
    private static void echo(final WqeConsumer consumer, final CqeProducer producer, final AtomicBoolean stop) {
        final IdleStrategy idle = idle();
        while (!stop.get()) {
            if (consumer.peek() == WqeConsumer.HAS_DATA && producer.claim()) {
                final long wrId = RqWqe.wrId(consumer.page(), consumer.offset());
                final long addr = Sge.addr(consumer.page(), RqWqe.sgeOffset(consumer.offset(), 0));
                consumer.advance();
                Cqe.wrId(producer.page(), producer.offset(), wrId);
                Cqe.qp(producer.page(), producer.offset(), addr);
                producer.publish();
                idle.reset();
            } else {
                idle.idle();
            }
        }
    }

    /** Sleeps after some looks: on a busy machine who sleeps gets a processor before who yields. */
    private static IdleStrategy idle() {
        return new BackoffIdleStrategy(100, 0, 1_000, 100_000);
    }

    @Test
    void aHostilePeerGetsCodesAndNoAccessOutsideOfTheRing() {
        final Random random = new Random(20);
        final List<Integer> codes = new ArrayList<>();
        for (int round = 0; round < 2_000; round++) {
            final int count = 1 << random.nextInt(6);
            final RingMemory memory = RingMemory.plain(count, 128);
            final SendQueue queue = memory.sendQueue(count, 3);
            final WqeConsumer consumer = memory.sendConsumer(count, 3);
            for (int i = 0; i < 4 * count; i++) {
                memory.driver.putInt(random.nextInt(2) * 4, random.nextInt() >>> random.nextInt(32));
                final int wqe = queue.claim(i, 0);
                if (wqe >= 0) {
                    SqWqe.numSge(queue.buffer(), wqe, 1);
                    queue.commit();
                    if (random.nextBoolean()) {
                        queue.publish();
                    }
                }
                queue.retireThrough(random.nextInt(4 * count));
                final int available = consumer.available();
                assertThat(available).isBetween(-1, count);
                if (available > 0) {
                    SqWqe.numSge(consumer.page(available - 1), consumer.offset(available - 1));
                    consumer.advance(available);
                }
                codes.add(Math.min(wqe, 0));
            }
        }
        assertThat(codes).contains(0, WorkQueue.FULL, WorkQueue.DEVICE_ERROR);
    }
}
