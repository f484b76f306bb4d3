/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Half-way failures of opening and connecting leave nothing behind, and what was not negotiated is not done. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FailedOpeningTest {
    @RegisterExtension
    final Sides sides = new Sides();

    /** A host of which one method fails. */
    private static EndpointHost failing(final EndpointHost host, final String method) {
        return (EndpointHost) Proxy.newProxyInstance(EndpointHost.class.getClassLoader(),
            new Class<?>[] {EndpointHost.class}, (proxy, called, args) -> {
                if (called.getName().equals(method)) {
                    throw new UnsupportedOperationException(method);
                }
                try {
                    return called.invoke(host, args);
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    }

    @Test
    void openingThatFailsAtTheListenerLeavesNothing() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final EndpointHost host = failing(((FabricEndpoint) a.ep).host(), "onAccessError");
        final CompletionQueue queue = a.domain.openCompletionQueue(8);
        long after = 0;
        for (int i = 0; i < 120; i++) {
            assertThatThrownBy(() -> FabricEndpoint.open(host, new EndpointOptions().completionQueue(queue)))
                .isInstanceOf(UnsupportedOperationException.class).hasMessage("onAccessError");
            // Memory of closed rings rests for a while (10 ms): so long that some is used again, however fast it goes.
            LockSupport.parkNanos(i % 5 == 4 ? TimeUnit.MILLISECONDS.toNanos(15) : 0);
            after = i == 19 ? a.context.reachableBytes() : after;
        }
        assertThat(a.context.reachableBytes()).isLessThanOrEqualTo(2 * after);
        queue.close();
        a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq)).close();
    }

    @Test
    void connectingThatFailsHalfWayIsOver() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Side b = sides.open(Mode.PROV_KEY_VIRT.hints());
        // Behind the endpoint's back the lane inwards is not as it was left.
        ((QueuePair) field(field(field(a.ep, "lanes"), "in"), "qp")).modify(QpAttributes.to(QpState.ERR));
        final byte[] name = b.ep.name();
        assertThatThrownBy(() -> a.ep.connect(name)).isInstanceOf(FabricException.class);
        assertThat(a.ep.isConnected()).isFalse();
        assertRefused(FiErrno.FI_EBADFD, () -> a.ep.connect(name));
        assertThatThrownBy(() -> a.ep.connect(name)).hasMessageContaining("open another one");
        assertThat(a.ep.send(a.at(0), 8, null, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(a.ep.receive(a.at(0), 8, null, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
    }

    /** Somebody does not give the lane back: closing waits for a while, and leaves nothing all the same. */
    @Test
    void closingEndsThoughTheLaneIsHeld() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Object arrivals = field(field(field(a.ep, "lanes"), "in"), "arrivals");
        ((AtomicBoolean) field(arrivals, "busy")).set(true);
        setField(arrivals, "longestHoldNanos", TimeUnit.MILLISECONDS.toNanos(100));
        a.ep.close();
        assertThat(a.ep.isClosed()).isTrue();
        a.cq.close();
    }

    private Side[] pair(final Capability capability) {
        return sides.pair(() -> new Hints().capabilities(Capability.MSG, capability)
            .mrMode(MrMode.ALLOCATED, MrMode.PROV_KEY).demand(MrMode.ALLOCATED, MrMode.PROV_KEY));
    }

    @Test
    void whatWasNotNegotiatedIsNotDone() {
        final Side[] rma = pair(Capability.RMA);
        final MemoryRegion desc = rma[0].local();
        final MemoryRegion region = rma[1].register(0);
        assertThat(rma[0].ep.fetchAdd(rma[0].at(0), desc, 1, 0, region.key(), 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(rma[0].ep.compareSwap(rma[0].at(0), desc, 1, 2, 0, region.key(), 1))
            .isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        rma[0].succeeds(() -> rma[0].ep.write(rma[0].at(0), 8, desc, 0, region.key(), 1));

        final Side[] atomic = pair(Capability.ATOMIC);
        final Side a = atomic[0];
        final MemoryRegion result = a.local();
        final MemoryRegion there = atomic[1].register(0);
        assertThat(a.ep.write(a.at(0), 8, result, 0, there.key(), 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.ep.writeWithData(a.at(0), 8, result, 1, 0, there.key(), 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.ep.read(a.at(0), 8, result, 0, there.key(), 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.ep.read(a.bytes, 0, 8, 0, there.key(), 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        a.succeeds(() -> a.ep.fetchAdd(a.at(0), result, 1, 0, there.key(), 2));
        assertThat(atomic[1].bytes.getLong(0)).isEqualTo(1);
    }

    /** However many keys are looked up, the table of keys takes no more memory. */
    @Test
    void tableOfKeysIsMadeForGood() {
        final KeyCache cache = new KeyCache();
        for (long key = 0; key < 10_000; key++) {
            cache.putState(key, KeyCache.MISSING);
        }
        final Object words = words(cache);
        for (long key = 0; key < 20_000; key++) {
            cache.putState(key, KeyCache.MISSING);
            assertThat(cache.state(cache.find(key))).isEqualTo(KeyCache.MISSING);
            cache.drop(cache.find(key));
            assertThat(cache.find(key)).isNegative();
        }
        assertThat(words(cache)).isSameAs(words);
    }

    private static Object words(final KeyCache cache) {
        return field(cache, "words");
    }

    private static void setField(final Object of, final String name, final Object value) {
        try {
            final Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            field.set(of, value);
        } catch (final ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Object field(final Object of, final String name) {
        try {
            final Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (final ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
