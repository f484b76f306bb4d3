/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.EmulatedFaults;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.SharedReceiveQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** What is closed under the hands of a thread that deals with an event of it: nothing. */
class AcknowledgeTest {
    private static final Duration LONG = Patience.duration();
    private static final String DROPPED = "asynchronous events dropped with their object";

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private PvrdmaContext device;
    private Peer peer;

    private void open(final String options) {
        device = devices.open(options);
        peer = Peer.rc(device);
    }

    private EmulatedFaults faults() {
        return Devices.emulated(device).faults();
    }

    private void raiseOfQp() {
        faults().raiseEvent(AsyncEventType.PATH_MIG.ordinal(), ((PvrdmaQp) peer.qp).handle);
    }

    /** Another thread takes the next event, and is over. */
    private AsyncEvent takenElsewhere() throws InterruptedException {
        final AtomicReference<AsyncEvent> event = new AtomicReference<>();
        final Thread taker = crew.start(() -> event.set(device.awaitAsyncEvent(LONG)));
        taker.join(LONG.toMillis());
        assertThat(event.get()).isNotNull();
        return event.get();
    }

    @Test
    void acknowledgesOnce() {
        open("");
        raiseOfQp();
        final AsyncEvent event = device.pollAsyncEvent();
        assertThat(event.isAcknowledged()).isFalse();
        assertThat(device.counters()).containsEntry("asynchronous events to be acknowledged", 1L);
        event.acknowledge();
        event.acknowledge();
        assertThat(event.isAcknowledged()).isTrue();
        assertThat(device.counters()).containsEntry("asynchronous events to be acknowledged", 0L);
        peer.qp.close();
        assertThat(event.element()).isSameAs(peer.qp);
    }

    @Test
    void refusesAtOnceToCloseWhatTheClosingThreadItselfHolds() {
        open("timeout=3600000");
        raiseOfQp();
        final AsyncEvent event = device.pollAsyncEvent();

        assertBusy(peer.qp::close, "PATH_MIG", "this thread", "QP", "acknowledge");
        assertBusy(peer.pd::close, "PATH_MIG", "this thread");

        assertThat(peer.qp.isClosed()).isFalse();
        assertThat(peer.pd.isClosed()).isFalse();
        peer.connect(Peer.rc(devices.open()));
        event.acknowledge();
        peer.qp.close();
        assertThat(peer.qp.isClosed()).isTrue();
    }

    @Test
    void waitsForTheAcknowledgementOfAnotherThread() throws InterruptedException {
        open("timeout=3600000");
        raiseOfQp();
        final AsyncEvent event = takenElsewhere();
        final Thread closer = crew.start(peer.qp::close);
        Crew.awaitSleep(closer);
        assertThat(peer.qp.isClosed()).isFalse();

        event.acknowledge();

        closer.join(LONG.toMillis());
        assertThat(peer.qp.isClosed()).isTrue();
    }

    /** It could not acknowledge while it waits for who waits for it. */
    @Test
    void refusesTheHolderAtOnceAlsoWhileAnotherThreadIsClosing() throws InterruptedException {
        open("timeout=3600000");
        raiseOfQp();
        final AsyncEvent event = device.pollAsyncEvent();
        final Thread closer = crew.start(peer.qp::close);
        Crew.awaitSleep(closer);

        assertBusy(peer.qp::close, "PATH_MIG", "this thread");

        event.acknowledge();
        closer.join(LONG.toMillis());
        assertThat(peer.qp.isClosed()).isTrue();
    }

    @Test
    void refusesWhenNobodyAcknowledgesInTime() throws InterruptedException {
        open("timeout=300");
        raiseOfQp();
        final AsyncEvent event = takenElsewhere();
        assertBusy(peer.qp::close, "PATH_MIG", "Thread-", peer.qp.toString());
        assertThat(peer.qp.isClosed()).isFalse();
        event.acknowledge();
        peer.qp.close();
    }

    @Test
    void keepsFurtherEventsWhileItWaitsAndGivesThemOutIfItIsRefused() throws InterruptedException {
        open("timeout=300");
        raiseOfQp();
        final AsyncEvent held = takenElsewhere();
        raiseOfQp();
        assertBusy(peer.qp::close);
        AsyncEventTest.assertEvent(
            device.pollAsyncEvent(), AsyncEventType.PATH_MIG, peer.qp, ((PvrdmaQp) peer.qp).handle);
        held.acknowledge();
    }

    @Test
    void givesOutNoEventOfAnObjectThatIsBeingClosed() throws InterruptedException {
        open("timeout=3600000");
        raiseOfQp();
        final AsyncEvent held = takenElsewhere();
        final Thread closer = crew.start(peer.qp::close);
        Crew.awaitSleep(closer);
        raiseOfQp();
        faults().raiseEvent(AsyncEventType.PORT_ERR.ordinal(), 1);
        AsyncEventTest.assertEvent(device.pollAsyncEvent(), AsyncEventType.PORT_ERR, device, 1);
        assertThat(device.pollAsyncEvent()).isNull();
        held.acknowledge();
        closer.join(LONG.toMillis());
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(device.counters()).containsEntry(DROPPED, 1L);
    }

    @Test
    void dropsWhatNobodyTookWithItsObject() {
        open("");
        raiseOfQp();
        faults().raiseEvent(AsyncEventType.CQ_ERR.ordinal(), ((PvrdmaCq) peer.cq).handle);
        // A control call fetches them.
        device.queryPort(1);
        peer.qp.close();
        AsyncEventTest.assertEvent(
            device.pollAsyncEvent(), AsyncEventType.CQ_ERR, peer.cq, ((PvrdmaCq) peer.cq).handle);
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(device.counters()).containsEntry(DROPPED, 1L);
    }

    /** One thread has asked for events and is about to create a QP; another closes the QP whose handle that gets. */
    @Test
    void neverTakesTheNextQpForTheOneThatTheEventIsAbout() throws InterruptedException {
        open("max_qp=2");
        final PvrdmaQp old = (PvrdmaQp) peer.qp;
        final AtomicReference<PvrdmaQp> next = new AtomicReference<>();
        final Thread creator;
        synchronized (device.qps) {
            creator = crew.start(() -> next.set((PvrdmaQp) peer.pd.createQp(new QpOptions().cq(peer.cq))));
            Crew.await("it is about to create", () -> creator.getState() == Thread.State.BLOCKED);
            raiseOfQp();
            old.close();
        }
        creator.join(LONG.toMillis());
        assertThat(next.get().handle).as("the device hands it out anew").isEqualTo(old.handle);
        assertThat(device.pollAsyncEvent()).as("nothing has happened to it").isNull();
    }

    @Test
    void closesADomainWithAllThatIsInItOrNothing() throws InterruptedException {
        open("timeout=300");
        final SharedReceiveQueue srq = peer.pd.createSrq(4, 1);
        faults().raiseEvent(AsyncEventType.SRQ_LIMIT_REACHED.ordinal(), ((PvrdmaSrq) srq).handle);
        final AsyncEvent event = takenElsewhere();

        assertBusy(peer.pd::close, "SRQ_LIMIT_REACHED");

        assertThat(peer.pd.isClosed()).isFalse();
        assertThat(peer.qp.isClosed()).isFalse();
        assertThat(srq.isClosed()).isFalse();
        assertThat(peer.region.isClosed()).isFalse();
        event.acknowledge();
        peer.pd.close();
        assertThat(srq.isClosed() && peer.qp.isClosed() && peer.region.isClosed()).isTrue();
    }

    @Test
    void closesACqThatIsUsedNeitherSoonNorLate() {
        open("timeout=3600000");
        faults().raiseEvent(AsyncEventType.CQ_ERR.ordinal(), ((PvrdmaCq) peer.cq).handle);
        final AsyncEvent event = device.pollAsyncEvent();
        assertBusy(peer.cq::close, "reserved by");
        event.acknowledge();
        assertBusy(peer.cq::close, "reserved by");
        peer.qp.close();
        peer.cq.close();
    }

    @Test
    void closesTheContextWithoutWaiting() {
        open("timeout=3600000");
        raiseOfQp();
        final AsyncEvent event = device.pollAsyncEvent();
        device.close();
        assertThat(peer.qp.isClosed()).isTrue();
        event.acknowledge();
        assertThat(event.isAcknowledged()).isTrue();
    }

    @Test
    void endsTheWaitWhenTheContextIsClosed() throws InterruptedException {
        open("timeout=3600000");
        raiseOfQp();
        takenElsewhere();
        final Thread closer = crew.start(peer.qp::close);
        Crew.awaitSleep(closer);
        device.close();
        closer.join(LONG.toMillis());
        assertThat(closer.isAlive()).isFalse();
        assertThat(peer.qp.isClosed()).isTrue();
    }

    @Test
    void endsTheWaitWhenTheDeviceFails() throws InterruptedException {
        open("timeout=3600000");
        raiseOfQp();
        takenElsewhere();
        final Thread closer = crew.start(peer.qp::close);
        Crew.awaitSleep(closer);
        device.device.fail("test");
        closer.join(LONG.toMillis());
        assertThat(peer.qp.isClosed()).isTrue();
    }

    @Test
    void leavesAnInterruptedCloserWithTheObject() throws InterruptedException {
        open("timeout=3600000");
        raiseOfQp();
        final AsyncEvent event = takenElsewhere();
        final Thread closer = crew.start(() -> {
            assertBusy(peer.qp::close);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        });
        Crew.awaitSleep(closer);
        closer.interrupt();
        closer.join(LONG.toMillis());
        assertThat(peer.qp.isClosed()).isFalse();
        event.acknowledge();
    }
}
