/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** Programs of libfabric's interface. */
final class FabricScenarios {
    private static final int LENGTH = 64;
    private static final int PAGES = 4 * 4096;
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private FabricScenarios() {
    }

    static void connected(final Scenario.Place place) {
        try (RdmaContext context = RdmaDevices.open(place.device(0))) {
            final FabricInfo info =
                Fabrics.getInfo(new Hints().context(context).endpointType(EndpointType.MSG)).get(0);
            try (Fabric fabric = Fabrics.open(info);
                 Domain domain = fabric.openDomain(info);
                 PinnedMemory memory = domain.allocate(PAGES);
                 EventQueue events =
                     fabric.openEventQueue(new EqAttributes().size(16).waitObject(WaitObject.FD));
                 CompletionQueue queue =
                     domain.openCompletionQueue(new CqAttributes().size(64).waitObject(WaitObject.FD));
                 PassiveEndpoint passive = fabric.openPassiveEndpoint(info, events, null)) {
                passive.listen();
                final EndpointOptions options =
                    options().completionQueue(queue).eventQueue(events).sizes(4, 4);
                try (MsgEndpoint asking = domain.openEndpoint(options)) {
                    asking.connect(passive.address(), null);
                    final ConnectionRequest request = connectionRequest(events, queue);
                    try (MsgEndpoint asked = domain.openEndpoint(options.request(request))) {
                        asked.accept(null);
                        final int[] connected = new int[1];
                        Await.until(() -> "connected, " + connected[0], () -> {
                            turn(events, queue);
                            events.read(entry -> {
                                assertThat(entry.event()).isEqualTo(FabricEvent.CONNECTED);
                                connected[0]++;
                            }, 4);
                            return connected[0] == 2;
                        });
                        post(queue, () -> asked.receive(memory.address() + LENGTH, LENGTH, null, 1));
                        post(queue, () -> asking.send(memory.address(), LENGTH, null, 2));
                        completions(queue, 2);
                    }
                }
            }
        }
    }

    private static ConnectionRequest connectionRequest(final EventQueue events, final CompletionQueue queue) {
        final ConnectionRequest[] request = new ConnectionRequest[1];
        Await.until("a connection request", () -> {
            turn(events, queue);
            events.read(entry -> {
                assertThat(entry.event()).isEqualTo(FabricEvent.CONNREQ);
                request[0] = entry.request();
            }, 1);
            return request[0] != null;
        });
        return request[0];
    }

    /** As an event loop does: waits for one of the two files, for a little while. */
    private static void turn(final EventQueue events, final CompletionQueue queue) {
        queue.read(entry -> assertThat(entry.errno()).isZero(), 4);
        if (events.tryWait() == 0 && queue.tryWait() == 0) {
            final PollSet files = new PollSet(2);
            files.add(events.fd(), LibcConstants.POLLIN);
            files.add(queue.fd(), LibcConstants.POLLIN);
            Libc.poll(files, SLICE_NANOS);
        }
    }

    static void datagrams(final Scenario.Place place) {
        final Hints hints = new Hints().endpointType(EndpointType.RDM).capabilities(Capability.MSG, Capability.RMA);
        try (RdmaContext context = RdmaDevices.open(place.device(0))) {
            final FabricInfo info = Fabrics.getInfo(hints.context(context)).get(0);
            try (Fabric fabric = Fabrics.open(info);
                 Domain domain = fabric.openDomain(info);
                 PinnedMemory memory = domain.allocate(PAGES);
                 CompletionQueue queue =
                     domain.openCompletionQueue(new CqAttributes().size(64).waitObject(WaitObject.FD));
                 AddressVector vector = domain.openAddressVector(
                     new AvAttributes().type(AvType.TABLE).count(8).name(place.name()));
                 AddressedEndpoint endpoint = domain.openAddressedEndpoint(
                     options().completionQueue(queue).addressVector(vector).sizes(8, 8));
                 AddressedEndpoint other = domain.openAddressedEndpoint(
                     options().completionQueue(queue).addressVector(vector).sizes(8, 8))) {
                final long there = vector.insert(other.address());
                assertThat(vector.insert(endpoint.address())).isNotEqualTo(there);
                post(queue, () -> other.receive(memory.address() + LENGTH, LENGTH, null, -1, 1));
                post(queue, () -> endpoint.send(memory.address(), LENGTH, null, there, 2));
                completions(queue, 2);
            }
        }
    }

    static void cache(final Scenario.Place place) {
        try (RdmaContext context = RdmaDevices.open(place.device(0))) {
            final FabricInfo info = Fabrics.getInfo(new Hints().context(context).endpointType(EndpointType.MSG)
                .cache(new CacheAttributes().monitor("userfaultfd"))).get(0);
            try (Fabric fabric = Fabrics.open(info);
                 Domain domain = fabric.openDomain(info);
                 CompletionQueue queue = domain.openCompletionQueue(64);
                 MsgEndpoint near = domain.openEndpoint(new EndpointOptions().completionQueue(queue).sizes(4, 4));
                 MsgEndpoint far = domain.openEndpoint(new EndpointOptions().completionQueue(queue).sizes(4, 4))) {
                near.connect(far.name());
                far.connect(near.name());
                for (int round = 0; round < 2; round++) {
                    try (MappedMemory memory = MappedMemory.anonymous(PAGES)) {
                        for (int message = 0; message < 2; message++) {
                            post(queue, () -> far.receive(memory.address() + PAGES / 2, 4096, null, 1));
                            post(queue, () -> near.send(memory.address(), 4096, null, 2));
                            completions(queue, 2);
                        }
                    }
                }
            }
        }
    }

    private static EndpointOptions options() {
        return new EndpointOptions().connectTimeout(Await.LONG);
    }

    private static void post(final CompletionQueue queue, final IntSupplier operation) {
        final int[] code = new int[1];
        Await.until("room", () -> {
            code[0] = operation.getAsInt();
            if (code[0] == -FiErrno.FI_EAGAIN) {
                queue.read(null, 0);
            }
            return code[0] != -FiErrno.FI_EAGAIN;
        });
        if (code[0] != 0) {
            throw new RefusedException("an operation: " + FiErrno.name(code[0]));
        }
    }

    private static void completions(final CompletionQueue queue, final int count) {
        final int[] seen = new int[1];
        final int[] failed = new int[1];
        Await.until(() -> "completions, " + seen[0], () -> {
            queue.read(entry -> {
                seen[0]++;
                failed[0] = entry.errno() == 0 ? failed[0] : entry.errno();
            }, count);
            if (failed[0] != 0) {
                throw new RefusedException("a completion: " + FiErrno.name(failed[0]));
            }
            return seen[0] == count;
        });
    }
}
