/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.ProgressAgent;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.PinnedMemory;

import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The examples of docs/events.md: they are here, word for word, and do what the page says. */
@Timeout(60)
class EventsPageTest {
    private static final Path PAGE = Path.of("../../docs/events.md");
    private static final Path HERE = Path.of("src/test/java/io/rdma4j/fabric/event/EventsPageTest.java");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final TestDomain own = devices.keep(new TestDomain(new Hints().context(devices.device(""))));
    private final Domain domain = own.domain;
    private final CompletionQueue queue = devices.keep(domain.openCompletionQueue(
        new CqAttributes().size(128).waitObject(WaitObject.FD)));
    private final EventQueue events =
        devices.keep(own.fabric.openEventQueue(new EqAttributes().writable(true).waitObject(WaitObject.FD)));
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private MsgEndpoint endpoint;
    private MsgEndpoint peer;
    private Counter sent;
    private volatile boolean stopped;

    private void log(final String text) {
        told.add(text);
    }

    private void registered(final MemoryRegion region, final int errno) {
        told.add("registered " + region.context() + ", " + errno);
    }

    private void completed(final CompletionEntry entry) {
        told.add("completed " + entry.kind());
    }

    private void failed(final Throwable failure) {
        told.add("failed: " + failure);
    }

    private void handle(final EventEntry entry) {
        told.add("handled " + entry.data());
        stopped = entry.data() == 3;
    }

    @Test
    void eachExampleIsHere() throws IOException {
        final String here = Files.readString(HERE).replaceAll("\\s+", " ");
        final Matcher example = EXAMPLE.matcher(Files.readString(PAGE));
        int examples = 0;
        while (example.find()) {
            assertThat(here.contains(example.group(1).strip().replaceAll("\\s+", " "))).as(example.group(1)).isTrue();
            examples++;
        }
        assertThat(examples).isEqualTo(6);
    }

    @Test
    void eventsAreWaitedFor() {
        domain.bind(events);
        final PinnedMemory memory = domain.allocate(4096);
        final MemoryRegion region =
            domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND).context("all of it"));
        events.write(FabricEvent.NOTIFY, null, null, 1);
        events.write(FabricEvent.SHUTDOWN, null, null, 7);
        until("all was told: " + told, () -> {
            waitForEvents();
            return stopped && told.size() == 2;
        });
        assertThat(told).containsExactlyInAnyOrder("registered all of it, 0", "SHUTDOWN, data 7");
        region.close();
        memory.close();
        queue.close();
        domain.close();
    }

    private void waitForEvents() {
        events.awaitRead(entry -> {
            switch (entry.event()) {
                case MR_COMPLETE -> registered(entry.region(), entry.errno());
                case NOTIFY -> stopped = true;
                default -> log(entry.toString());
            }
        }, 16, Duration.ofSeconds(1));
    }

    @Test
    void completionsAreWaitedFor() throws Exception {
        open();
        final PinnedMemory memory = transfer();
        until("both are told: " + told, () -> {
            waitForCompletions();
            return told.size() == 2;
        });
        assertThat(told).containsExactlyInAnyOrder("completed RECEIVE", "completed SEND");
        final Waiting.Waiter<Integer> waiter = Waiting.start(() -> {
            waitForCompletions();
            return told.size();
        });
        queue.signal();
        assertThat(waiter.result()).isEqualTo(2);
        memory.close();
    }

    private void waitForCompletions() {
        final int taken = queue.awaitRead(this::completed, 16, Duration.ofSeconds(1));
        if (taken < 0 && taken != -FiErrno.FI_EAGAIN) {
            log("read completion queue: " + FiErrno.name(taken));
        }
    }

    @Test
    void anEventLoopWaitsForDescriptors() throws Exception {
        open();
        try (Epoll loop = Epoll.ofEdges(queue.fd(), events.fd())) {
            final Waiting.Waiter<Integer> thread = Waiting.start(() -> {
                while (!stopped) {
                    final int completions = queue.read(this::completed, 16);
                    if (completions < 0) {
                        log("reading completions: " + FiErrno.name(completions));
                        break;
                    }
                    final int taken = completions + events.read(this::handle, 16);
                    if (taken == 0 && queue.tryWait() == 0 && events.tryWait() == 0) {
                        loop.await(1000);
                    }
                }
                return told.size();
            });
            for (int i = 1; i <= 3; i++) {
                events.write(FabricEvent.NOTIFY, null, null, i);
            }
            assertThat(thread.result()).isEqualTo(3);
            assertThat(told).containsExactly("handled 1", "handled 2", "handled 3");
        }
    }

    @Test
    void anAgentReadsBoth() {
        open();
        final PinnedMemory memory = transfer();
        final ProgressAgent agent = new ProgressAgent("rdma4j-progress")
            .add(queue, this::completed).add(events, this::handle);
        final AgentRunner runner = new AgentRunner(new BackoffIdleStrategy(), this::failed, null, agent);
        AgentRunner.startOnThread(runner);
        try {
            events.write(FabricEvent.NOTIFY, null, null, 3);
            until("all was told: " + told, () -> told.size() == 3);
            assertThat(told).containsExactlyInAnyOrder("completed RECEIVE", "completed SEND", "handled 3");
            assertThat(agent.remove(queue)).isTrue();
        } finally {
            runner.close();
        }
        memory.close();
    }

    private PinnedMemory transfer() {
        final PinnedMemory memory = domain.allocate(4096);
        assertThat(peer.receive(memory.address(), 64, null, 1)).isZero();
        assertThat(endpoint.send(memory.address() + 64, 64, null, 2)).isZero();
        return memory;
    }

    private void open() {
        sent = domain.openCounter();
        endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(queue).counter(sent, CounterEvent.SEND));
        devices.keep(sent);
        devices.keep(endpoint);
        peer = devices.keep(domain.openEndpoint(new EndpointOptions().completionQueue(queue)));
        endpoint.connect(peer.name());
        peer.connect(endpoint.name());
    }

    @Test
    void aCounterIsWaitedForWhileAnAgentReads() throws Exception {
        open();
        final PinnedMemory memory = domain.allocate(4096);
        sent.set(40);
        for (int i = 0; i < 60; i++) {
            assertThat(peer.receive(memory.address(), 64, null, 1)).isZero();
            assertThat(endpoint.send(memory.address() + 64, 64, null, 2)).isZero();
        }
        final Waiting.Waiter<Integer> waiter = Waiting.start(() -> {
            int code;
            do {
                // Again where the agent had no processor for so long.
                code = waitForTheCounter();
            } while (code == -FiErrno.FI_ETIMEDOUT);
            return code;
        }).asleep();
        final AgentRunner runner = new AgentRunner(
            new BackoffIdleStrategy(), this::failed, null, new ProgressAgent("reads").add(queue, this::completed));
        // From here on endpoints and queue are the agent's, as one thread at a time uses them.
        AgentRunner.startOnThread(runner);
        try {
            assertThat(waiter.result()).isZero();
        } finally {
            runner.close();
        }
        assertThat(sent.read()).as("%s", told).isEqualTo(100);
        assertThat(sent.readError()).isZero();
        memory.close();
    }

    private int waitForTheCounter() {
        final int code = sent.await(100, Duration.ofSeconds(5));
        if (code == -FiErrno.FI_EAVAIL) {
            log(sent.readError() + " failed");
        }
        return code;
    }
}
