/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Patience;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Knows the device address of each socket: the GID is the IPv4 address behind {@code ::}, the queue pair number the
 * port and what was added since. Ports above 60000 have no endpoint. May be held up.
 */
final class FakeResolver implements AddressResolver {
    static final int UNKNOWN = 60_000;

    final Set<Long> deadlines = ConcurrentHashMap.newKeySet();
    final AtomicInteger asked = new AtomicInteger();
    volatile int moved;
    volatile RuntimeException failure;
    volatile Error error;
    volatile CountDownLatch gate = new CountDownLatch(0);
    /** Who asks for one of these sockets waits for the gate; all do if there are none. */
    final Set<FabricAddress> silent = ConcurrentHashMap.newKeySet();
    /** Nobody is at these any more. */
    final Set<FabricAddress> gone = ConcurrentHashMap.newKeySet();

    @Override
    public long deadline() {
        return System.nanoTime() + Patience.nanos();
    }

    @Override
    public void resolve(
        final AvEntry[] entries, final Problem[] problems, final int count, final long deadline) {
        deadlines.add(deadline);
        asked.addAndGet(count);
        if (failure != null) {
            throw failure;
        }
        if (error != null) {
            throw error;
        }
        final boolean isHeldUp = silent.isEmpty()
            || Arrays.stream(entries, 0, count).anyMatch(entry -> silent.contains(entry.inserted()));
        if (isHeldUp && !pass()) {
            Arrays.fill(problems, 0, count, new Problem(FiErrno.FI_EINTR, "interrupted"));
            return;
        }
        for (int i = 0; i < count; i++) {
            if (problems[i] == null) {
                problems[i] = resolve(entries[i]);
            }
        }
    }

    private boolean pass() {
        try {
            if (!gate.await(Patience.millis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("nobody opened the gate");
            }
            return true;
        } catch (final InterruptedException e) {
            return false;
        }
    }

    private Problem resolve(final AvEntry entry) {
        final FabricAddress given = entry.inserted();
        final FabricAddress address = given.format() == AddressFormat.STR
            ? FabricAddress.parse(new String(given.bytes(), StandardCharsets.UTF_8)) : given;
        final byte[] ip = address.socketAddress().getAddress().getAddress();
        final int port = address.socketAddress().getPort();
        if (port > UNKNOWN || gone.contains(given)) {
            return new Problem(FiErrno.FI_ENODATA, "no endpoint at port " + port);
        }
        long low = 0;
        for (int i = Math.max(0, ip.length - 8); i < ip.length; i++) {
            low = low << 8 | ip[i] & 0xff;
        }
        entry.device(0, low, port + moved, AvRig.QKEY, EndpointType.RDM.value());
        return null;
    }

    @Override
    public Source service(final String node, final String service) {
        throw new AssertionError("not asked here");
    }

    @Override
    public Source symmetric(
        final String node, final int nodeCount, final String service, final int serviceCount) {
        return new Named(AddressFormat.DEVICE, kind()).symmetric(node, nodeCount, service, serviceCount);
    }

    @Override
    public EndpointType kind() {
        return EndpointType.RDM;
    }
}
