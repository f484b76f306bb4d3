/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Connections: one side listens, the other one asks, both hear of it in their event queues. */
final class ConnectExample {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration TURN = Duration.ofMillis(1);

    private ConnectExample() {
    }

    static void run(final String device, final Page page) {
        final FabricInfo info = Fabrics.getInfo(new Hints().address(device).mrMode(TwoEnds.ALL_MODES)
            .endpointType(EndpointType.MSG).capabilities(Capability.MSG)).get(0);
        try (Fabric fabric = Fabrics.open(info); Side near = new Side(fabric); Side far = new Side(fabric)) {
            near.other = far;
            far.other = near;
            try (PassiveEndpoint listener = fabric.openPassiveEndpoint(info, far.events, null)) {
                listener.listen();
                accepted(near, far, listener, page);
                refused(near, far, listener, page);
            }
        }
    }

    private static void accepted(
        final Side near, final Side far, final PassiveEndpoint listener, final Page page) {
        page.section("asked, and accepted");
        try (MsgEndpoint active = near.endpoint(new EndpointOptions())) {
            active.connect(listener.address(), bytes("may I?"));
            final EventEntry request = far.await(page);
            try (MsgEndpoint accepting = far.endpoint(new EndpointOptions().request(request.request()))) {
                accepting.accept(bytes("yes"));
                near.await(page);
                far.await(page);
                page.done("isConnected()", active.isConnected() && accepting.isConnected());
                active.shutdown();
                far.await(page);
                page.done("isConnected()", active.isConnected() || accepting.isConnected());
            }
        }
    }

    private static void refused(final Side near, final Side far, final PassiveEndpoint listener, final Page page) {
        page.section("asked, and refused");
        try (MsgEndpoint active = near.endpoint(new EndpointOptions())) {
            active.connect(listener.address(), bytes("and now?"));
            far.await(page).request().reject(bytes("no room"));
            near.await(page);
        }
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** What each of the two has: events, and a domain for its endpoints. */
    private static final class Side implements AutoCloseable {
        private final EventQueue events;
        private final Domain domain;
        private final CompletionQueue queue;
        private final Deque<EventEntry> seen = new ArrayDeque<>();
        private Side other;

        Side(final Fabric fabric) {
            events = fabric.openEventQueue(0);
            domain = fabric.openDomain(fabric.info());
            queue = domain.openCompletionQueue(16);
        }

        MsgEndpoint endpoint(final EndpointOptions options) {
            return domain.openEndpoint(options.completionQueue(queue).eventQueue(events));
        }

        /** The next event, printed. Reading the queues is what lets connections come about (manual progress). */
        EventEntry await(final Page page) {
            final long end = System.nanoTime() + PATIENCE.toNanos();
            while (seen.isEmpty()) {
                other.events.read(other.seen::add, 1);
                events.awaitRead(seen::add, 1, TURN);
                if (System.nanoTime() - end >= 0) {
                    throw FabricException.of("wait for an event").detail("none within %s", PATIENCE)
                        .errno(FiErrno.FI_ETIMEDOUT).build();
                }
            }
            final EventEntry entry = seen.poll();
            page.done("event " + entry.event(), FiErrno.name(entry.errno()) + ", \""
                + new String(entry.privateData(), StandardCharsets.US_ASCII) + '"');
            return entry;
        }

        @Override
        public void close() {
            queue.close();
            domain.close();
            events.close();
        }
    }
}
