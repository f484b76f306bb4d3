/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.spi.EventQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** More events than somebody takes: none is lost without a word. */
class EventLossTest {
    /** Of three pages of elements indices use 512 slots. */
    private static final int RING = 512;

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private PvrdmaContext device;
    private int next;

    private void raise(final int count) {
        for (int i = 0; i < count; i++) {
            Devices.emulated(device).faults().raiseEvent(AsyncEventType.PORT_ACTIVE.ordinal(), next++);
        }
    }

    private List<AsyncEvent> takeAll() {
        final List<AsyncEvent> events = new ArrayList<>();
        for (AsyncEvent event = device.pollAsyncEvent(); event != null; event = device.pollAsyncEvent()) {
            event.acknowledge();
            events.add(event);
        }
        return events;
    }

    private static void assertNumbers(final List<AsyncEvent> events, final int from, final int to) {
        assertThat(events).extracting(AsyncEvent::type).containsOnly(AsyncEventType.PORT_ACTIVE);
        assertThat(events).extracting(AsyncEvent::number)
            .containsExactlyElementsOf(java.util.stream.IntStream.range(from, to).boxed().toList());
    }

    @Test
    void tellsWhatTheDeviceSaidBeforeTheDriverGaveItUp() {
        final PvrdmaContext context = devices.open();
        Devices.emulated(context).faults().raiseEvent(AsyncEventType.PORT_ACTIVE.ordinal(), 1);
        context.device.fail("test of a device that fails");
        assertThat(context.pollAsyncEvent().type()).isEqualTo(AsyncEventType.PORT_ACTIVE);
        assertThat(context.pollAsyncEvent().type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        assertThat(context.pollAsyncEvent()).isNull();
    }

    @Test
    void losesNothingOfARingThatIsNearlyFull() {
        device = devices.open();
        for (int round = 0; round < 5; round++) {
            final int from = next;
            raise(RING - 2);
            assertNumbers(takeAll(), from, next);
        }
    }

    @Test
    void fetchesEventsWithControlCallsAsTheRingIsSmall() {
        device = devices.open();
        for (int round = 0; round < 6; round++) {
            raise(RING - 2);
            device.queryPort(1);
        }
        assertNumbers(takeAll(), 0, 6 * (RING - 2));
    }

    @Test
    void fetchesEventsWhileAThreadWaitsForCompletions() {
        device = devices.open();
        final Peer a = Peer.rc(device);
        crew.start(() -> Refusals.assertClosed(() -> a.cq.awaitEvent(Duration.ofMinutes(1))));
        for (int round = 0; round < 3; round++) {
            raise(RING - 2);
            final long all = next;
            Crew.await(all + " events fetched", () -> device.counters().get("asynchronous events to be taken") == all);
        }
        assertNumbers(takeAll(), 0, next);
        device.close();
    }

    @Test
    void tellsThatTheRingOverflowedAndGivesOutWhatIsLeft() {
        for (final int more : new int[] {1, RING, 2 * RING - 1, 2 * RING, 2 * RING + 1, 5 * RING - 3}) {
            device = devices.open();
            next = 0;
            raise(RING + more);
            final List<AsyncEvent> events = takeAll();
            assertThat(events.get(0).type()).as("%d too many", more).isEqualTo(AsyncEventType.EVENTS_LOST);
            assertThat(events.get(0).element()).isSameAs(device);
            assertNumbers(events.subList(1, events.size()), next - RING, next);
            assertThat(device.counters()).containsEntry("overruns of the asynchronous event ring", 1L);

            final int from = next;
            raise(RING / 2);
            assertNumbers(takeAll(), from, next);
            assertThat(device.isFailed()).isFalse();
        }
    }

    @Test
    void keepsSomeThousandAndTellsHowManyWereTooMany() {
        device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        while (next < EventQueue.MOST + 100) {
            raise(100);
            device.queryPort(1);
        }
        Devices.emulated(device).faults().raiseEvent(AsyncEventType.QP_FATAL.ordinal(), ((PvrdmaQp) a.qp).handle);
        device.queryPort(1);
        assertThat(a.qp.state()).as("although nobody is told").isEqualTo(QpState.ERR);

        final List<AsyncEvent> events = takeAll();
        assertThat(events).hasSize(EventQueue.MOST + 1);
        assertNumbers(events.subList(0, EventQueue.MOST), 0, EventQueue.MOST);
        final AsyncEvent last = events.get(EventQueue.MOST);
        assertThat(last.type()).isEqualTo(AsyncEventType.EVENTS_LOST);
        assertThat(last.number()).isEqualTo(next - EventQueue.MOST + 1);
        assertThat(device.counters())
            .containsEntry("asynchronous events lost as nobody took them", next - EventQueue.MOST + 1L);
        raise(3);
        assertNumbers(takeAll(), next - 3, next);
    }

    @Test
    void saysWhereInTheOrderEventsAreMissing() {
        device = devices.open();
        while (next < EventQueue.MOST + 100) {
            raise(100);
            device.queryPort(1);
        }
        for (int i = 0; i < 10; i++) {
            device.pollAsyncEvent().acknowledge();
        }
        final int from = next;
        raise(2);
        device.queryPort(1);
        final List<AsyncEvent> events = takeAll();
        final int kept = EventQueue.MOST - 10;
        assertNumbers(events.subList(0, kept), 10, EventQueue.MOST);
        assertThat(events.get(kept).type()).isEqualTo(AsyncEventType.EVENTS_LOST);
        assertThat(events.get(kept).number()).isEqualTo(from - EventQueue.MOST);
        assertNumbers(events.subList(kept + 1, events.size()), from, next);
    }

    @Test
    void tellsOfTheEndOfTheDeviceAlsoWhereThereIsNoRoom() {
        device = devices.open();
        while (next < EventQueue.MOST + 100) {
            raise(100);
            device.queryPort(1);
        }
        device.device.fail("test");
        final List<AsyncEvent> events = takeAll();
        assertThat(events.get(events.size() - 2).type()).isEqualTo(AsyncEventType.EVENTS_LOST);
        assertThat(events.get(events.size() - 1).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
    }
}
