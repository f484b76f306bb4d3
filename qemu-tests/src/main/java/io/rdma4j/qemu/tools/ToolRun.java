/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.qemu.leftovers.Traffic;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;

/** Runs all commands on one device in this JVM; those that look into a process, while this one moves data. */
public final class ToolRun {
    private static final long END_SECONDS = 60;

    private ToolRun() {
    }

    /**
     * Runs them.
     *
     * @param address of a device that nobody has open.
     * @return what they printed.
     * @throws IOException           if no temporary file can be made.
     * @throws IllegalStateException if data did not move meanwhile.
     */
    public static Transcript on(final String address) throws IOException {
        return run(address, report -> Stream.of(ToolCommand.alone(address), ToolCommand.onDevice(address, report),
            ToolCommand.traced(address, report)).flatMap(List::stream),
            ToolCommand.onProcess());
    }

    /**
     * Runs those that are for a guest within a guest.
     *
     * @param address of a device that nobody has open.
     * @return what they printed.
     * @throws IOException           if no temporary file can be made.
     * @throws IllegalStateException if data did not move meanwhile.
     */
    public static Transcript fewOn(final String address) throws IOException {
        return run(address, report -> ToolCommand.onDevice(address, report).stream(), ToolCommand.onProcessInOne());
    }

    private static Transcript run(
        final String address, final Function<String, Stream<ToolCommand>> commands, final List<ToolCommand> process)
        throws IOException {
        final Transcript transcript = new Transcript();
        final Path report = Files.createTempFile("rdma4j-report", ".json");
        try {
            commands.apply(report.toString()).forEach(command -> transcript.run(command.line()));
        } finally {
            Files.deleteIfExists(report);
        }
        intoThisProcess(address, process, transcript);
        return transcript;
    }

    private static void intoThisProcess(
        final String address, final List<ToolCommand> commands, final Transcript transcript) {
        final String pid = Long.toString(ProcessHandle.current().pid());
        try (RdmaContext context = RdmaDevices.open(address)) {
            final AtomicBoolean end = new AtomicBoolean();
            final AtomicReference<RuntimeException> trouble = new AtomicReference<>();
            final Thread load = load(context, end, trouble);
            try {
                for (final ToolCommand command : commands) {
                    transcript.run(ToolCommand.onProcess(command.line(), pid));
                }
            } finally {
                end.set(true);
                join(load);
            }
            if (trouble.get() != null) {
                throw new IllegalStateException("the messages that others looked at stopped", trouble.get());
            }
        }
    }

    private static Thread load(
        final RdmaContext context, final AtomicBoolean end, final AtomicReference<RuntimeException> trouble) {
        final Traffic traffic = new Traffic(context);
        traffic.exchange();
        final Thread thread = new Thread(() -> {
            try {
                while (!end.get()) {
                    traffic.exchange();
                }
            } catch (final RuntimeException e) {
                trouble.set(e);
            }
        }, "load");
        thread.start();
        return thread;
    }

    private static void join(final Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new IllegalStateException("the thread that moves data did not end");
        }
    }
}
