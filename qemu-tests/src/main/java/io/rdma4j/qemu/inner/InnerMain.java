/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.ResultLine;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes what an inner guest boots from, boots the fabric guest and, in it, the inner one. Exit code: 0 if nothing
 * failed, else 1.
 */
public final class InnerMain {
    private static final String USAGE = String.join(System.lineSeparator(),
        "usage: run-guest.sh --inner [--shell | --stages STAGE,...] [ARGUMENT OF THE CONFORMANCE SUITE...]",
        "  runs the conformance suite and the scenarios on vfio: in the inner guest",
        "  --shell     runs nothing, and keeps the guest for people: docs/qemu.md says how to get in",
        "  --stages    of conformance, tools, kill, users, unbind");
    private static final Duration LONGEST = Duration.ofMinutes(28);

    private InnerMain() {
    }

    /**
     * Entry point.
     *
     * @param args see the usage text.
     */
    public static void main(final String[] args) {
        final int status = run(new ArrayList<>(List.of(args)), System.out, System.err);
        if (status != 0) {
            Runtime.getRuntime().exit(status);
        }
    }

    static int run(final List<String> arguments, final PrintStream out, final PrintStream err) {
        if (arguments.remove("--shell")) {
            System.setProperty(InnerSuiteMain.STAGES_PROPERTY, InnerSuiteMain.WAIT);
        }
        final int stages = arguments.indexOf("--stages");
        if (arguments.contains("--help") || stages == arguments.size() - 1 && stages >= 0) {
            err.println(USAGE);
            return 2;
        }
        if (stages >= 0) {
            arguments.remove(stages);
            System.setProperty(InnerSuiteMain.STAGES_PROPERTY, arguments.remove(stages));
        }
        try {
            final GuestResult result = run("vfio-by-hand", out, arguments);
            out.println(result.summary());
            return result.exitCode();
        } catch (final GuestException e) {
            err.println(e.getMessage());
            return 1;
        }
    }

    /**
     * Does all of it; once more if the inner guest's QEMU crashes, which no driver should be able to bring about.
     *
     * @param name      of the fabric guest; the image is kept beside its folder while it is needed.
     * @param progress  gets a line for each stage.
     * @param arguments further ones for the conformance suite.
     * @return what {@link InnerSuiteMain} reported.
     * @throws GuestException if a guest cannot be had; shows its console.
     */
    public static GuestResult run(final String name, final PrintStream progress, final List<String> arguments) {
        final Path image = Path.of(System.getProperty(GuestContext.OUTPUT_PROPERTY, "target/qemu"), name + "-image")
            .toAbsolutePath();
        try (InnerImage made = InnerImage.make(image, progress);
            FabricGuest guest = FabricGuest.boot(new GuestContext().name(name).progress(progress)
                .commandTimeout(LONGEST))) {
            final List<String> command = new ArrayList<>(
                List.of(InnerSuiteMain.class.getName(), made.folder().toString()));
            command.addAll(arguments);
            final GuestResult result = guest.run(command);
            final Optional<ResultLine> crash =
                result.results().stream().filter(line -> line.name().equals(InnerSuiteMain.CRASH)).findFirst();
            if (crash.isEmpty()) {
                return result;
            }
            progress.println(GuestResult.RETRIED + name + ": " + crash.get().message().replaceAll("\\s+", " "));
            return guest.run(command);
        }
    }
}
