/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestNode;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Connected endpoints on a device of their own, and those that listen, with one event queue. */
final class MsgNode extends TestNode {
    final EventQueue eq = keep(fabric.openEventQueue(0));
    final List<MsgEndpoint> endpoints = new ArrayList<>();
    final Deque<EventEntry> events = new ArrayDeque<>();

    private MsgNode(final Hints hints) {
        super(hints, 4096);
    }

    static MsgNode on(final TestDevices devices) {
        return on(devices, new Hints());
    }

    static MsgNode on(final TestDevices devices, final Hints hints) {
        return devices.keep(new MsgNode(hints.context(devices.device(""))));
    }

    /** Who asks for a connection is patient, on a machine that does other things. */
    EndpointOptions options() {
        return new EndpointOptions().completionQueue(cq).eventQueue(eq).sizes(8, 8).connectTimeout(Await.LONG);
    }

    static EndpointOptions quick(final EndpointOptions options) {
        return options.connectTimeout(Duration.ofMillis(300));
    }

    MsgEndpoint open(final EndpointOptions options) {
        final MsgEndpoint endpoint = keep(domain.openEndpoint(options));
        endpoints.add(endpoint);
        return endpoint;
    }

    MsgEndpoint open() {
        return open(options());
    }

    PassiveEndpoint listen() {
        return listen(null);
    }

    PassiveEndpoint listen(final String service) {
        final PassiveEndpoint passive = keep(fabric.openPassiveEndpoint(info, eq, service));
        passive.listen();
        return passive;
    }

    @Override
    public void take() {
        eq.read(events::add, 16);
        super.take();
    }

    private MsgNode with(final MsgNode... nodes) {
        others.clear();
        others.addAll(List.of(nodes));
        return this;
    }

    /** The next event, which has to be of that kind. */
    EventEntry await(final FabricEvent kind, final MsgNode... nodes) {
        with(nodes).until(() -> !events.isEmpty());
        final EventEntry event = events.poll();
        assertThat(event.event()).as("%s", event).isEqualTo(kind);
        return event;
    }

    /** A peer does not answer: until there is an event that says so. */
    void untilItWasSilentForLong() {
        with().until(() -> {
            passTime();
            return !events.isEmpty();
        });
    }

    /** The same, until whoever reads completions knows that; nobody reads events. */
    void untilCompletionsTell(final MsgEndpoint endpoint) {
        final long deadline = System.nanoTime() + Await.LONG.toNanos();
        while (endpoint.isConnected()) {
            assertThat(System.nanoTime()).as("%s", endpoint).isLessThan(deadline);
            passTime();
            cq.read(entry -> { }, 16);
        }
    }

    /** The next event of that kind; others stay. */
    EventEntry pick(final FabricEvent kind, final MsgNode... nodes) {
        with(nodes).until(() -> events.stream().anyMatch(event -> event.event() == kind));
        final EventEntry found = events.stream().filter(event -> event.event() == kind).findFirst().orElseThrow();
        events.remove(found);
        return found;
    }

    EventEntry awaitError(final int errno, final MsgNode... nodes) {
        final EventEntry event = await(FabricEvent.CONNECTED, nodes);
        assertThat(event.errno()).as("%s", event).isEqualTo(errno);
        assertThat(event.providerError()).isNotEmpty();
        return event;
    }

    /** Until a completion of that text is there. */
    void awaitCompletion(final String text, final MsgNode... nodes) {
        with(nodes).next(one -> text.equals(one.kind() + " " + one.context() + " " + one.error()));
    }

    MsgEndpoint accept(final ConnectionRequest request, final byte[] data) {
        final MsgEndpoint endpoint = open(options().request(request));
        endpoint.accept(data);
        return endpoint;
    }

    /** Connects a new endpoint here with a new one there: that one. */
    MsgEndpoint[] connect(final MsgNode other, final PassiveEndpoint passive) {
        final MsgEndpoint mine = open();
        mine.connect(passive.address(), null);
        final MsgEndpoint theirs = other.accept(other.await(FabricEvent.CONNREQ, this).request(), null);
        assertThat(await(FabricEvent.CONNECTED, other).isError()).isFalse();
        assertThat(other.await(FabricEvent.CONNECTED, this).isError()).isFalse();
        return new MsgEndpoint[] {mine, theirs};
    }

    /** What there is of each kind on the device. */
    String objects() {
        return TestDevices.objects(context);
    }

    @Override
    public String toString() {
        return "events " + events + ", " + endpoints + ", " + super.toString();
    }
}
