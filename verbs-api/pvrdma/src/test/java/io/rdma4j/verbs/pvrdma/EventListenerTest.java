/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.AsyncEventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

class EventListenerTest {
    private static final String MANY = "timeout=3600000";

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private final CountDownLatch release = new CountDownLatch(1);
    private final List<AsyncEvent> seen = new CopyOnWriteArrayList<>();
    private PvrdmaContext device;

    @AfterEach
    void release() {
        release.countDown();
    }

    private void raise(final AsyncEventType type, final int number) {
        Devices.emulated(device).faults().raiseEvent(type.ordinal(), number);
    }

    private void raisePorts(final int count) {
        for (int i = 0; i < count; i++) {
            raise(AsyncEventType.PORT_ACTIVE, i);
        }
    }

    private void awaitSeen(final int count) {
        Crew.await(count + " events, seen " + seen, () -> seen.size() >= count);
    }

    private AsyncEventListener blocking(final CountDownLatch entered) {
        return event -> {
            seen.add(event);
            entered.countDown();
            try {
                release.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    @Test
    void isToldOfEachEventInOrderByAThreadOfItsOwn() {
        device = devices.open();
        final AtomicReference<Thread> thread = new AtomicReference<>();
        try (AsyncEventSubscription subscription = device.listen(event -> {
            thread.set(Thread.currentThread());
            assertThat(event.isAcknowledged()).isFalse();
            seen.add(event);
        })) {
            raisePorts(100);
            Crew.await("100 events", () -> subscription.delivered() == 100);
            assertThat(seen).extracting(AsyncEvent::number)
                .containsExactlyElementsOf(java.util.stream.IntStream.range(0, 100).boxed().toList());
            Crew.await("the last is acknowledged", () -> seen.get(99).isAcknowledged());
            assertThat(seen).allMatch(AsyncEvent::isAcknowledged);
            assertThat(subscription.failures()).isZero();
        }
        assertThat(thread.get().isDaemon()).isTrue();
        assertThat(thread.get().getName()).contains(device.address());
        assertThat(thread.get().isAlive()).isFalse();
        raisePorts(1);
        assertThat(device.pollAsyncEvent()).as("not for the listener any more").isNotNull();
    }

    @Test
    void anEventCountsOnceTheListenerHasReturned() throws Exception {
        device = devices.open();
        final CountDownLatch entered = new CountDownLatch(1);
        try (AsyncEventSubscription subscription = device.listen(blocking(entered))) {
            raisePorts(1);
            entered.await();
            assertThat(subscription.delivered()).isZero();
            release.countDown();
            Crew.await("it has returned", () -> subscription.delivered() == 1);
        }
    }

    @Test
    void keepsUpWithMoreEventsThanTheRingHolds() {
        device = devices.open();
        try (AsyncEventSubscription subscription = device.listen(seen::add)) {
            for (int i = 0; i < 20; i++) {
                raisePorts(100);
                final int all = 100 * (i + 1);
                Crew.await(all + " events", () -> subscription.delivered() == all);
            }
        }
        assertThat(seen).noneMatch(event -> event.type() == AsyncEventType.EVENTS_LOST);
    }

    @Test
    void doesNotBlockTheDriverHoweverLongItTakes() {
        device = devices.open(MANY);
        final CountDownLatch entered = new CountDownLatch(1);
        final AsyncEventSubscription subscription = device.listen(blocking(entered));
        raisePorts(1);
        awaitSeen(1);

        final Peer a = Peer.rc(device);
        final Peer b = Peer.rc(device);
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        Completions.awaitSuccess(a.cq);
        Completions.awaitSuccess(b.cq);
        raise(AsyncEventType.PORT_ERR, 7);
        AsyncEventTest.assertEvent(device.pollAsyncEvent(), AsyncEventType.PORT_ERR, device, 7);
        b.pd.close();
        device.close();

        assertThat(device.isClosed()).isTrue();
        assertThat(seen).hasSize(1);
        release.countDown();
        Crew.await("the listener's end", subscription::isClosed);
    }

    @Test
    void surfacesItsExceptionsOnlyAsACount() {
        device = devices.open();
        final Peer a = Peer.rc(device);
        try (AsyncEventSubscription subscription = device.listen(event -> {
            seen.add(event);
            if (seen.size() == 2) {
                throw new AssertionError("test of a listener that fails with an error");
            }
            throw new IllegalStateException("test of a listener that fails");
        })) {
            raise(AsyncEventType.PATH_MIG, ((PvrdmaQp) a.qp).handle);
            raisePorts(2);
            awaitSeen(3);
            Crew.await("3 failures", () -> subscription.failures() == 3);
            assertThat(subscription.isClosed()).isFalse();
            Crew.await("acknowledged", () -> seen.get(0).isAcknowledged());
            a.qp.close();
        }
    }

    @Test
    void isOneAtATime() {
        device = devices.open();
        final AsyncEventSubscription first = device.listen(seen::add);
        assertBusy(() -> device.listen(seen::add), "listener already");
        first.close();
        first.close();
        assertThat(first.isClosed()).isTrue();
        device.listen(seen::add).close();
    }

    @Test
    void canEndItselfAndCloseTheObjectOfItsEvent() {
        device = devices.open(MANY);
        final Peer a = Peer.rc(device);
        final AtomicReference<AsyncEventSubscription> own = new AtomicReference<>();
        final CountDownLatch known = new CountDownLatch(1);
        own.set(device.listen(event -> {
            try {
                known.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            assertBusy(a.qp::close, "this thread");
            event.acknowledge();
            a.qp.close();
            own.get().close();
            seen.add(event);
        }));
        known.countDown();
        raise(AsyncEventType.QP_FATAL, ((PvrdmaQp) a.qp).handle);
        awaitSeen(1);
        Crew.await("its end", () -> own.get().isClosed());
        assertThat(a.qp.isClosed()).isTrue();
        raisePorts(1);
        assertThat(device.awaitAsyncEvent(Patience.duration())).isNotNull();
        assertThat(seen).hasSize(1);
    }

    @Test
    void closingWaitsForIt() {
        device = devices.open(MANY);
        final CountDownLatch entered = new CountDownLatch(1);
        final AsyncEventSubscription subscription = device.listen(blocking(entered));
        raisePorts(1);
        awaitSeen(1);
        final Thread closer = crew.start(subscription::close);
        Crew.awaitSleep(closer);
        release.countDown();
        Crew.await("closed", () -> !closer.isAlive());
        assertThat(seen.get(0).isAcknowledged()).isTrue();
    }

    @Test
    void closingGivesUpOnOneThatDoesNotReturn() {
        device = devices.open("timeout=300");
        final CountDownLatch entered = new CountDownLatch(1);
        final AsyncEventSubscription subscription = device.listen(blocking(entered));
        raisePorts(2);
        awaitSeen(1);
        assertBusy(subscription::close, "has not returned", "EventListenerTest");
        assertThat(subscription.isClosed()).isTrue();
        assertBusy(() -> device.listen(seen::add));
        release.countDown();
        closeOnceItReturns(subscription);
        assertThat(seen).hasSize(1);
        closeOnceItReturns(device.listen(seen::add));
    }

    /** On a busy machine the time of the device may be over before its thread had a processor. */
    private static void closeOnceItReturns(final AsyncEventSubscription subscription) {
        Crew.await("the listener's return", () -> {
            try {
                subscription.close();
                return true;
            } catch (final RdmaException e) {
                assertThat(e.errno()).isEqualTo(RdmaException.EBUSY);
                return false;
            }
        });
    }

    @Test
    void endsWithTheDevice() {
        device = devices.open();
        final AsyncEventSubscription subscription = device.listen(seen::add);
        raisePorts(1);
        awaitSeen(1);
        device.device.fail("test");
        Crew.await("its end", subscription::isClosed);
        assertThat(seen).extracting(AsyncEvent::type)
            .containsExactly(AsyncEventType.PORT_ACTIVE, AsyncEventType.DEVICE_FATAL);
        assertClosed(() -> device.listen(seen::add), "test");
    }

    @Test
    void hearsOfAFailureBeforeIt() {
        device = devices.open();
        device.device.fail("test");
        final AsyncEventSubscription subscription = device.listen(seen::add);
        Crew.await("its end", subscription::isClosed);
        assertThat(seen).extracting(AsyncEvent::type).containsExactly(AsyncEventType.DEVICE_FATAL);
    }

    @Test
    void endsWithTheContextAndRefusesToListenToAClosedOne() {
        device = devices.open();
        final AsyncEventSubscription subscription = device.listen(seen::add);
        device.close();
        Crew.await("its end", subscription::isClosed);
        subscription.close();
        assertClosed(() -> device.listen(seen::add));
        assertInvalid(() -> device.listen(null), "listener is null");
    }
}
