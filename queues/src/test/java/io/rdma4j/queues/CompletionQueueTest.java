/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Uar;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionQueueTest {
    private static final int TAIL = RingState.RX_PROD_TAIL_OFFSET;
    private static final int HEAD = RingState.RX_CONS_HEAD_OFFSET;

    @Test
    void givesBackOncePerBatch() {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(8);
        produce(memory.cqeProducer(8), 0, 5);
        assertThat(queue.available()).isEqualTo(5);
        assertThat(memory.driver.getInt(HEAD)).isZero();
        queue.consume(5);
        assertThat(memory.driver.getInt(HEAD)).isEqualTo(5);
        assertThat(memory.driver.getInt(TAIL)).isEqualTo(5);
    }

    @Test
    void looksAgainOnlyIfMoreIsWantedThanIsKnown() {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(8);
        final CqeProducer device = memory.cqeProducer(8);
        produce(device, 0, 2);
        assertThat(queue.available(1)).isEqualTo(2);
        produce(device, 2, 1);
        assertThat(queue.available(2)).as("what was known").isEqualTo(2);
        assertThat(queue.available(3)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 4096})
    void wrapsAroundManyTimes(final int count) {
        final RingMemory memory = RingMemory.plain(count, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(count);
        final CqeProducer device = memory.cqeProducer(count);
        final Random random = new Random(count);
        long produced = 0;
        long consumed = 0;
        while (consumed < 10L * count) {
            final int more = random.nextInt(count + 1 - (int) (produced - consumed));
            produce(device, produced, more);
            produced += more;
            assertThat(device.claim()).isEqualTo(produced - consumed < count);
            final int available = queue.available();
            assertThat(available).as(queue.toString()).isEqualTo((int) (produced - consumed));
            final int taken = random.nextInt(available + 1);
            for (int i = 0; i < taken; i++) {
                assertThat(Cqe.wrId(queue.buffer(), queue.cqeOffset(i))).isEqualTo(consumed++);
            }
            queue.consume(taken);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 16, 17, 0x1000000, 15, 9})
    void refusesAnImpossibleDeviceIndex(final int prodTail) {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(8);
        memory.driver.putInt(TAIL, prodTail);
        assertThat(queue.available()).as(queue.toString()).isEqualTo(CompletionQueue.CORRUPT);
        assertThat(queue.available(1)).isEqualTo(CompletionQueue.CORRUPT);
        assertThat(queue.purge(1)).isEqualTo(CompletionQueue.CORRUPT);
    }

    @Test
    void everyOffsetIsInsideOfTheRing() {
        final CompletionQueue queue = RingMemory.plain(8, Cqe.LENGTH).completionQueue(8);
        for (final int i : new int[] {0, 7, 8, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(queue.cqeOffset(i)).isBetween(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE + 7 * Cqe.LENGTH);
        }
    }

    @Test
    void ringsForPollAndArming() {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(8);
        queue.poke();
        queue.arm();
        queue.armSolicited();
        queue.armWord(Uar.CQ_ARM | Uar.CQ_ARM_SOL);
        assertThat(memory.log).containsExactly("doorbell +4 0x80123456 tx 0 rx 0", "doorbell +4 0x40123456 tx 0 rx 0",
            "doorbell +4 0x20123456 tx 0 rx 0", "doorbell +4 0x60123456 tx 0 rx 0");
    }

    @Test
    void purgeComparesTheWholeHandle() {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(8);
        final CqeProducer device = memory.cqeProducer(8);
        produceFor(device, 0x010005, 0);
        produceFor(device, 0x000005, 1);
        assertThat(queue.purge(0x010005)).isEqualTo(1);
        assertThat(contents(queue)).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void survivorsOfAPurgeKeepTheirOrder(final long seed) {
        final Random random = new Random(seed);
        final int count = 1 << random.nextInt(7);
        final RingMemory memory = RingMemory.plain(count, Cqe.LENGTH);
        final CompletionQueue queue = memory.completionQueue(count);
        final CqeProducer device = memory.cqeProducer(count);
        final List<long[]> model = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            for (int i = random.nextInt(count + 1 - model.size()); i > 0; i--) {
                final long[] entry = {random.nextInt(4), random.nextLong()};
                produceFor(device, (int) entry[0], entry[1]);
                model.add(entry);
            }
            final int qp = random.nextInt(4);
            final int before = model.size();
            model.removeIf(entry -> entry[0] == qp);
            assertThat(queue.purge(qp)).as("seed %d round %d %s", seed, round, queue).isEqualTo(before - model.size());
            assertThat(contents(queue)).containsExactlyElementsOf(model.stream().map(entry -> entry[1]).toList());
            final int taken = random.nextInt(model.size() + 1);
            queue.consume(taken);
            model.subList(0, taken).clear();
        }
    }

    @Test
    void refusesGeometryThatDoesNotFit() {
        final UnsafeBuffer two = new UnsafeBuffer(RingMemory.allocate(2));
        final Doorbell silent = (offset, word) -> { };
        for (final int count : new int[] {0, 3, 65, 128, -64, 1 << 30}) {
            assertThatThrownBy(() -> new CompletionQueue(two, 8, Pdir.PAGE_SIZE, count, silent, 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("count " + count);
        }
        assertThatThrownBy(() -> new CompletionQueue(two, 8, Pdir.PAGE_SIZE, 64, silent, 1 << 24))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("0x1000000");
    }

    private static List<Long> contents(final CompletionQueue queue) {
        final List<Long> numbers = new ArrayList<>();
        final int n = queue.available();
        for (int i = 0; i < n; i++) {
            numbers.add(Cqe.wrId(queue.buffer(), queue.cqeOffset(i)));
        }
        return numbers;
    }

    private static void produce(final CqeProducer device, final long first, final int n) {
        for (int i = 0; i < n; i++) {
            produceFor(device, 1, first + i);
        }
    }

    private static void produceFor(final CqeProducer device, final int qp, final long wrId) {
        assertThat(device.claim()).as(device.toString()).isTrue();
        Cqe.wrId(device.page(), device.offset(), wrId);
        Cqe.qp(device.page(), device.offset(), qp);
        device.publish();
    }
}
