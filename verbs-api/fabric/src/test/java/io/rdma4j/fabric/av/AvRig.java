/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.DomainModel;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Gid;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A domain without a device, and vectors of it. */
final class AvRig implements AvHost {
    static final Duration LONG = Patience.duration();
    static final long GID_HIGH = 0xfe80_0000_0000_0000L;
    static final int QKEY = 0x1ee7;
    static final String DOMAIN = "emulated:stand-in";

    final FakeResolver resolver = new FakeResolver();
    final List<AddressVector> open = new ArrayList<>();
    boolean avAuthKeys;
    AvStores stores;
    /** Why no vector can be opened; null if it can. */
    FabricException refusal;
    private final Fabric fabric = standIn(Fabric.class, "the fabric", null);
    private final Domain domain;

    AvRig() {
        this(AddressFormat.DEVICE);
    }

    AvRig(final AddressFormat format) {
        final FabricInfo info = standIn(FabricInfo.class, "the info", format);
        domain = standIn(Domain.class, "the domain", info);
    }

    private static <T> T standIn(final Class<T> type, final String name, final Object value) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "toString" -> name;
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                case "info", "addressFormat" -> value;
                case "endpointType" -> EndpointType.RDM;
                case "domainModel" -> new DomainModel(DOMAIN, null, null, null, null);
                default -> throw new AssertionError(method + " was called");
            }));
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public AvStores stores() {
        return stores;
    }

    @Override
    public boolean avAuthKeys() {
        return avAuthKeys;
    }

    @Override
    public void opened(final AddressVector vector) {
        if (refusal != null) {
            throw refusal;
        }
        open.add(vector);
    }

    @Override
    public void closed(final AddressVector vector) {
        assertThat(open.remove(vector)).isTrue();
    }

    FabricAddressVector open(final AvAttributes attributes) {
        return AddressVectors.open(this, attributes, resolver);
    }

    FabricAddressVector open(final AvType type, final AvFlag... flags) {
        final AvAttributes attributes = new AvAttributes().type(type);
        for (final AvFlag flag : flags) {
            attributes.flags(flag);
        }
        return open(attributes);
    }

    /** A worker whose first threads cannot be had. */
    static Worker without(final int threads) {
        final AtomicInteger missing = new AtomicInteger(threads);
        return new Worker("late", 1, LONG.toNanos(), work -> {
            if (missing.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread, pretended");
            }
            return DaemonThreads.of("late", work);
        });
    }

    /** One with a worker of the test's for all that it does, and addresses on the heap. */
    FabricAddressVector open(final AvAttributes attributes, final Worker worker) {
        final FabricAddressVector vector = new FabricAddressVector(this, attributes,
            new HeapStore(AvType.TABLE, domain.info().addressFormat(), 0), resolver, worker, worker);
        opened(vector);
        return vector;
    }

    FabricEventQueue queue() {
        return new FabricEventQueue(fabric, 0, queue -> { });
    }

    /** Addresses that all numbers are different of. */
    static FabricAddress device(final int i) {
        return device(i, i & 0xff_ffff);
    }

    static FabricAddress device(final long node, final int qpn) {
        return FabricAddress.device(new Gid(GID_HIGH, node), qpn, QKEY, EndpointType.RDM);
    }

    static FabricAddress[] devices(final int from, final int count) {
        final FabricAddress[] all = new FabricAddress[count];
        for (int i = 0; i < count; i++) {
            all[i] = device(from + i + 1);
        }
        return all;
    }

    static FabricAddress socket(final String host, final int port) {
        return FabricAddress.socket(new InetSocketAddress(host, port));
    }

    static UnsafeBuffer packed(final FabricAddress... addresses) {
        final UnsafeBuffer all = new UnsafeBuffer(new byte[addresses.length * addresses[0].bytes().length]);
        for (int i = 0; i < addresses.length; i++) {
            final byte[] bytes = addresses[i].bytes();
            all.putBytes(i * bytes.length, bytes);
        }
        return all;
    }

    /** Not a version that there is. */
    static FabricAddress bad() {
        final byte[] bytes = device(1).bytes();
        bytes[24] = 77;
        return FabricAddress.of(AddressFormat.DEVICE, bytes);
    }

    static PeerAddress find(final PeerTable vector, final long name) {
        final PeerAddress peer = new PeerAddress();
        return vector.find(name, peer) ? peer : null;
    }

    static EventEntry next(final FabricEventQueue queue) {
        final List<EventEntry> entries = new ArrayList<>();
        assertThat(queue.awaitRead(entries::add, 1, LONG)).as("event in %s", queue).isEqualTo(1);
        return entries.get(0);
    }
}
