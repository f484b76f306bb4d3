/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.RdmaException;
import io.rdma4j.conformance.ConformanceMain;
import io.rdma4j.qemu.leftovers.Traffic;
import io.rdma4j.qemu.tools.ToolCommand;
import io.rdma4j.qemu.tools.Transcript;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What stations can do. Each job prints what it saw as {@code INFO key=value} lines and returns an exit code; what is
 * right is decided where the lines are read.
 */
final class Jobs {
    /** Said when messages are under way. */
    static final String RUNNING = "RUNNING";

    /** The job that runs a command of rdma4j: its line follows, as {@link ToolCommand} has it. */
    static final String TOOL = "tool";
    /** The line that was typed, with the process that was meant. */
    static final String TYPED = "typed";
    /** What it printed, packed. */
    static final String PRINTED = "printed";

    private static final int MESSAGES = 20;
    private static final Duration LOSS = Duration.ofMinutes(3);
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration LAST_MESSAGE = Duration.ofMinutes(1);

    private final PrintStream out;
    private final String address;

    private Jobs(final PrintStream out, final String address) {
        this.out = out;
        this.address = address;
    }

    static int run(final String job, final String[] arguments, final PrintStream out) {
        final Jobs jobs = new Jobs(out, arguments.length == 0 ? "" : arguments[0]);
        final long start = System.nanoTime();
        try {
            return switch (job) {
                case "conformance" -> ConformanceMain.run(arguments, out);
                case "traffic" -> jobs.trafficForEver();
                case "open" -> jobs.open();
                case "pingpong" -> jobs.pingPong();
                case "recover" -> jobs.recover();
                case "hold" -> jobs.holdUntilLost();
                case TOOL -> jobs.tool(String.join(" ", arguments));
                default -> throw new IllegalArgumentException("no job '" + job + "'");
            };
        } catch (final RdmaException e) {
            jobs.info("errno", e.errno());
            jobs.info("message", String.valueOf(e.getMessage()).replace("\n", " | "));
            return 1;
        } catch (final IllegalStateException | IllegalArgumentException e) {
            jobs.info("message", e.toString().replace("\n", " | "));
            return 1;
        } finally {
            jobs.info("millis", (System.nanoTime() - start) / 1_000_000);
        }
    }

    private void info(final String key, final Object value) {
        out.println("INFO " + key + '=' + value);
        out.flush();
    }

    private void running() {
        out.println(RUNNING);
        out.flush();
    }

    /** Opens and closes. */
    private int open() {
        try (RdmaContext context = RdmaDevices.open(address)) {
            info("opened", context.address());
        }
        return 0;
    }

    private int pingPong() {
        try (RdmaContext context = RdmaDevices.open(address)) {
            exchange(context);
        }
        return 0;
    }

    private void exchange(final RdmaContext context) {
        final Traffic traffic = new Traffic(context);
        for (int i = 0; i < MESSAGES; i++) {
            traffic.exchange();
        }
        info("messages", MESSAGES);
    }

    /** Ends with the process. */
    private int trafficForEver() {
        final RdmaContext context = RdmaDevices.open(address);
        final Traffic traffic = new Traffic(context);
        traffic.exchange();
        running();
        while (true) {
            traffic.exchange();
        }
    }

    /** Its output is one packed line: a character takes a millisecond on the console of an emulated guest's guest. */
    private int tool(final String line) {
        final String typed = ToolCommand.onProcess(line, Station.VICTIM.pid());
        info(TYPED, typed);
        final Transcript.Entry entry = new Transcript().run(typed);
        info(PRINTED, Transcript.pack(entry.text()));
        return entry.exitCode();
    }

    /** After somebody's death: what was left, whether messages go again, and whether the device's table is empty. */
    private int recover() {
        try (RdmaContext context = RdmaDevices.open(address)) {
            final String dump = context.dump();
            info("found", counter(dump, "leftovers found"));
            info("destroyed", counter(dump, "leftovers destroyed"));
            info("refused", counter(dump, "leftovers refused"));
            exchange(context);
        }
        try (RdmaContext context = RdmaDevices.open(address)) {
            info("foundAgain", counter(context.dump(), "leftovers found"));
            info("maxPd", context.attributes().maxPd());
            info("pds", allDomains(context));
        }
        return 0;
    }

    /** As many as there are: each that somebody left is missing here. */
    private static int allDomains(final RdmaContext context) {
        final List<ProtectionDomain> domains = new ArrayList<>();
        try {
            while (domains.size() <= context.attributes().maxPd()) {
                domains.add(context.allocatePd());
            }
            return domains.size();
        } catch (final RdmaException e) {
            return domains.size();
        } finally {
            domains.forEach(ProtectionDomain::close);
        }
    }

    private static long counter(final String dump, final String name) {
        final Matcher matcher = Pattern.compile(Pattern.quote(name) + "=(\\d+)").matcher(dump);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    /** Lets messages go until the system takes the device away. */
    private int holdUntilLost() {
        final AtomicBoolean end = new AtomicBoolean();
        final AtomicLong exchanged = new AtomicLong();
        final List<String> troubles = new CopyOnWriteArrayList<>();
        final Thread thread;
        try (RdmaContext context = RdmaDevices.open(address)) {
            final Traffic traffic = new Traffic(context);
            traffic.exchange();
            thread = new Thread(() -> exchangeUntil(end, traffic, exchanged, troubles), "traffic");
            thread.start();
            running();
            final AsyncEventType event = awaitFatal(context);
            end.set(true);
            info("event", event);
            info("failed", context.isFailed());
            info("failure", context.failure());
        }
        info("closed", true);
        join(thread);
        info("exchanged", exchanged.get());
        info("troubles", troubles);
        return 0;
    }

    private static void exchangeUntil(
        final AtomicBoolean end, final Traffic traffic, final AtomicLong exchanged, final List<String> troubles) {
        try {
            while (!end.get()) {
                traffic.exchange();
                exchanged.incrementAndGet();
            }
        } catch (final IllegalStateException | RdmaException e) {
            troubles.add(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    private static void join(final Thread thread) {
        try {
            thread.join(LAST_MESSAGE.toMillis());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new IllegalStateException("the thread that exchanges messages did not end");
        }
    }

    private static AsyncEventType awaitFatal(final RdmaContext context) {
        final long deadline = System.nanoTime() + LOSS.toNanos();
        while (System.nanoTime() < deadline) {
            final AsyncEvent event = context.awaitAsyncEvent(QUIET);
            if (event != null) {
                event.acknowledge();
                if (event.type() == AsyncEventType.DEVICE_FATAL) {
                    return event.type();
                }
            }
        }
        throw new IllegalStateException("the device was not lost within " + LOSS.toSeconds() + " s");
    }
}
