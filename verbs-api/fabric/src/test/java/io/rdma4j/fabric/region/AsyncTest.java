/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Asynchronous registration (checklist 48-52). */
@Timeout(120)
class AsyncTest {
    private static final Duration LONG = Patience.duration();

    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);

    private Domain domain;
    private EventQueue queue;

    private void open() {
        domain = domains.open(hints -> hints.mrMode(MrMode.ALLOCATED).demand(MrMode.ALLOCATED));
        queue = Domains.fabricOf(domain).openEventQueue(0);
        domain.bind(queue);
    }

    private void close() {
        domain.close();
        queue.close();
    }

    private EventEntry next() {
        final List<EventEntry> entries = new ArrayList<>();
        assertThat(queue.awaitRead(entries::add, 1, LONG)).isEqualTo(1);
        return entries.get(0);
    }

    @Test
    void theRegionOfTheEventIsTheOneThatWasReturned() {
        open();
        final MemoryRegion region = domain.register(remote(buffer, 5).context("mine"));
        final EventEntry entry = next();
        assertThat(entry.event()).isEqualTo(FabricEvent.MR_COMPLETE);
        assertThat(entry.region()).isSameAs(region);
        assertThat(entry.context()).isEqualTo("mine");
        assertThat(entry.isError()).isFalse();
        assertThat(entry.errno()).isZero();
        assertThat(entry.providerError()).isEmpty();
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(5);
        region.close();
        close();
    }

    @Test
    void aFailureIsAnErrorEventAndNothingIsLeft() {
        open();
        final MemoryRegion region = domain.register(new MrAttributes().buffer(PAGE, PAGE).requestedKey(5)
            .access(MrAccess.REMOTE_READ).context(7));
        final EventEntry entry = next();
        assertThat(entry.isError()).isTrue();
        assertThat(entry.errno()).isEqualTo(FiErrno.FI_EFAULT);
        assertThat(entry.providerError()).contains("0x1000");
        assertThat(entry.region()).isSameAs(region);
        assertThat(entry.context()).isEqualTo(7);
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "failed");
        final MemoryRegion again = domain.register(remote(buffer, 5));
        assertThat(next().isError()).isFalse();
        again.close();
        close();
        region.close();
        assertThat(region.isClosed()).isTrue();
    }

    @Test
    void argumentsAreRefusedAtOnceAndWithoutAnEvent() {
        open();
        assertInvalid(() -> domain.register(new MrAttributes().buffer(buffer)), "no access");
        assertRefused(FiErrno.FI_EKEYREJECTED, () -> domain.register(remote(buffer, -1)));
        assertThat(queue.size()).isZero();
        close();
    }

    @Test
    void aRegionThatIsClosedBeforeItsEventIsReadHasOneEvent() {
        open();
        final Map<MemoryRegion, Integer> events = new IdentityHashMap<>();
        final List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            final MemoryRegion region = domain.register(remote(buffer, i));
            regions.add(region);
            if (i % 3 == 0) {
                region.close();
                assertThat(region.isClosed()).isTrue();
            }
        }
        while (events.size() < regions.size()) {
            final EventEntry entry = next();
            assertThat(events.put(entry.region(), entry.errno())).as("second event of one region").isNull();
            if (entry.isError()) {
                assertThat(entry.errno()).isEqualTo(FiErrno.FI_ECANCELED);
                assertThat(entry.region().isClosed()).isTrue();
            }
        }
        assertThat(queue.size()).isZero();
        regions.forEach(MemoryRegion::close);
        close();
    }

    @Test
    void nothingIsLostWhenTheDomainIsClosed() {
        open();
        for (int i = 0; i < 100; i++) {
            domain.register(remote(buffer, i)).close();
        }
        domain.close();
        assertThat(queue.size()).isEqualTo(100);
        assertThat(queue.read(entry -> assertThat(entry.region().isClosed()).isTrue(), 200)).isEqualTo(100);
        queue.close();
    }

    @Test
    void pendingRegionsKeepTheDomainOpen() {
        open();
        final MemoryRegion region = domain.register(remote(buffer, 1));
        assertRefused(FiErrno.FI_EBUSY, domain::close, "1 region");
        assertRefused(FiErrno.FI_EBUSY, queue::close, "1 object");
        region.close();
        close();
    }

    @Test
    void manyThreadsLoseNothing() throws InterruptedException {
        open();
        final int threads = 4;
        final int each = 300;
        final AtomicInteger read = new AtomicInteger();
        final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            final long first = 1_000L * t;
            all.add(start(failures, () -> registerAndClose(first, each)));
        }
        for (int t = 0; t < 2; t++) {
            all.add(start(failures, () -> {
                while (read.get() < threads * each) {
                    queue.awaitRead(entry -> read.incrementAndGet(), 7, Duration.ofMillis(20));
                }
            }));
        }
        for (final Thread thread : all) {
            Patience.join(thread, () -> read.get() + " events read");
        }
        assertThat(failures).isEmpty();
        assertThat(read.get()).isEqualTo(threads * each);
        assertThat(queue.size()).isZero();
        close();
    }

    private static Thread start(final List<Throwable> failures, final Runnable work) {
        final Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (final RuntimeException | AssertionError e) {
                failures.add(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void registerAndClose(final long first, final int count) {
        for (int i = 0; i < count; i++) {
            final MemoryRegion region = domain.register(remote(buffer, first + i));
            if (i % 2 == 0) {
                while (!region.isEnabled()) {
                    Patience.pause();
                }
            }
            region.close();
        }
    }

    @Test
    void aDomainReportsToOneQueueOfItsFabric() {
        open();
        final EventQueue second = Domains.fabricOf(domain).openEventQueue(8);
        assertRefused(FiErrno.FI_EBUSY, () -> domain.bind(second), "already");
        second.close();
        final Domain other = domains.open();
        assertInvalid(() -> other.bind(queue), "no queue of");
        assertInvalid(() -> other.bind(null), "null");
        final EventQueue closed = Domains.fabricOf(other).openEventQueue(8);
        closed.close();
        assertRefused(FiErrno.FI_EBADFD, () -> other.bind(closed));
        try (MemoryRegion sync = other.register(remote(buffer, 1))) {
            assertThat(sync.isEnabled()).as("a domain without a queue registers at once").isTrue();
        }
        close();
    }

    @Test
    void aReaderThatThrowsLosesOnlyItsEvent() {
        open();
        final MemoryRegion one = domain.register(remote(buffer, 1));
        final MemoryRegion two = domain.register(remote(buffer, 2));
        while (queue.size() < 2) {
            Patience.pause();
        }
        final FabricException mine = FabricException.of("read").build();
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> queue.read(entry -> {
            throw mine;
        }, 2))).isSameAs(mine);
        assertThat(next().region()).isSameAs(two);
        one.close();
        two.close();
        close();
    }

    /** The domain reports to the queue by a registrar of the test's. */
    private void open(final ThreadPoolExecutor worker) {
        domain = domains.open(hints -> hints.mrMode(MrMode.ALLOCATED).demand(MrMode.ALLOCATED));
        queue = Domains.fabricOf(domain).openEventQueue(0);
        final FabricEventQueue events = (FabricEventQueue) queue;
        Domains.regionsOf(domain).bind(events, () -> new AsyncRegistrar(events, worker));
    }

    static ThreadPoolExecutor idle() {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            public void execute(final Runnable work) {
                // Nobody does it.
            }
        };
    }

    @Test
    void aRegistrationForWhichThereIsNoThreadLeavesNothing() {
        final AtomicInteger threads = new AtomicInteger();
        open(new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
            if (threads.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread, pretended");
            }
            return new Thread(work);
        }));
        assertThatThrownBy(() -> domain.register(remote(buffer, 5))).isInstanceOf(OutOfMemoryError.class);
        assertThat(queue.size()).isZero();
        final MemoryRegion region = domain.register(remote(buffer, 5));
        assertThat(next().region()).isSameAs(region);
        region.close();
        close();
    }

    @Test
    void aRegistrationWhoseEventCannotBeWrittenIsOver() {
        open(idle());
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 5));
        final Registration registration = new Registration(region, null);
        region.setPending(registration);
        assertThatThrownBy(registration::run).isInstanceOf(NullPointerException.class);
        assertThat(region.isEnabled()).isTrue();
        region.close();
        close();
    }

    /** A region of which only that counts. */
    private static PendingRegion registeredBy(final Runnable activation) {
        return HookedDevice.proxy(PendingRegion.class, (self, method, arguments) -> {
            if (method.getName().equals("activate")) {
                activation.run();
            }
            return null;
        });
    }

    /** Not one that the provider knows: the thread ends by it, and the event is there all the same. */
    @Test
    void aRegistrationThatFailsUnexpectedlyHasAnEvent() {
        open();
        final IllegalStateException failure = new IllegalStateException("pretended");
        final PendingRegion region = registeredBy(() -> {
            throw failure;
        });
        final Registration registration = new Registration(region, (FabricEventQueue) queue);
        assertThatThrownBy(registration::run).isSameAs(failure);
        final EventEntry entry = next();
        assertThat(entry.region()).isSameAs(region);
        assertThat(entry.errno()).isEqualTo(FiErrno.FI_EOTHER);
        assertThat(entry.providerError()).contains("unexpected", Thread.currentThread().getName());
        close();
    }

    @Test
    void whoClosesARegionThatIsBeingRegisteredWaitsForItsEvent() throws InterruptedException {
        open();
        final AtomicInteger eventsAtTheEnd = new AtomicInteger();
        final Thread[] closer = new Thread[1];
        final Registration registration = new Registration(registeredBy(() -> {
            closer[0].start();
            while (closer[0].getState() != Thread.State.TIMED_WAITING && closer[0].isAlive()) {
                Patience.pause();
            }
        }), (FabricEventQueue) queue);
        closer[0] = new Thread(() -> {
            registration.cancelOrAwait();
            eventsAtTheEnd.set(queue.size());
        });
        closer[0].setDaemon(true);
        registration.run();
        Patience.join(closer[0]);
        assertThat(eventsAtTheEnd).hasValue(1);
        assertThat(next().isError()).isFalse();
        close();
    }

    @Test
    void whatWaitsForItsTurnIsNotFlushed() {
        open(idle());
        final MemoryRegion region = domain.register(remote(buffer, 5));
        assertRefused(FiErrno.FI_EOPBADSTATE, region::flush, "pending");
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.flush(region.address(), 8), "pending");
        region.close();
        assertThat(next().errno()).isEqualTo(FiErrno.FI_ECANCELED);
        close();
    }

    @Test
    void whoIsInterruptedWaitsForTheEndOfTheLastRegistrationAsWell() {
        final ThreadPoolExecutor worker = DaemonThreads.pool("test-registrar", 1, 1);
        final Thread closer = Thread.currentThread();
        open(worker);
        closer.interrupt();
        final FutureTask<?> last = new FutureTask<>(() -> Patience.awaitUndeterred(closer), null);
        worker.execute(last);
        close();
        final boolean isDone = last.isDone();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(isDone).isTrue();
    }

    /** Whoever closes it after the last look ends what reports to the queue. */
    @Test
    void aDomainThatIsClosedWhileAQueueIsBoundDoesNotHoldIt() {
        domain = domains.open();
        final Regions regions = Domains.regionsOf(domain);
        final FabricEventQueue events = (FabricEventQueue) Domains.fabricOf(domain).openEventQueue(0);
        assertRefused(FiErrno.FI_EBADFD, () -> regions.bind(events, () -> {
            domain.close();
            return new AsyncRegistrar(events);
        }), "closed");
        events.close();
        assertThat(events.isClosed()).isTrue();
    }
}
