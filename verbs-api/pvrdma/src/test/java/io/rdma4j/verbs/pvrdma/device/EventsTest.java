/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Dsr.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventsTest {
    private static final long SECONDS_10 = Patience.nanos();

    private FakePvrdma fake = new FakePvrdma();
    private final List<String> seen = new ArrayList<>();
    private PvrdmaDevice device;

    private void open() {
        device = fake.open();
        device.onAsyncEvent((type, info) -> seen.add(type + ":" + info));
    }

    private void notice(final int index, final int newTail, final int handle) {
        fake.event(fake.dsr.get(CQ_RING_PAGES_PDIR_DMA), Cqne.LENGTH, index, newTail, handle);
    }

    @AfterEach
    void everythingCanBeClosed() {
        device.close();
        assertThat(fake.iommu.mappings()).isZero();
    }

    @Test
    void drainsAsynchronousEventsInOrder() {
        open();
        final long ring = fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA);
        assertThat(device.pollAsyncEvents()).isZero();

        fake.event(ring, Eqe.LENGTH, 0, 0, 0, 9);
        fake.event(ring, Eqe.LENGTH, 1, 2, 15, 4);

        assertThat(device.pollAsyncEvents()).isEqualTo(2);
        assertThat(seen).containsExactly("0:9", "15:4");
        assertThat(fake.consHead(ring)).isEqualTo(2);
        assertThat(device.pollAsyncEvents((type, info) -> seen.add("again"))).isZero();
        assertThat(device.counters()).containsEntry("asynchronous events", 2L);
    }

    @Test
    void anUnheardEventIsDrainedAllTheSame() {
        open();
        device.onAsyncEvent(null);
        fake.event(fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA), Eqe.LENGTH, 0, 1, 0, 9);

        assertThat(device.pollAsyncEvents()).isEqualTo(1);
    }

    /** With three pages of elements the index of both ends counts to 1023 and uses 512 slots; see RingIndex. */
    @Test
    void followsTheAsynchronousRingOverItsStrangeEnd() {
        open();
        final long ring = fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA);
        for (int i = 0; i < 3000; i++) {
            fake.event(ring, Eqe.LENGTH, i % 512, (i + 1) % 1024, 3, i);
            assertThat(device.pollAsyncEvents()).as("event %d", i).isEqualTo(1);
            assertThat(seen.get(i)).isEqualTo("3:" + i);
        }
        assertThat(device.failed()).isFalse();
    }

    @Test
    void followsATrueRingOfFivePages() {
        device = PvrdmaDevice.open(fake, fake.options().eventRingPages(5));
        final long ring = fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA);
        for (int i = 0; i < 5000; i++) {
            fake.event(ring, Eqe.LENGTH, i % 2048, (i + 1) % 4096, 3, i);
            assertThat(device.pollAsyncEvents((type, info) -> seen.add("" + info))).isEqualTo(1);
            assertThat(seen.get(i)).isEqualTo("" + i);
        }
    }

    @Test
    void takesAtMostOneRingFullAtATime() {
        device = PvrdmaDevice.open(fake, fake.options().eventRingPages(2));
        final long ring = fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA);
        final int[] tail = {1};
        fake.event(ring, Eqe.LENGTH, 0, tail[0], 3, 0);

        final int taken = device.pollAsyncEvents((type, info) -> {
            final int index = tail[0] % 512;
            tail[0] = (tail[0] + 1) % 1024;
            fake.event(ring, Eqe.LENGTH, index, tail[0], 3, 0);
        });

        assertThat(taken).isEqualTo(512);
        assertThat(device.counters()).containsEntry("overruns of the asynchronous event ring", 0L);
        assertThat(device.failed()).isFalse();
    }

    /** A true ring of 512: a device that finds it full drops what comes then. */
    @Test
    void tellsThatEventsMayBeMissingOfARingThatWasFull() {
        device = PvrdmaDevice.open(fake, fake.options().eventRingPages(2));
        final long ring = fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA);
        for (int i = 0; i < 512; i++) {
            fake.event(ring, Eqe.LENGTH, i, i + 1, 3, i);
        }
        assertThat(device.pollAsyncEvents((type, info) -> seen.add(type + ":" + info))).isEqualTo(512);
        assertThat(seen).hasSize(513).startsWith(PvrdmaDevice.EVENTS_LOST + ":0", "3:0").endsWith("3:511");
        assertThat(fake.consHead(ring)).isEqualTo(512);
        assertThat(device.pollAsyncEvents((type, info) -> seen.add("again"))).isZero();
        assertThat(device.counters()).containsEntry("overruns of the asynchronous event ring", 1L)
            .containsEntry("asynchronous events", 512L);
    }

    @Test
    void takesAnIndexThatRunsAheadOfTheEventsForALoss() {
        open();
        fake.event(fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA), Eqe.LENGTH, 0, 3, 3, 7);

        assertThat(device.pollAsyncEvents()).isEqualTo(1);
        assertThat(device.pollAsyncEvents()).isZero();

        assertThat(seen).containsExactly("3:7", PvrdmaDevice.EVENTS_LOST + ":0");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x1000, -1, 0x80000000, 1024, 4096})
    void anIndexThatIsNoneFailsTheDevice(final int index) {
        open();
        fake.event(fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA), Eqe.LENGTH, 0, index, 1, 1);

        assertThat(device.pollAsyncEvents()).isZero();

        assertThat(device.failed()).isTrue();
        assertThat(device.failure()).contains("asynchronous events[prod_tail=0x" + Integer.toHexString(index));
        assertThat(seen).as("the failure itself, and nothing from the ring").containsExactly("8:0");
        assertThat(device.counters()).containsEntry("corrupt event rings", 1L);
        assertThat(device.awaitAsyncEvents(SECONDS_10)).as("does not wait").isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x2000, -1, 0x80000000, 2048})
    void anIndexThatIsNoneInTheNotificationRingFailsTheDevice(final int index) {
        open();
        notice(0, index, 1);

        assertThat(device.notifications().drain(handle -> seen.add("bad"))).isEqualTo(NotificationRing.CORRUPT);
        assertThat(device.notifications().discard()).isEqualTo(NotificationRing.CORRUPT);

        assertThat(device.failure()).contains("completion notices");
        assertThat(seen).containsExactly("8:0");
    }

    @Test
    void namesTheCqsThatHaveSomething() {
        open();
        notice(0, 0, 5);
        notice(1, 2, 0xffffff);

        assertThat(device.notifications().drain(handle -> seen.add("cq" + handle))).isEqualTo(2);

        assertThat(seen).containsExactly("cq5", "cq16777215");
        assertThat(fake.consHead(fake.dsr.get(CQ_RING_PAGES_PDIR_DMA))).isEqualTo(2);
        assertThat(device.notifications().drain(handle -> seen.add("more"))).isZero();
    }

    @Test
    void discardsWhatAPollerDoesNotNeed() {
        open();
        notice(0, 700, 5);

        assertThat(device.notifications().discard()).isZero();

        assertThat(fake.consHead(fake.dsr.get(CQ_RING_PAGES_PDIR_DMA))).isEqualTo(700);
        assertThat(device.notifications().drain(handle -> seen.add("more"))).isZero();
    }

    /** Notices one after the other, as a device writes them that does not see a ring of 3072 full. */
    private void notices(final int from, final int count) {
        for (int i = from; i < from + count; i++) {
            notice(i % 1024, (i + 1) % 2048, i);
        }
    }

    /** The ring wraps after 1024 notices, and its index after 2048: then it looks empty. */
    @ParameterizedTest
    @ValueSource(ints = {512, 1000, 1023, 1024, 1025, 1500, 2047, 2048, 2049, 2050, 3000, 3071, 3072, 4095, 4096, 4099,
        6200})
    void noticesThatMayHaveBeenOverwrittenMeanEveryArmedCq(final int count) {
        for (int before = 0; before < 5; before++) {
            fake.vectors.granted = 1;
            open();
            notices(0, before);
            assertThat(device.notifications().drain(handle -> { })).isEqualTo(before);

            notices(before, count);

            assertThat(device.awaitCompletionEvents(0)).as("also without an interrupt").isTrue();
            assertThat(device.notifications().drain(handle -> { })).isEqualTo(NotificationRing.CHECK_ALL);
            assertThat(device.awaitCompletionEvents(0)).isFalse();
            assertThat(device.notifications().drain(handle -> { })).isZero();
            notices(before + count, 3);
            assertThat(device.notifications().drain(handle -> seen.add("" + handle))).isEqualTo(3);
            assertThat(seen).endsWith("" + (before + count), "" + (before + count + 1), "" + (before + count + 2));
            assertThat(device.counters()).containsEntry("overruns of the notification ring", 1L);
            device.close();
            fake = new FakePvrdma();
        }
        open();
    }

    /** Whoever takes notices while the device writes more. */
    @ParameterizedTest
    @ValueSource(ints = {1, 510, 600, 1023, 1024, 1025, 2046, 2047, 2048, 2049, 2050, 5000})
    void aDeviceThatRunsAheadWhileNoticesAreTakenIsFoundOut(final int more) {
        open();
        notices(0, 100);
        final int[] calls = new int[1];

        final int result = device.notifications().drain(handle -> {
            if (calls[0]++ == 50) {
                notices(100, more);
            }
        });

        assertThat(result).isEqualTo(more < 450 ? 100 + more : NotificationRing.CHECK_ALL);
    }

    @Test
    void fewNoticesAtATimeAreNoOverrunHoweverManyTheyAre() {
        open();
        for (int from = 0; from < 10_000; from += 500) {
            notices(from, 500);
            assertThat(device.notifications().drain(handle -> seen.add("" + handle))).isEqualTo(500);
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(seen.get(i)).isEqualTo("" + i);
        }
    }

    /** A device that finds the ring full writes no notice. */
    @Test
    void afterAFullRingEveryArmedCqIsLookedAt() {
        device = PvrdmaDevice.open(fake, fake.options().eventRingPages(2));
        for (int i = 0; i < 1024; i++) {
            notice(i, i + 1, i);
        }
        assertThat(device.notifications().drain(handle -> { })).isEqualTo(NotificationRing.CHECK_ALL);
        notice(0, 1025, 9);
        assertThat(device.notifications().drain(handle -> seen.add("" + handle))).isEqualTo(1);
        assertThat(seen).containsExactly("9");
    }

    @Test
    void onQemuANoticeMeansEveryArmedCq() {
        fake.qemu();
        open();
        notice(0, 3, 5);

        assertThat(device.notifications().drain(handle -> seen.add("cq"))).isEqualTo(NotificationRing.CHECK_ALL);

        assertThat(seen).isEmpty();
        assertThat(fake.consHead(fake.dsr.get(CQ_RING_PAGES_PDIR_DMA))).isEqualTo(3);
        assertThat(device.awaitCompletionEvents(1_000_000)).isFalse();
    }

    @Test
    void whatFiredBeforeTheWaitEndsItAtOnce() {
        open();
        fake.vectors.fire(2);
        assertThat(device.awaitCompletionEvents(SECONDS_10)).isTrue();
        assertThat(device.awaitCompletionEvents(0)).isFalse();

        fake.vectors.fire(1);
        assertThat(device.awaitAsyncEvents(SECONDS_10)).isTrue();
        notice(0, 1, 5);
        assertThat(device.awaitCompletionEvents(SECONDS_10)).as("already in the ring").isTrue();
    }

    @Test
    void theDeadlineOfAWaitIsKept() {
        open();
        final long start = System.nanoTime();

        assertThat(device.awaitCompletionEvents(20_000_000)).isFalse();

        assertThat(System.nanoTime() - start).isBetween(20_000_000L, Patience.nanos());
    }

    private boolean awaitWhile(final Runnable action) throws InterruptedException {
        final AtomicReference<Boolean> result = new AtomicReference<>();
        final Thread waiter = new Thread(() -> result.set(device.awaitCompletionEvents(SECONDS_10 * 3)));
        waiter.start();
        Thread.sleep(20);
        action.run();
        Patience.join(waiter);
        assertThat(result.get()).as("the wait ended").isNotNull();
        return result.get();
    }

    @Test
    void anInterruptEndsTheWait() throws InterruptedException {
        open();
        assertThat(awaitWhile(() -> fake.vectors.fire(2))).isTrue();
    }

    @Test
    void withoutAVectorTheRingIsPolled() throws InterruptedException {
        fake.vectors.granted = 1;
        open();
        assertThat(awaitWhile(() -> notice(0, 1, 5))).isTrue();
    }

    @Test
    void aFailureEndsTheWait() throws InterruptedException {
        open();
        assertThat(awaitWhile(() -> device.fail("test"))).isFalse();
    }

    @Test
    void closingEndsTheWait() throws InterruptedException {
        open();
        assertThat(awaitWhile(() -> device.close())).isFalse();
    }

    @Test
    void anInterruptedThreadDoesNotWait() {
        open();
        Thread.currentThread().interrupt();

        assertThat(device.awaitCompletionEvents(SECONDS_10)).isFalse();

        assertThat(Thread.interrupted()).as("the flag stays").isTrue();
    }
}
