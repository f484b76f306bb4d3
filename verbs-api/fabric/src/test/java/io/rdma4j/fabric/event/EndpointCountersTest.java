/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Proxy;
import java.util.EnumMap;
import java.util.Map;

/** Counters of an endpoint: what counts what, and how long they are held. */
@Timeout(60)
class EndpointCountersTest {
    private final Domain domain = domain("mine");
    private final FabricCounter first = new FabricCounter(domain, any -> { });
    private final FabricCounter second = new FabricCounter(domain, any -> { });
    private final Map<CounterEvent, Counter> counters = new EnumMap<>(CounterEvent.class);

    private static Domain domain(final String name) {
        return (Domain) Proxy.newProxyInstance(Domain.class.getClassLoader(), new Class<?>[] {Domain.class},
            (proxy, method, arguments) -> method.getName().equals("toString") ? name : null);
    }

    private EndpointCounters open() {
        return EndpointCounters.open(domain, counters);
    }

    @Test
    void eachKindCountsWhereItWasBoundTo() {
        counters.put(CounterEvent.SEND, first);
        counters.put(CounterEvent.RECV, second);
        counters.put(CounterEvent.READ, first);
        counters.put(CounterEvent.REMOTE_WRITE, second);
        try (EndpointCounters opened = open()) {
            for (final OperationKind kind : OperationKind.values()) {
                opened.success(kind);
            }
            opened.failure(OperationKind.ATOMIC);
            opened.failure(OperationKind.WRITE);
            opened.failure(OperationKind.RECEIVE);
        }
        assertThat(first.read()).as("send with and without a tag, read, atomic").isEqualTo(4);
        assertThat(first.readError()).isEqualTo(1);
        assertThat(second.read()).as("receive with and without a tag, remote write").isEqualTo(3);
        assertThat(second.readError()).isEqualTo(1);
    }

    @Test
    void writesCount() {
        counters.put(CounterEvent.WRITE, first);
        try (EndpointCounters opened = open()) {
            opened.success(OperationKind.WRITE);
            opened.success(OperationKind.ATOMIC);
            opened.failure(OperationKind.WRITE);
        }
        assertThat(first.read()).isEqualTo(1);
        assertThat(first.readError()).isEqualTo(1);
    }

    @Test
    void anEndpointWithoutCountersCountsNothing() {
        try (EndpointCounters none = open()) {
            assertThat(none).isSameAs(EndpointCounters.none());
            none.success(OperationKind.SEND);
            none.failure(OperationKind.SEND);
        }
        EndpointCounters.none().success(OperationKind.SEND);
    }

    @Test
    void countingWaitsForNoLock() throws Exception {
        counters.put(CounterEvent.SEND, first);
        try (EndpointCounters opened = open()) {
            synchronized (first) {
                final Waiting.Waiter<Long> counts = Waiting.start(() -> {
                    opened.success(OperationKind.SEND);
                    opened.failure(OperationKind.SEND);
                    return first.read() + first.readError();
                });
                assertThat(counts.result()).isEqualTo(2);
            }
        }
    }

    @Test
    void aCounterIsHeldAsLongAsAnEndpointCounts() {
        counters.put(CounterEvent.SEND, first);
        counters.put(CounterEvent.RECV, first);
        final EndpointCounters one = open();
        final EndpointCounters other = open();
        assertThat(assertRefused(FiErrno.FI_EBUSY, first::close)).hasMessageContaining("close these endpoints");
        one.close();
        one.close();
        assertRefused(FiErrno.FI_EBUSY, first::close);
        other.close();
        first.close();
        one.success(OperationKind.SEND);
        assertThat(first.read()).as("harmless").isEqualTo(1);
        assertThat(second.isClosed()).isFalse();
    }

    @Test
    void countersOfOthersAndClosedOnesAreRefusedAndNoneIsKept() {
        counters.put(CounterEvent.SEND, first);
        counters.put(CounterEvent.RECV, new FabricCounter(domain("other"), any -> { }));
        assertThat(assertRefused(FiErrno.FI_EDOMAIN, this::open)).hasMessageContaining("mine");
        second.close();
        counters.put(CounterEvent.RECV, second);
        assertRefused(FiErrno.FI_EBADFD, this::open);
        counters.put(CounterEvent.RECV, (Counter) Proxy.newProxyInstance(Counter.class.getClassLoader(),
            new Class<?>[] {Counter.class}, (proxy, method, arguments) ->
                method.getReturnType() == Domain.class ? domain : method.getName()));
        assertRefused(FiErrno.FI_EDOMAIN, this::open);
        first.close();
    }
}
