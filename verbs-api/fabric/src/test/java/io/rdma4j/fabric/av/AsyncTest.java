/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.av.AvRig.bad;
import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.devices;
import static io.rdma4j.fabric.av.AvRig.next;
import static io.rdma4j.fabric.av.AvRig.packed;
import static io.rdma4j.fabric.av.AvRig.socket;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;

import org.agrona.LangUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Asynchronous insertion (checklist 73-77, 91). */
@Timeout(120)
class AsyncTest {
    private final AvRig rig = new AvRig();
    private final FabricEventQueue queue = rig.queue();

    private FabricAddressVector open(final AvType type) {
        final FabricAddressVector vector = rig.open(type, AvFlag.EVENT);
        vector.bind(queue, 0);
        return vector;
    }

    private static void assertComplete(
        final EventEntry entry, final Object vector, final Object context, final int inserted) {
        assertThat(entry.event()).isEqualTo(FabricEvent.AV_COMPLETE);
        assertThat(entry.isError()).as("%s", entry).isFalse();
        assertThat(entry.errno()).isZero();
        assertThat(entry.providerError()).isEmpty();
        assertThat(entry.fid()).isSameAs(vector);
        assertThat(entry.region()).isNull();
        assertThat(entry.request()).isNull();
        assertThat(entry.privateData()).isEmpty();
        assertThat(entry.context()).isEqualTo(context);
        assertThat(entry.data()).isEqualTo(inserted);
    }

    private static void assertFailed(
        final EventEntry entry, final Object vector, final Object context, final int index, final int errno) {
        assertThat(entry.event()).isEqualTo(FabricEvent.AV_COMPLETE);
        assertThat(entry.isError()).as("%s", entry).isTrue();
        assertThat(FiErrno.name(entry.errno())).isEqualTo(FiErrno.name(errno));
        assertThat(entry.providerError()).isNotEmpty();
        assertThat(entry.fid()).isSameAs(vector);
        assertThat(entry.context()).isEqualTo(context);
        assertThat(entry.data()).isEqualTo(index);
    }

    @Test
    void withoutAQueueNothingIsInserted() {
        final FabricAddressVector vector = rig.open(AvType.TABLE, AvFlag.EVENT);
        final long[] names = {5};
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insert(devices(0, 1), names, null), "bind");
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insert(device(0)), "bind");
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insertSymmetric("fe80::1", 1, "qpn:1", 1, names, null));
        // Whatever else is wrong.
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insertSymmetric("host", 2, "7000", 1, names, null));
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insertService(null, null, names, null));
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insert(devices(0, 3), names, null));
        assertRefused(FiErrno.FI_ENOEQ,
            () -> vector.insert(devices(0, 1), names, new AvInsert().errors(new int[1])));
        assertThat(names).containsExactly(5);
        vector.bind(queue, 0);
        assertThat(vector.insert(devices(0, 1), names, null)).isZero();
        assertComplete(next(queue), vector, null, 1);
        assertThat(names).containsExactly(0);
        vector.close();
    }

    @Test
    void oneErrorForEachBadOneAndThenOneCompletion() {
        final FabricAddressVector vector = open(AvType.MAP);
        final FabricAddress[] addresses = {bad(), device(1), null, device(2), bad()};
        final long[] names = new long[5];
        assertThat(vector.insert(addresses, names, new AvInsert().context("mine"))).isZero();
        Arrays.fill(addresses, null);
        for (final int index : new int[] {0, 2, 4}) {
            assertFailed(next(queue), vector, "mine", index, FiErrno.FI_EINVAL);
        }
        assertComplete(next(queue), vector, "mine", 2);
        for (final int index : new int[] {0, 2, 4}) {
            assertThat(names[index]).isEqualTo(FiAddr.NOTAVAIL);
        }
        assertThat(vector.lookup(names[1])).isEqualTo(device(1));
        assertThat(vector.lookup(names[3])).isEqualTo(device(2));
        assertThat(queue.size()).isZero();
        vector.close();
        assertThat(queue.size()).isZero();
    }

    @Test
    void oneCompletionAlsoIfAllFailOrThereAreNone() {
        final FabricAddressVector vector = open(AvType.TABLE);
        vector.insert(packed(bad(), bad()), 0, 2, null, new AvInsert().context(1));
        assertFailed(next(queue), vector, 1, 0, FiErrno.FI_EINVAL);
        assertFailed(next(queue), vector, 1, 1, FiErrno.FI_EINVAL);
        assertComplete(next(queue), vector, 1, 0);
        vector.insert(new FabricAddress[0], null, new AvInsert().context(2));
        assertComplete(next(queue), vector, 2, 0);
        assertThat(queue.size()).isZero();
        vector.close();
    }

    @Test
    void indicesGoOnInTheOrderOfTheCalls() {
        final FabricAddressVector vector = open(AvType.TABLE);
        final long[][] names = new long[50][7];
        for (int call = 0; call < names.length; call++) {
            vector.insert(devices(call * 7, 7), names[call], new AvInsert().context(call));
        }
        for (int call = 0; call < names.length; call++) {
            assertComplete(next(queue), vector, call, 7);
        }
        for (int call = 0; call < names.length; call++) {
            for (int i = 0; i < 7; i++) {
                assertThat(names[call][i]).isEqualTo(call * 7 + i);
            }
        }
        vector.close();
    }

    @Test
    void whatWasNotAttemptedIsCanceledByClosing() throws InterruptedException {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricEventQueue events = sockets.queue();
        final FabricAddressVector vector = sockets.open(AvType.MAP, AvFlag.EVENT);
        vector.bind(events, 0);
        sockets.resolver.gate = new CountDownLatch(1);
        final FabricAddress[] addresses = new FabricAddress[1_000];
        Arrays.fill(addresses, socket("10.0.0.1", 5));
        final long[] first = new long[addresses.length];
        final long[] second = new long[addresses.length];
        vector.insert(addresses, first, new AvInsert().context("first"));
        vector.insert(addresses, second, new AvInsert().context("second"));
        Await.until("somebody has asked", () -> sockets.resolver.asked.get() > 0);
        vector.close();
        assertThat(events.size()).as("all are written when close returns").isEqualTo(2 * addresses.length + 2);
        for (final Object context : new Object[] {"first", "second"}) {
            for (int i = 0; i < addresses.length; i++) {
                final EventEntry entry = next(events);
                assertThat(entry.context()).isEqualTo(context);
                assertThat(entry.data()).isEqualTo(i);
                assertThat(entry.fid()).isSameAs(vector);
                // Also what was under way, and was interrupted for that.
                assertThat(entry.errno()).isEqualTo(FiErrno.FI_ECANCELED);
            }
            assertComplete(next(events), vector, context, 0);
        }
        assertThat(first).containsOnly(FiAddr.NOTAVAIL);
        assertThat(second).containsOnly(FiAddr.NOTAVAIL);
        events.close();
    }

    @Test
    void whatNobodyExpectsEndsTheCallAllTheSame() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricEventQueue events = sockets.queue();
        final FabricAddressVector vector = sockets.open(AvType.TABLE, AvFlag.EVENT);
        vector.bind(events, 0);
        sockets.resolver.failure = new IllegalStateException("out of order");
        vector.insert(packed(socket("10.0.0.1", 5)), 0, 1, null, null);
        final EventEntry failed = next(events);
        assertFailed(failed, vector, null, 0, FiErrno.FI_EOTHER);
        assertThat(failed.providerError()).contains("out of order");
        assertComplete(next(events), vector, null, 0);
        sockets.resolver.failure = null;
        vector.insert(packed(socket("10.0.0.1", 5)), 0, 1, null, null);
        assertComplete(next(events), vector, null, 1);
        vector.close();
        events.close();
    }

    @Test
    void errorsOfTheMachineEndTheCallAllTheSame() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricEventQueue events = sockets.queue();
        final FabricAddressVector vector = sockets.open(AvType.TABLE, AvFlag.EVENT);
        vector.bind(events, 0);
        sockets.resolver.error = new OutOfMemoryError("pretended");
        vector.insert(packed(socket("10.0.0.1", 5)), 0, 1, null, new AvInsert().context("memory"));
        assertFailed(next(events), vector, "memory", 0, FiErrno.FI_ENOMEM);
        assertComplete(next(events), vector, "memory", 0);
        sockets.resolver.error = new InternalError("pretended");
        vector.insert(packed(socket("10.0.0.1", 5)), 0, 1, null, new AvInsert().context("file"));
        assertFailed(next(events), vector, "file", 0, FiErrno.FI_EIO);
        assertComplete(next(events), vector, "file", 0);
        vector.close();
        events.close();
    }

    @Test
    void aCountIsNoReasonToTakeMemory() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        assertThat(vector.insert(new FabricAddress[1_000_000], null, null)).as("all of them are null").isZero();
        assertThat(vector.memoryUse()).isLessThan(1_000_000);
        vector.close();
    }

    @Test
    void whereMemoryEndsEachAddressHasItsError() {
        final AvStore store = new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0);
        final AvStore small = (AvStore) Proxy.newProxyInstance(AvStore.class.getClassLoader(),
            new Class<?>[] {AvStore.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("reserve") || method.getName().equals("insert") && store.size() == 2) {
                    throw new OutOfMemoryError("pretended");
                }
                return method.invoke(store, arguments);
            });
        final int[] errors = new int[4];
        final Insertion call = Insertion.of(Sources.of(AddressFormat.DEVICE, rig.resolver, devices(0, errors.length)),
            null, new AvInsert().errors(errors));
        assertThat(new Inserter(new Contents(small), () -> false).insert(call, (index, problem) -> { })).isEqualTo(2);
        assertThat(errors).containsExactly(0, 0, FiErrno.FI_ENOMEM, FiErrno.FI_ENOMEM);
    }

    /** As of an event queue that finds no memory to grow. */
    @Test
    void whatCannotBeToldChangesNothingElse() {
        for (final Throwable failure : new Throwable[] {
            new IllegalStateException("pretended"), new OutOfMemoryError("pretended")}) {
            final AvStore store = new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0);
            final FabricAddress[] addresses = {device(1), null, device(2), null, device(3), null};
            final long[] names = {77, 77, 77, 77, 77, 77};
            final Insertion call = Insertion.of(Sources.of(AddressFormat.DEVICE, rig.resolver, addresses), names, null);
            final List<Integer> tried = new ArrayList<>();
            assertThat(new Inserter(new Contents(store), () -> false).insert(call, (index, problem) -> {
                tried.add(index);
                LangUtil.rethrowUnchecked(failure);
            })).isEqualTo(3);
            assertThat(names).containsExactly(0, FiAddr.NOTAVAIL, 1, FiAddr.NOTAVAIL, 2, FiAddr.NOTAVAIL);
            assertThat(store.size()).isEqualTo(3);
            assertThat(tried).as("%s", failure).hasSize(failure instanceof OutOfMemoryError ? 1 : 3);
        }
    }

    @Test
    void whatHasNoThreadIsRefusedWithoutAnEvent() {
        final FabricAddressVector vector = rig.open(new AvAttributes().flags(AvFlag.EVENT), AvRig.without(1));
        vector.bind(queue, 0);
        assertRefused(FiErrno.FI_ENOMEM, () -> vector.insert(devices(0, 2), null, null), "thread");
        assertThat(vector.insert(devices(0, 3), null, new AvInsert().context(3))).isZero();
        assertComplete(next(queue), vector, 3, 3);
        vector.close();
        assertThat(queue.size()).isZero();
    }

    @Test
    void whoIsClosedWhileItWaitsForOthersIsCanceled() {
        final AvStore store = new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0);
        final AtomicBoolean ended = new AtomicBoolean();
        final AvStore busy = (AvStore) Proxy.newProxyInstance(AvStore.class.getClassLoader(),
            new Class<?>[] {AvStore.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("lock")) {
                    ended.set(true);
                    throw FabricException.of("lock").errno(FiErrno.FI_EINTR).build();
                }
                return method.invoke(store, arguments);
            });
        final int[] errors = new int[3];
        final Insertion call = Insertion.of(Sources.of(AddressFormat.DEVICE, rig.resolver, devices(0, errors.length)),
            null, new AvInsert().errors(errors));
        assertThat(new Inserter(new Contents(busy), ended::get).insert(call, (index, problem) -> { })).isZero();
        assertThat(errors).containsOnly(FiErrno.FI_ECANCELED);
    }

    @Test
    void aCallHasOneDeadline() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricAddressVector vector = sockets.open(AvType.TABLE);
        final FabricAddress[] addresses = new FabricAddress[1_000];
        Arrays.setAll(addresses, i -> socket("10.0.0.1", 1 + i));
        assertThat(vector.insert(addresses, null, null)).isEqualTo(addresses.length);
        assertThat(sockets.resolver.deadlines).hasSize(1);
        vector.insert(addresses, null, null);
        assertThat(sockets.resolver.deadlines).as("another call").hasSize(2);
        vector.close();
    }

    @Test
    void eventsOutliveTheVector() {
        final FabricAddressVector vector = open(AvType.TABLE);
        vector.insert(devices(0, 3), null, new AvInsert().context(3));
        assertRefused(FiErrno.FI_EBUSY, queue::close);
        vector.close();
        final EventEntry entry = next(queue);
        assertThat(entry.fid()).isSameAs(vector);
        assertThat(vector.isClosed()).isTrue();
        queue.close();
    }

    @Test
    void bindingIsChecked() {
        final FabricAddressVector vector = rig.open(AvType.TABLE, AvFlag.EVENT);
        final FabricAddressVector synchronous = rig.open(AvType.TABLE);
        assertInvalid(() -> vector.bind(null, 0), "null");
        assertInvalid(() -> vector.bind(new AvRig().queue(), 0), "openEventQueue");
        assertInvalid(() -> synchronous.bind(queue, 0), "EVENT");
        assertRefused(FiErrno.FI_EBADFLAGS, () -> vector.bind(queue, 1), "0x1");
        final FabricEventQueue closed = rig.queue();
        closed.close();
        assertRefused(FiErrno.FI_EBADFD, () -> vector.bind(closed, 0));
        vector.bind(queue, 0);
        assertRefused(FiErrno.FI_EBUSY, () -> vector.bind(rig.queue(), 0), "bound");
        vector.close();
        assertRefused(FiErrno.FI_EBADFD, () -> vector.bind(queue, 0));
        queue.close();
    }

    @Test
    void argumentsAreRefusedAtOnceAndWithoutAnEvent() {
        final FabricAddressVector vector = open(AvType.MAP);
        assertInvalid(() -> vector.insert(devices(0, 2), new long[1], null), "1 places for 2");
        assertInvalid(() -> vector.insert(devices(0, 1), new long[1], new AvInsert().errors(new int[1])), "errors");
        assertInvalid(() -> vector.insert(device(1)), "asynchronous");
        vector.close();
        assertThat(queue.size()).isZero();
    }

    @Test
    void manyThreadsLoseNothing() throws InterruptedException {
        final FabricAddressVector vector = open(AvType.MAP);
        final int each = 300;
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            final int from = t * 100_000;
            threads.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    vector.insert(devices(from + i * 2, 2), new long[2], new AvInsert().context(from + i));
                }
            }));
        }
        threads.forEach(Thread::start);
        final List<Object> seen = new ArrayList<>();
        for (int i = 0; i < 3 * each; i++) {
            final EventEntry entry = next(queue);
            assertThat(entry.data()).isEqualTo(2);
            seen.add(entry.context());
        }
        assertThat(seen).doesNotHaveDuplicates();
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        vector.close();
        assertThat(vector.size()).isEqualTo(3L * each * 2);
        assertThat(queue.size()).isZero();
    }

    @Test
    void theThreadEndsWithTheVector() throws InterruptedException {
        final FabricAddressVector vector = open(AvType.TABLE);
        Await.until("those of other tests are out", () -> workers() == 0);
        vector.insert(devices(0, 3), null, null);
        next(queue);
        vector.close();
        Await.until("its own is out", () -> workers() == 0);
    }

    private static long workers() {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("rdma4j address vector")).count();
    }
}
