/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The device's end of the rings, against a driver that means no good. */
class DeviceRingTest {
    private static final int TAIL = RingState.RX_PROD_TAIL_OFFSET;
    private static final int HEAD = RingState.RX_CONS_HEAD_OFFSET;

    @Test
    void consumerLooksOnceForABatchAndGivesBackEachTime() {
        final RingMemory memory = RingMemory.plain(8, 128);
        final WqeConsumer consumer = memory.receiveConsumer(8, 7);
        assertThat(consumer.peek()).isEqualTo(WqeConsumer.NO_DATA);
        memory.driver.putIntRelease(TAIL, 2);
        assertThat(consumer.peek()).isEqualTo(WqeConsumer.HAS_DATA);
        memory.driver.putInt(TAIL, -1);
        consumer.advance();
        assertThat(memory.driver.getInt(HEAD)).isEqualTo(1);
        assertThat(consumer.peek()).as("not looked at again").isEqualTo(WqeConsumer.HAS_DATA);
        consumer.advance();
        assertThat(memory.driver.getInt(HEAD)).isEqualTo(2);
        assertThat(consumer.peek()).isEqualTo(WqeConsumer.CORRUPT);
    }

    @Test
    void producerLooksWhenItSeemsFull() {
        final RingMemory memory = RingMemory.plain(2, Cqe.LENGTH);
        memory.driver.putInt(HEAD, -1);
        final CqeProducer producer = memory.cqeProducer(2);
        publish(producer);
        assertThat(memory.driver.getInt(TAIL)).isEqualTo(1);
        publish(producer);
        assertThat(memory.driver.getInt(TAIL)).isEqualTo(2);
        memory.driver.putInt(HEAD, 0);
        assertThat(producer.claim()).isFalse();
        assertThat(producer.isCorrupt()).isFalse();
        memory.driver.putInt(HEAD, 1);
        publish(producer);
        assertThat(memory.driver.getInt(TAIL)).isEqualTo(3);
    }

    @Test
    void consumerKnowsOfMoreOnlyWhatItHasSeen() {
        final RingMemory memory = RingMemory.plain(8, 32);
        final WqeConsumer consumer = memory.receiveConsumer(8, 1);
        memory.driver.putIntRelease(TAIL, 2);
        assertThat(consumer.hasMore()).as("not looked at").isFalse();
        consumer.peek();
        assertThat(consumer.hasMore()).isTrue();
        memory.driver.putIntRelease(TAIL, 3);
        consumer.advance();
        assertThat(consumer.hasMore()).as("not looked at again").isFalse();
    }

    @Test
    void producerShowsWhatItHoldsWithTheNextOrWhenAsked() {
        final RingMemory memory = RingMemory.plain(4, Cqe.LENGTH);
        final CqeProducer producer = memory.cqeProducer(4);
        for (int i = 0; i < 2; i++) {
            assertThat(producer.claim()).isTrue();
            assertThat(producer.offset()).isEqualTo(i * Cqe.LENGTH);
            producer.hold();
            assertThat(memory.driver.getInt(TAIL)).isZero();
        }
        publish(producer);
        assertThat(memory.driver.getInt(TAIL)).isEqualTo(3);
        assertThat(producer.claim()).isTrue();
        producer.hold();
        assertThat(producer.claim()).as("full of what is held").isFalse();
        producer.show();
        assertThat(memory.driver.getInt(TAIL)).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 16, 0x100, 9, 15})
    void consumerRefusesAnImpossibleDriverIndex(final int prodTail) {
        final RingMemory memory = RingMemory.plain(8, 32);
        final WqeConsumer consumer = memory.receiveConsumer(8, 1);
        memory.driver.putInt(TAIL, prodTail);
        assertThat(consumer.peek()).as(consumer.toString()).isEqualTo(WqeConsumer.CORRUPT);
        assertThat(consumer.available()).isEqualTo(WqeConsumer.CORRUPT);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 16, 0x100, 9, 15})
    void producerRefusesAnImpossibleDriverIndex(final int consHead) {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CqeProducer producer = memory.cqeProducer(8);
        for (int i = 0; i < 8; i++) {
            publish(producer);
        }
        memory.driver.putInt(HEAD, consHead);
        assertThat(producer.claim()).as(producer.toString()).isFalse();
        assertThat(producer.isCorrupt()).isTrue();
    }

    /** At each place of the old ring, so that what is pending wraps in some of them. */
    @Test
    void copiesWhatIsPendingToTheBeginningOfAnotherRing() {
        for (int consumed = 0; consumed <= 16; consumed++) {
            final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
            final CqeProducer producer = memory.cqeProducer(8);
            for (int i = 0; i < consumed + 7; i++) {
                memory.driver.putInt(HEAD, Math.min(i, consumed) & 15);
                assertThat(producer.claim()).isTrue();
                producer.page().putLong(producer.offset(), i);
                producer.page().putLong(producer.offset() + Cqe.LENGTH - 8, ~i);
                producer.publish();
            }
            memory.driver.putInt(HEAD, consumed & 15);
            final RingMemory nextMemory = RingMemory.plain(16, Cqe.LENGTH);
            final CqeProducer next = nextMemory.cqeProducer(16);

            assertThat(producer.copyTo(next)).isEqualTo(7);

            assertThat(nextMemory.driver.getInt(TAIL)).isEqualTo(7);
            for (int i = 0; i < 7; i++) {
                final int at = Pdir.PAGE_SIZE + i * Cqe.LENGTH;
                assertThat(nextMemory.driver.getLong(at)).isEqualTo(consumed + i);
                assertThat(nextMemory.driver.getLong(at + Cqe.LENGTH - 8)).isEqualTo(~(consumed + i));
            }
            publish(next);
            assertThat(nextMemory.driver.getInt(TAIL)).isEqualTo(8);
        }
    }

    @Test
    void copiesNothingThatDoesNotFit() {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CqeProducer producer = memory.cqeProducer(8);
        for (int i = 0; i < 5; i++) {
            publish(producer);
        }
        final RingMemory small = RingMemory.plain(4, Cqe.LENGTH);
        assertThat(producer.copyTo(small.cqeProducer(4))).isEqualTo(-1);
        assertThat(small.driver.getInt(TAIL)).isZero();
        memory.driver.putInt(HEAD, 1);
        assertThat(producer.copyTo(small.cqeProducer(4))).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 16, 0x100, 4, 10})
    void copiesNothingForAnImpossibleDriverIndex(final int consHead) {
        final RingMemory memory = RingMemory.plain(8, Cqe.LENGTH);
        final CqeProducer producer = memory.cqeProducer(8);
        for (int i = 0; i < 3; i++) {
            publish(producer);
        }
        memory.driver.putInt(HEAD, consHead);
        final RingMemory next = RingMemory.plain(64, Cqe.LENGTH);
        assertThat(producer.copyTo(next.cqeProducer(64))).isEqualTo(-1);
        assertThat(next.driver.getInt(TAIL)).isZero();
    }

    @Test
    void neverReadsItsOwnIndexBack() {
        final RingMemory memory = RingMemory.plain(8, 32);
        final WqeConsumer consumer = memory.receiveConsumer(8, 1);
        memory.driver.putInt(TAIL, 3);
        memory.driver.putInt(HEAD, 0x7fffffff);
        assertThat(consumer.available()).isEqualTo(3);
        consumer.advance(3);
        assertThat(memory.driver.getInt(HEAD)).isEqualTo(3);

        final CqeProducer producer = RingMemory.plain(8, Cqe.LENGTH).cqeProducer(8);
        producer.claim();
        producer.publish();
        assertThat(producer.toString()).contains("tail=1");
    }

    @Test
    void looksAheadAcrossPages() {
        final RingMemory memory = RingMemory.plain(128, 64);
        final WqeConsumer consumer = memory.receiveConsumer(128, 3);
        memory.driver.putInt(TAIL, 128);
        assertThat(consumer.available()).isEqualTo(128);
        consumer.advance(62);
        assertThat(consumer.offset(1)).isEqualTo(63 * 64);
        assertThat(consumer.offset(2)).isZero();
        assertThat(consumer.page(2).addressOffset()).isEqualTo(memory.driver.addressOffset() + 2 * Pdir.PAGE_SIZE);
        consumer.advance(2);
        assertThat(consumer.page().addressOffset()).isEqualTo(memory.driver.addressOffset() + 2 * Pdir.PAGE_SIZE);
        assertThat(consumer.offset()).isZero();
    }

    @Test
    void resetConsumerBeginsAtIndexZero() {
        final RingMemory memory = RingMemory.plain(8, 32);
        final WqeConsumer consumer = memory.receiveConsumer(8, 1);
        memory.driver.putInt(TAIL, 5);
        assertThat(consumer.peek()).isEqualTo(WqeConsumer.HAS_DATA);
        consumer.advance(4);
        consumer.reset();
        memory.driver.putInt(TAIL, 0);
        assertThat(consumer.peek()).isEqualTo(WqeConsumer.NO_DATA);
        assertThat(consumer.offset()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"8, 1536, 512", "4, 3072, 1024"})
    void eventRingsOfThreePagesUseTheSlotsThatTheFormulasGive(final int length, final int count, final int slots) {
        assertThat(RingGeometry.eventRingElements(RingGeometry.LINUX_EVENT_RING_PAGES, length)).isEqualTo(count);
        final RingMemory memory = RingMemory.plain(count, length);
        final CqeProducer producer = memory.producer(count, length);
        final Set<Long> addresses = new HashSet<>();
        int consumer = 0;
        for (int i = 0; i < 5000; i++) {
            assertThat(producer.claim()).as("never full: %s", producer).isTrue();
            addresses.add(producer.page().addressOffset() + producer.offset());
            producer.page().putInt(producer.offset(), i);
            producer.publish();
            assertThat(RingIndex.hasData(memory.driver.getInt(TAIL), consumer, count)).isEqualTo(RingIndex.HAS_DATA);
            assertThat(memory.driver.getInt(Pdir.PAGE_SIZE + RingIndex.slot(consumer, count) * length)).isEqualTo(i);
            consumer = RingIndex.next(consumer, count);
        }
        assertThat(addresses).hasSize(slots);
    }

    @Test
    void eventElementsOfTheSpecifiedLengthsFit() {
        assertThat(Eqe.LENGTH).isEqualTo(8);
        assertThat(Cqne.LENGTH).isEqualTo(4);
    }

    @Test
    void refusesGeometryThatDoesNotFitItsPages() {
        refusedWqes(1, 33, 128);
        refusedWqes(1, 64, 128);
        refusedWqes(1, 24, 128);
        refusedWqes(1, 0, 128);
        refusedWqes(1, -1, 128);
        refusedWqes(1, Integer.MIN_VALUE, 128);
        refusedWqes(1, 1 << 30, 128);
        refusedWqes(1, 1, 8192);
        refusedWqes(1, 1, 96);
        refusedWqes(1, 1, 0);
        refusedWqes(1, 1, -128);
        refusedWqes(0, 1, 128);
        assertThatThrownBy(() -> new CqeProducer(page(), 8, pages(3), 1537, 8))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1537 elements");
        assertThatThrownBy(() -> new CqeProducer(page(), 4092, pages(1), 1, 8))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("4092");
        assertThatThrownBy(() -> new CqeProducer(page(), -4, pages(1), 1, 8))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("-4");
        final UnsafeBuffer[] shortPage = {new UnsafeBuffer(RingMemory.allocate(1), 0, 2048)};
        assertThatThrownBy(() -> new CqeProducer(page(), 8, shortPage, 1, 8))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("2048");
    }

    private static void refusedWqes(final int pages, final int count, final int stride) {
        assertThatThrownBy(() -> new WqeConsumer(page(), 0, pages(pages), count, stride))
            .isInstanceOf(IllegalArgumentException.class).hasMessageMatching(".*(" + count + "|" + stride + ").*");
    }

    private static void publish(final CqeProducer producer) {
        assertThat(producer.claim()).as(producer.toString()).isTrue();
        producer.publish();
    }

    private static UnsafeBuffer page() {
        return new UnsafeBuffer(RingMemory.allocate(1));
    }

    private static UnsafeBuffer[] pages(final int n) {
        final UnsafeBuffer[] pages = new UnsafeBuffer[n];
        Arrays.setAll(pages, i -> page());
        return pages;
    }
}
