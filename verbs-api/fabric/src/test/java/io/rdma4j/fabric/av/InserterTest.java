/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.devices;
import static io.rdma4j.fabric.av.AvRig.next;
import static io.rdma4j.fabric.av.AvRig.socket;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.testing.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** What comes between the addresses of a call and the store that they shall go to. */
@Timeout(60)
class InserterTest {
    private final AvRig rig = new AvRig();
    private final HeapStore store = new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0);
    private final int[] errors = new int[4];
    private final long[] names = new long[errors.length];
    private final List<Integer> told = new ArrayList<>();

    /** What one of its methods does instead; null goes on to the store. */
    private interface Instead {
        Object of(String method);
    }

    private AvStore store(final Instead instead) {
        return (AvStore) Proxy.newProxyInstance(AvStore.class.getClassLoader(), new Class<?>[] {AvStore.class},
            (proxy, method, arguments) -> {
                final Object answer = instead.of(method.getName());
                return answer == null ? method.invoke(store, arguments) : answer;
            });
    }

    private int insert(final AvStore to, final AtomicBoolean ended, final Source source) {
        return new Inserter(new Contents(to), ended::get).insert(
            Insertion.of(source, names, new AvInsert().errors(errors)), (index, problem) -> told.add(index));
    }

    private Source devices4() {
        return Sources.of(AddressFormat.DEVICE, rig.resolver, devices(0, errors.length));
    }

    @Test
    void whatIsInTheWayOfChangesIsTheErrorOfEachAddress() {
        final AvStore busy = store(method -> {
            if (method.equals("lock")) {
                throw FabricException.of("lock").errno(FiErrno.FI_EAGAIN).build();
            }
            return null;
        });
        assertThat(insert(busy, new AtomicBoolean(), devices4())).isZero();
        assertThat(errors).containsOnly(FiErrno.FI_EAGAIN);
        assertThat(names).containsOnly(FiAddr.NOTAVAIL);
        assertThat(told).containsExactly(0, 1, 2, 3);
    }

    /** Also those that are known by then. */
    @Test
    void whatIsKnownWhenTheVectorIsClosedIsNotInsertedAnyMore() {
        final AtomicBoolean ended = new AtomicBoolean();
        final Source known = devices4();
        final Source slow = new Source() {
            @Override
            public int count() {
                return known.count();
            }

            @Override
            public boolean asks() {
                return true;
            }

            @Override
            public void load(final int first, final int some, final AvEntry[] entries, final Problem[] problems) {
                known.load(first, some, entries, problems);
                ended.set(true);
            }
        };
        assertThat(insert(store, ended, slow)).isZero();
        assertThat(errors).containsOnly(FiErrno.FI_ECANCELED);
        assertThat(store.size()).isZero();
    }

    /** A call without arrays, as asynchronous ones are: nothing but what is told shows that there is one too many. */
    @Test
    void whereMemoryEndsEachAddressIsToldOfOnce() {
        final AvStore small = store(method -> {
            if (method.equals("insert") && store.size() == 2) {
                throw new OutOfMemoryError("pretended");
            }
            return null;
        });
        final Insertion call = Insertion.of(
            Sources.of(AddressFormat.DEVICE, rig.resolver, device(1), device(2), device(3), null), null, null);
        assertThat(new Inserter(new Contents(small), () -> false).insert(call, (index, problem) -> told.add(index)))
            .isEqualTo(2);
        assertThat(told).containsExactly(2, 3);
    }

    @Test
    void whatAFullStoreAnswersIsTheErrorOfTheAddress() {
        final AvStore full = store(method ->
            method.equals("insert") && store.size() == 3 ? (Object) (long) -FiErrno.FI_ENOMEM : null);
        assertThat(insert(full, new AtomicBoolean(), devices4())).isEqualTo(3);
        assertThat(errors).containsExactly(0, 0, 0, FiErrno.FI_ENOMEM);
        assertThat(names).containsExactly(0, 1, 2, FiAddr.NOTAVAIL);
    }

    /** A call may return before its turn comes: its array is the application's again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatChangesInAnArrayBehindTheCallIsNotInserted(final boolean text) throws InterruptedException {
        final AvRig sockets = new AvRig(text ? AddressFormat.STR : AddressFormat.SOCKADDR_IN);
        final FabricEventQueue queue = sockets.queue();
        final FabricAddressVector vector = sockets.open(AvType.TABLE, AvFlag.EVENT);
        vector.bind(queue, 0);
        sockets.resolver.gate = new CountDownLatch(1);
        final String[] texts = {"fi_sockaddr_in://10.0.0.1:5", "fi_sockaddr_in://10.0.0.2:6"};
        for (int i = 0; i < 2; i++) {
            if (text) {
                final String[] given = {texts[i]};
                vector.insert(given, null, null);
                given[0] = "fi_sockaddr_in://10.0.0.9:9";
            } else {
                final FabricAddress[] given = {socket("10.0.0." + (i + 1), 5 + i)};
                vector.insert(given, null, null);
                Arrays.fill(given, device(1));
            }
            // The second one waits behind the first one.
            Await.until("the first one has asked", () -> sockets.resolver.asked.get() == 1);
        }
        sockets.resolver.gate.countDown();
        for (int i = 0; i < 2; i++) {
            assertThat(next(queue).data()).isEqualTo(1);
            assertThat(AvRig.find(vector, i).qpn()).isEqualTo(5 + i);
        }
        vector.close();
        queue.close();
    }
}
