/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.pvrdma.EmulatedTime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A device with a fabric, a domain and its queues. */
final class MsgNode implements AutoCloseable {
    private static final AtomicInteger NAMES = new AtomicInteger();
    /** Of who asks for a connection, on a machine that does other things. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    final RdmaContext context;
    final Fabric fabric;
    final FabricInfo info;
    final Domain domain;
    final EventQueue eq;
    final CompletionQueue cq;
    final PinnedMemory memory;
    final List<MsgEndpoint> endpoints = new ArrayList<>();
    final List<PassiveEndpoint> passives = new ArrayList<>();
    final Deque<EventEntry> events = new ArrayDeque<>();
    final List<String> completions = new ArrayList<>();

    MsgNode() {
        this(new Hints());
    }

    MsgNode(final Hints hints) {
        context = RdmaDevices.open("emulated:cm" + NAMES.incrementAndGet());
        info = Fabrics.getInfo(hints.context(context)).get(0);
        fabric = Fabrics.open(info);
        eq = fabric.openEventQueue(0);
        domain = fabric.openDomain(info);
        cq = domain.openCompletionQueue(64);
        memory = domain.allocate(4096);
    }

    EndpointOptions options() {
        return new EndpointOptions().completionQueue(cq).eventQueue(eq).sizes(8, 8).connectTimeout(PATIENCE);
    }

    MsgEndpoint open(final EndpointOptions options) {
        final MsgEndpoint endpoint = domain.openEndpoint(options);
        endpoints.add(endpoint);
        return endpoint;
    }

    MsgEndpoint open() {
        return open(options());
    }

    PassiveEndpoint listen() {
        final PassiveEndpoint passive = fabric.openPassiveEndpoint(info, eq, null);
        passives.add(passive);
        passive.listen();
        return passive;
    }

    void progress() {
        eq.read(events::add, 16);
        final int code = cq.read(entry -> completions.add(entry.kind() + " " + entry.context() + " "
            + FiErrno.name(entry.errno())), 16);
        assertThat(code).isNotNegative();
    }

    /** The next event, which has to be of that kind. */
    EventEntry await(final FabricEvent kind, final MsgNode... others) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (events.isEmpty()) {
            assertThat(System.nanoTime() - deadline).as("no %s: %s", kind, this).isNegative();
            progress();
            for (final MsgNode other : others) {
                other.progress();
            }
            Thread.yield();
        }
        final EventEntry event = events.poll();
        assertThat(event.event()).as("%s", event).isEqualTo(kind);
        return event;
    }

    /** A peer does not answer: until there is an event that says so. */
    void untilItWasSilentForLong() {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (events.isEmpty()) {
            assertThat(System.nanoTime() - deadline).as("no event: %s", this).isNegative();
            EmulatedTime.pass(context);
            progress();
        }
    }

    /** The next event of that kind; others stay. */
    EventEntry pick(final FabricEvent kind, final MsgNode... others) {
        final Deque<EventEntry> skipped = new ArrayDeque<>();
        EventEntry event = events.isEmpty() ? null : events.poll();
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (event == null || event.event() != kind) {
            assertThat(System.nanoTime() - deadline).as("no %s: %s, %s", kind, this, skipped).isNegative();
            if (event != null) {
                skipped.add(event);
            }
            progress();
            for (final MsgNode other : others) {
                other.progress();
            }
            event = events.poll();
        }
        skipped.addAll(events);
        events.clear();
        events.addAll(skipped);
        return event;
    }

    EventEntry awaitError(final int errno, final MsgNode... others) {
        final EventEntry event = await(FabricEvent.CONNECTED, others);
        assertThat(event.errno()).as("%s", event).isEqualTo(errno);
        assertThat(event.providerError()).isNotEmpty();
        return event;
    }

    /** Until a completion of that text is there. */
    void awaitCompletion(final String text, final MsgNode... others) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (!completions.remove(text)) {
            assertThat(System.nanoTime() - deadline).as("no '%s': %s", text, this).isNegative();
            progress();
            for (final MsgNode other : others) {
                other.progress();
            }
            Thread.yield();
        }
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

    static EndpointOptions quick(final EndpointOptions options) {
        return options.connectTimeout(Duration.ofMillis(300));
    }

    /** What there is of each kind on the device. */
    String objects() {
        return context.dump().lines().filter(line -> line.startsWith("objects: ")).findFirst().orElseThrow();
    }

    @Override
    public void close() {
        endpoints.forEach(MsgEndpoint::close);
        passives.forEach(PassiveEndpoint::close);
        cq.close();
        memory.close();
        domain.close();
        eq.close();
        fabric.close();
        assertThat(objects()).matches("objects: \\[PD 0/\\d+, MR 0/\\d+, MW 0/\\d+, CQ 0/\\d+, QP 0/\\d+, SRQ 0/\\d+]");
        context.close();
    }

    @Override
    public String toString() {
        return "events " + events + ", completions " + completions + ", " + endpoints + ", " + passives;
    }
}
