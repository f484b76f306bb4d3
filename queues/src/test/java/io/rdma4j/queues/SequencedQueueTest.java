/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which completions a queue believes. */
class SequencedQueueTest {
    private SendQueue queue;

    @BeforeEach
    void postFive() {
        queue = RingMemory.plain(8, 128).sendQueue(8, 1);
        for (int i = 0; i < 5; i++) {
            queue.claim(1000 + i, i);
            queue.commit();
        }
        queue.publish();
    }

    @Test
    void knowsTheIdentifiersOfTheApplication() {
        for (int seq = 0; seq < 5; seq++) {
            assertThat(queue.isOutstanding(seq)).isTrue();
            assertThat(queue.userWrId(seq)).isEqualTo(1000 + seq);
            assertThat(queue.flags(seq)).isEqualTo(seq);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 8, 13, 1L << 32, 1L << 32 | 2, Long.MAX_VALUE, -1, Long.MIN_VALUE, -8})
    void refusesNumbersThatWereNeverPosted(final long seq) {
        assertThat(queue.isOutstanding(seq)).isFalse();
        assertThat(queue.retireThrough(seq)).isFalse();
        assertThat(queue.outstanding()).isEqualTo(5);
        assertThat(queue.userWrId(seq)).as("no exception for a forged number").isBetween(0L, 1004L);
    }

    @Test
    void refusesASecondCompletionOfTheSameElement() {
        assertThat(queue.retireThrough(1)).isTrue();
        assertThat(queue.retireThrough(1)).isFalse();
        assertThat(queue.retireThrough(0)).isFalse();
        assertThat(queue.outstanding()).isEqualTo(3);
    }

    @Test
    void aCompletionRetiresTheSilentOnesBeforeIt() {
        assertThat(queue.retireThrough(3)).isTrue();
        assertThat(queue.isOutstanding(2)).isFalse();
        assertThat(queue.oldestOutstanding()).isEqualTo(4);
        assertThat(queue.outstanding()).isEqualTo(1);
    }

    @Test
    void doesNotBelieveCompletionsOfWhatTheDeviceWasNotShown() {
        queue.claim(7, 0);
        queue.commit();
        assertThat(queue.isOutstanding(5)).isFalse();
        queue.publish();
        assertThat(queue.isOutstanding(5)).isTrue();
    }

    @Test
    void whatIsLeftCanBeCompletedOnBehalfOfTheDevice() {
        queue.retireThrough(1);
        final List<Long> flushed = new ArrayList<>();
        for (long seq = queue.oldestOutstanding(); seq >= 0; seq = queue.oldestOutstanding()) {
            flushed.add(queue.userWrId(seq));
            queue.retireThrough(seq);
        }
        assertThat(flushed).containsExactly(1002L, 1003L, 1004L);
        assertThat(queue.outstanding()).isZero();
    }

    @Test
    void keepsLengthAndFlagsApart() {
        queue.claim(-1, -1, 0x7fff_ffff);
        queue.commit();
        queue.claim(Long.MIN_VALUE, 0, 1);
        queue.commit();
        queue.publish();
        assertThat(queue.userWrId(5)).isEqualTo(-1);
        assertThat(queue.flags(5)).isEqualTo(-1);
        assertThat(queue.length(5)).isEqualTo(0x7fff_ffff);
        assertThat(queue.userWrId(6)).isEqualTo(Long.MIN_VALUE);
        assertThat(queue.flags(6)).isZero();
        assertThat(queue.length(6)).isEqualTo(1);
        assertThat(queue.userWrId(4)).isEqualTo(1004);
    }

    @Test
    void anElementCanCompleteAheadOfOlderOnes() {
        assertThat(queue.retireOne(2)).isTrue();
        assertThat(queue.isOutstanding(2)).isFalse();
        assertThat(queue.retireOne(2)).as("twice").isFalse();
        assertThat(queue.retireThrough(2)).as("twice").isFalse();
        assertThat(queue.outstanding()).as("no slot is free before the oldest").isEqualTo(5);
        assertThat(queue.retireOne(1)).isTrue();
        assertThat(queue.oldestOutstanding()).isZero();
        assertThat(queue.retireOne(0)).isTrue();
        assertThat(queue.oldestOutstanding()).isEqualTo(3);
        assertThat(queue.outstanding()).isEqualTo(2);
    }

    @Test
    void retiringThroughPassesWhatIsDoneAlready() {
        queue.retireOne(1);
        queue.retireOne(3);
        queue.retireOne(4);
        assertThat(queue.retireThrough(2)).isTrue();
        assertThat(queue.oldestOutstanding()).isEqualTo(-1);
        assertThat(queue.outstanding()).isZero();
    }

    @Test
    void whatCompletedAheadIsForgottenByAReset() {
        queue.retireOne(2);
        queue.reset();
        assertThat(queue.oldestOutstanding()).isEqualTo(-1);
        for (int lap = 0; lap < 3; lap++) {
            for (int i = 0; i < 8; i++) {
                assertThat(queue.claim(i, 0)).as(queue.toString()).isNotNegative();
                queue.commit();
            }
            queue.publish();
            queue.buffer().putInt(4, (lap + 1) * 8 & 15);
            final long first = queue.oldestOutstanding();
            for (int i = 7; i >= 0; i--) {
                assertThat(queue.isOutstanding(first + i)).as("%d of %s", first + i, queue).isTrue();
                assertThat(queue.retireOne(first + i)).isTrue();
            }
            assertThat(queue.outstanding()).isZero();
        }
    }
}
