/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.engine.EngineEnvironment;
import io.rdma4j.device.engine.NoEvents;
import io.rdma4j.device.link.InProcessLink;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A carrier that throws: nobody else serves the device, so its thread goes on. */
class WireThreadFaultTest {
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Counters counters = new Counters();

    /** Brings nothing. */
    private Object answer(Object proxy, Method method, Object... arguments) throws Throwable {
        if (method.getName().equals("await")) {
            final Throwable fault = faults.poll();
            if (fault != null) {
                throw fault;
            }
            over.countDown();
        }
        return method.getReturnType() == int.class ? (Object) 0
            : method.getReturnType() == boolean.class ? (Object) false : null;
    }

    @Test
    void whatTheCarrierThrowsDoesNotEndTheThread() throws InterruptedException {
        faults.add(new IllegalStateException("a test's"));
        faults.add(new OutOfMemoryError("a test's"));
        faults.add(new NoClassDefFoundError("a test's"));
        final Carrier carrier = (Carrier) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {Carrier.class}, this::answer);
        final InProcessLink link = new InProcessLink();
        final Engine engine = new Engine(new EngineEnvironment(
            DeviceOptions.of(DeviceAddress.parse("emulated:faulty")), counters, new EmulatedIommu(counters), link,
            new NoEvents(), carrier, false));
        final WireThread thread = new WireThread("faulty", engine, carrier, counters, DaemonThreads::of);
        thread.start();
        try {
            assertThat(over.await(Patience.nanos(), TimeUnit.NANOSECONDS)).as(counters.toString()).isTrue();
            assertThat(counters.get(Counter.INTERNAL_ERRORS)).isEqualTo(3);
        } finally {
            assertThat(thread.close()).isTrue();
        }
    }

    @Test
    void aDeviceForWhichThereIsNoThreadIsNotOpen() {
        final DeviceAddress address = DeviceAddress.parse("emulated:threadless?wire=shm");
        final OutOfMemoryError none = new OutOfMemoryError("test: unable to create native thread");
        assertThatThrownBy(() -> EmulatedDevice.open(address, (name, work) -> new Thread(work, name) {
            @Override
            public void start() {
                throw none;
            }
        })).isSameAs(none);
        EmulatedDevice.open(address).close();
    }
}
