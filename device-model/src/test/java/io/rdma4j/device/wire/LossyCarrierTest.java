/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;


import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.wire.FateSequence.Fate;
import io.rdma4j.device.wire.LossOptions.Direction;
import io.rdma4j.testing.Allocations;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong, how often, and that it is the same each time. */
@Timeout(120)
class LossyCarrierTest {
    private static final String FIRST = "127.73.0.2";
    private static final String SECOND = "127.73.0.3";
    private static final int MANY = 4_000;
    /** Of the frames that are sent behind the others, so that held ones come out. */
    private static final int LAST = 1 << 20;

    private static Ends lossy(String options) {
        final Counters counters = new Counters();
        final LossOptions parsed = LossOptions.parse(options);
        return new Ends(counters, LossyCarrier.wrap(Ends.open(FIRST, counters), parsed),
            LossyCarrier.wrap(Ends.open(SECOND, counters), parsed), Ends.gid(FIRST), Ends.gid(SECOND));
    }

    private static LossyCarrier lossy(Carrier carrier) {
        return (LossyCarrier) carrier;
    }

    private static long all(LossyCarrier carrier) {
        long all = 0;
        for (Fate each : Fate.values()) {
            all += carrier.count(each);
        }
        return all;
    }

    /** Sends many frames, a few at a time; gives the numbers of those that came, in their order. */
    private static List<Integer> run(Ends ends, int frames) {
        final List<Integer> came = new ArrayList<>();
        final FrameReceiver receiver = frame -> {
            final Ends.Came copy = Ends.copy(frame);
            assertThat(Ends.isWhole(copy.bytes(), copy.psn())).isTrue();
            assertThat(copy.source()).isEqualTo(ends.here);
            came.add(copy.psn());
        };
        for (int i = 0; i < frames; i++) {
            assertThat(ends.send(i, 16 + i % 32 * 4)).isTrue();
            if (i % 16 == 15) {
                ends.from.flush();
                ends.to.poll(receiver, 1000);
            }
        }
        drain(ends, receiver);
        return came;
    }

    /** Polls until everything that is held anywhere came out: the kernel has what was sent to this host at once. */
    private static void drain(Ends ends, FrameReceiver receiver) {
        for (int quiet = 0; quiet < 5; quiet++) {
            ends.from.poll(receiver, 1000);
            ends.from.flush();
            if (ends.to.poll(receiver, 1000) > 0) {
                quiet = 0;
            }
            ends.to.await(2_000_000);
        }
    }

    @Test
    void withoutRatesNothingHappens() {
        try (Ends ends = lossy("")) {
            assertThat(run(ends, MANY)).isSorted().doesNotHaveDuplicates().hasSize(MANY);
            assertThat(lossy(ends.from).count(Fate.NONE)).isEqualTo(MANY);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Direction.class, names = {"SEND", "RECEIVE"})
    void losesAsManyAsAskedFor(Direction direction) {
        try (Ends ends = lossy("drop:10,seed:7,on:" + direction.name().toLowerCase(Locale.ROOT))) {
            final List<Integer> came = run(ends, MANY);
            assertThat(came).isSorted().doesNotHaveDuplicates();
            assertThat(came.size()).isBetween(MANY * 87 / 100, MANY * 93 / 100);
            final LossyCarrier at = lossy(direction == Direction.SEND ? ends.from : ends.to);
            assertThat(at.count(Fate.DROP)).isEqualTo(MANY - came.size());
            assertThat(all(lossy(direction == Direction.SEND ? ends.to : ends.from))).as("the other end").isZero();
            assertThat(at.toString()).contains("DROP " + at.count(Fate.DROP));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Direction.class, names = {"SEND", "RECEIVE"})
    void repeatsAndReordersAndDelaysWithoutLoss(Direction direction) {
        try (Ends ends = lossy("duplicate:5,reorder:5,delay:2,us:300,on:"
            + direction.name().toLowerCase(Locale.ROOT))) {
            final List<Integer> came = run(ends, MANY);
            final LossyCarrier at = lossy(direction == Direction.SEND ? ends.from : ends.to);
            final Set<Integer> different = new HashSet<>(came);
            assertThat(different).hasSize(MANY);
            assertThat(came).hasSize(MANY + (int) at.count(Fate.DUPLICATE));
            assertThat(at.count(Fate.DUPLICATE)).isBetween(MANY * 35L / 1000, MANY * 65L / 1000);
            assertThat(at.count(Fate.REORDER)).isBetween(MANY * 35L / 1000, MANY * 65L / 1000);
            assertThat(at.count(Fate.DELAY)).isBetween(MANY * 10L / 1000, MANY * 30L / 1000);
            final List<Integer> sorted = new ArrayList<>(came);
            Collections.sort(sorted);
            assertThat(came).isNotEqualTo(sorted);
        }
    }

    /** A frame that waits to be overtaken comes though none follows. */
    @Test
    void theLastFrameComesToo() {
        try (Ends ends = lossy("reorder:100,us:100,on:send")) {
            ends.send(LAST, 64);
            final List<Integer> came = new ArrayList<>();
            while (came.isEmpty()) {
                ends.from.await(1_000_000);
                ends.from.poll(frame -> { }, 10);
                ends.from.flush();
                ends.to.poll(frame -> came.add(Ends.copy(frame).psn()), 10);
            }
            assertThat(came).containsExactly(LAST);
        }
    }

    /** A damaged frame goes over the network, and the other end notices by its check sum. */
    @Test
    void theCheckSumNoticesEachDamagedFrame() {
        try (Ends ends = lossy("corrupt:20,on:send")) {
            final List<Integer> came = run(ends, MANY);
            final long damaged = lossy(ends.from).count(Fate.CORRUPT);
            assertThat(damaged).isBetween(MANY * 17L / 100, MANY * 23L / 100);
            assertThat(came).hasSize(MANY - (int) damaged).isSorted();
            assertThat(ends.count(Counter.WIRE_BAD_CHECK_SUM) + ends.count(Counter.WIRE_MALFORMED)).isEqualTo(damaged);
        }
    }

    /** Where there is no check sum, or it has been checked, a damaged frame must not get through. */
    @Test
    void whatNobodyWouldNoticeIsLost() {
        try (Ends ends = lossy("corrupt:20,on:receive")) {
            final List<Integer> came = run(ends, MANY);
            assertThat(came).hasSize(MANY - (int) lossy(ends.to).count(Fate.CORRUPT));
            assertThat(lossy(ends.to).count(Fate.CORRUPT)).isPositive();
            assertThat(ends.count(Counter.WIRE_BAD_CHECK_SUM)).isZero();
        }
    }

    @Test
    void theSameSeedIsTheSameFate() {
        final List<List<Integer>> came = new ArrayList<>();
        for (int seed : new int[] {3, 3, 4}) {
            try (Ends ends = lossy("drop:10,duplicate:10,on:send,seed:" + seed)) {
                came.add(run(ends, 500));
            }
        }
        assertThat(came.get(1)).isEqualTo(came.get(0));
        assertThat(came.get(2)).isNotEqualTo(came.get(0));
    }

    /** Another rate of something else hits the same frames. */
    @Test
    void oneRateDoesNotChangeAnother() {
        final FateSequence plain = new FateSequence(LossOptions.parse("drop:10"), 1);
        final FateSequence more = new FateSequence(LossOptions.parse("drop:10,reorder:30,duplicate:10"), 1);
        final FateSequence other = new FateSequence(LossOptions.parse("drop:10"), 2);
        int same = 0;
        for (int i = 0; i < MANY; i++) {
            final boolean dropped = plain.next() == Fate.DROP;
            assertThat(more.next() == Fate.DROP).isEqualTo(dropped);
            same += other.next() == Fate.DROP == dropped ? 1 : 0;
            assertThat(plain.detail()).isNotNegative();
            assertThat(plain.overtaking()).isBetween(1, 4);
        }
        assertThat(same).as("another stream").isLessThan(MANY);
    }

    @Test
    void aWayIsTheSameEachTime() {
        try (Ends ends = lossy("drop:1")) {
            assertThat(ends.from.lane(ends.here, ends.there)).isSameAs(ends.lane);
            ends.from.unbind(ends.here);
            assertThat(ends.lane.isOpen()).isFalse();
            assertThat(ends.send(1, 16)).isFalse();
            assertThat(ends.from.lane(ends.here, ends.there)).isNull();
            ends.from.bind(ends.here);
            assertThat(ends.from.lane(ends.here, ends.there)).isNotSameAs(ends.lane);
        }
    }

    @Test
    void nothingIsAllocatedForAFrame() {
        try (Ends ends = lossy("drop:5,duplicate:5,reorder:5,delay:5,corrupt:5,us:10")) {
            final FrameReceiver receiver = frame -> { };
            assertThat(Allocations.perStep(MANY, 0.09, () -> {
                ends.lane.lock().lock();
                if (ends.lane.claim(64) != 0) {
                    ends.lane.commit(0, 0, 0);
                }
                ends.lane.lock().unlock();
                ends.from.flush();
                ends.from.poll(receiver, 16);
                ends.to.poll(receiver, 16);
            })).as("bytes for a frame").isLessThan(0.1);
        }
    }

    @Test
    void optionsAreRead() {
        assertThat(LossOptions.parse("")).isEqualTo(new LossOptions(0, 0, 0, 0, 0, 1_000_000, 1, Direction.BOTH));
        assertThat(LossOptions.parse(
            "drop:1,duplicate:0.5,reorder:100,delay:0.0001,corrupt:2.25,us:500,seed:-7,on:send"))
            .isEqualTo(new LossOptions(10_000, 5_000, 1_000_000, 1, 22_500, 500_000, -7, Direction.SEND));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"drop | has no value", "drop:x | is not a number of per cent",
        "drop:101 | is not from 0 to 100", "drop:-1 | is not from 0 to 100", "drop:0.00001 | four decimals",
        "drop:1e99 | not from 0 to 100", "drop:1,drop:2 | stands twice", "loss:1 | is not known", "us:0 | from 1 to",
        "us:99999999 | from 1 to", "seed:x | is not a number", "on:me | neither", "drop:1, | has no value"})
    void optionsThatMakeNoSenseAreRefused(String text, String why) {
        assertThatThrownBy(() -> LossOptions.parse(text)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EINVAL").hasMessageContaining(why).hasMessageContaining(text)
            .hasMessageContaining("drop:1,duplicate:0.5");
    }
}
