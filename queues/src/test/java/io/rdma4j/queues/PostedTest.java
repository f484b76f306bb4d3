/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is known of an element from its post to its end, and which number the next one gets. */
@Timeout(60)
class PostedTest {
    private static final int COUNT = 4;

    private final RingMemory memory = RingMemory.plain(COUNT, 128);
    private final SendQueue queue = memory.sendQueue(COUNT, 1);

    private void post() {
        assertThat(queue.claim(0, 0)).as("%s", queue).isNotNegative();
        queue.commit();
        queue.publish();
    }

    private void complete() {
        memory.driver.putInt(RingState.TX_CONS_HEAD_OFFSET, memory.driver.getInt(RingState.TX_PROD_TAIL_OFFSET));
        queue.retireThrough(queue.sequence() - 1);
    }

    /** Two laps are one round of the index: numbers grow, and are those of index 0. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 8", "7, 8", "8, 8", "9, 16", "19, 24", "24, 24", "25, 32"})
    void numbersGoOnAtTheNextRoundAfterAReset(final int posts, final int next) {
        for (int i = 0; i < posts; i++) {
            post();
            complete();
        }
        queue.reset();
        assertThat(queue.sequence()).isEqualTo(next);
        assertThat(queue.outstanding()).isZero();
        for (int i = 0; i < COUNT; i++) {
            post();
        }
        assertThat(queue.claim(0, 0)).isEqualTo(WorkQueue.FULL);
        assertThat(memory.driver.getInt(RingState.TX_PROD_TAIL_OFFSET)).isEqualTo(COUNT);
    }

    @Test
    void isDoneOnceItsCompletionWasSeenAndNotBefore() {
        post();
        post();
        assertThat(queue.isDone(0)).isFalse();
        queue.retireThrough(0);
        assertThat(queue.isDone(0)).isTrue();
        assertThat(queue.isDone(1)).isFalse();
        assertThat(queue.isDone(2)).as("not posted").isFalse();
    }

    @Test
    void whatAClaimIsToldIsThereForThePoller() {
        queue.claim(0, 77, WrOpcode.PVRDMA_WR_RDMA_WRITE, 5, 1, 640);
        queue.commit();
        queue.publish();
        assertThat(queue.userWrId(0)).isEqualTo(77);
        assertThat(queue.flags(0)).isEqualTo(5);
        assertThat(queue.length(0)).isEqualTo(640);
        for (int i = 1; i < COUNT; i++) {
            post();
        }
        assertThat(queue.claim(0, 78, WrOpcode.PVRDMA_WR_RDMA_WRITE, 5, 1, 641)).isEqualTo(WorkQueue.FULL);
        assertThat(queue.userWrId(0)).as("of the slot that is still taken").isEqualTo(77);
    }

    /** While none is ahead, nobody looks for one: a count that stays above 0 would make each poll look. */
    @Test
    void noneIsAheadOnceTheOlderOnesAreDone() {
        for (int i = 0; i < COUNT; i++) {
            post();
        }
        queue.retireOne(2);
        queue.retireOne(1);
        assertThat(queue.ahead).isEqualTo(2);
        queue.retireOne(0);
        assertThat(queue.ahead).as("%s", queue).isZero();
        assertThat(queue.oldestOutstanding()).isEqualTo(3);
        complete();
        for (int i = 0; i < COUNT; i++) {
            post();
        }
        queue.retireOne(5);
        queue.retireThrough(6);
        assertThat(queue.ahead).as("%s", queue).isZero();
        assertThat(queue.oldestOutstanding()).isEqualTo(7);
    }

    @Test
    void receivesSayHowManyEntriesTheyHave() {
        final RingMemory rings = RingMemory.plain(4, 32);
        rings.driver.setMemory(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE, (byte) 0xee);
        final ReceiveQueue receives = rings.receiveQueue(4, 1);
        assertThat(receives.put(0, 1, 0x1000, 64, 9)).isZero();
        assertThat(RqWqe.numSge(rings.driver, Pdir.PAGE_SIZE)).isEqualTo(1);
        assertThat(RqWqe.wrId(rings.driver, Pdir.PAGE_SIZE)).isZero();
        receives.commit();
        final int second = receives.claim(0, 1, 1, 64);
        assertThat(RqWqe.numSge(rings.driver, second)).isEqualTo(1);
        assertThat(rings.driver.getInt(second + RqWqe.NUM_SGE_OFFSET + 4)).as("reserved").isZero();
        receives.commit();
        assertThat(RqWqe.numSge(rings.driver, receives.claim(2))).isZero();

        final SharedReceiveQueue shared = rings.sharedReceiveQueue(4, 1);
        rings.driver.setMemory(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE, (byte) 0xee);
        assertThat(RqWqe.numSge(rings.driver, shared.claim(7, 1, 64))).isEqualTo(1);
        assertThat(RqWqe.wrId(rings.driver, Pdir.PAGE_SIZE)).as("the application's own").isEqualTo(7);
    }

    @Test
    void aSharedQueueKnowsItsLargestBuffer() {
        final SharedReceiveQueue shared = RingMemory.plain(4, 32).sharedReceiveQueue(4, 1);
        assertThat(shared.largest()).isZero();
        shared.claim(1, 64);
        shared.claim(2, 4096);
        shared.claim(3, 65);
        assertThat(shared.largest()).isEqualTo(4096);
    }

    @Test
    void whatWasGivenBackIsNotTakenForReady() {
        final RingMemory cqes = RingMemory.plain(4, Cqe.LENGTH);
        final CompletionQueue completions = cqes.completionQueue(4);
        final CqeProducer device = cqes.cqeProducer(4);
        device.claim();
        device.publish();
        device.claim();
        device.publish();
        assertThat(completions.available(1)).isEqualTo(2);
        completions.consume(1);
        assertThat(completions.available(1)).isEqualTo(1);
        completions.consume(1);
        assertThat(completions.available(1)).isZero();
    }

    @Test
    void saysWhereItIs() {
        post();
        post();
        queue.retireThrough(0);
        assertThat(queue).hasToString("SendQueue[count=4, maxSge=1, doorbell=0x40123456, posted=2, published=2, "
            + "retired=1, prod_tail=2, cons_head=0, totals posted=0, doorbells=0, full=0, retired=1, skipped=0 in "
            + queue.toString().replaceFirst("(?s).* in ", ""));
    }
}
