/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.inlining;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Shows what the compiler made of the data path: which calls became part of the application's call, which did not and
 * why, and the receivers of those that depend on an object. Another JVM runs {@link InliningWork} and writes down the
 * decisions.
 */
public final class Inlining {
    private static final String USAGE = "usage: Inlining [--quick] [--doc FILE]";
    private static final String WORK = InliningWork.class.getName();
    private static final int QUICK_SECONDS = 4;
    private static final int SECONDS = 8;
    private static final int ATTEMPTS = 3;
    private static final int PATIENCE_SECONDS = 60;
    /** Method of the work, and what an application would call it. */
    private static final String[][] ROOTS = {
        {"postSend", "postSend(wrId, address, length, lkey), RC"},
        {"postRequest", "postSend(SendRequest), RDMA WRITE"},
        {"postReceive", "postReceive(wrId, address, length, lkey)"},
        {"poll", "CompletionQueue.poll"},
        {"ringPost", "rings: SEND and doorbell"},
        {"ringReceive", "rings: receive and doorbell"},
        {"ringPoll", "rings: poll 16"},
    };

    private Inlining() {
    }

    /**
     * Prints tables and trees, and writes them into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the other JVM fails or the compiler did not come to all of it in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final InliningReport report = new InliningReport(log(arguments.quick() ? QUICK_SECONDS : SECONDS));
        for (final String[] root : ROOTS) {
            report.add(WORK + "." + root[0], root[1]);
        }
        final List<String> lines = report.lines();
        lines.forEach(System.out::println);
        arguments.writeDocument("inlining", lines);
        Figures.write("inlining", Map.of("dispatched", (double) report.dispatched()));
    }

    /** On a machine that leaves the compiler too little time, again with more. */
    private static CompilationLog log(final int seconds) throws IOException, InterruptedException {
        final Path file = Files.createTempFile("inlining", ".log");
        try {
            int given = seconds;
            for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
                work(file, given);
                final CompilationLog log = CompilationLog.read(file);
                if (Arrays.stream(ROOTS).allMatch(root -> log.compiled(WORK + "." + root[0]) != null)) {
                    return log;
                }
                given *= 2;
            }
            work(file, given);
            return CompilationLog.read(file);
        } finally {
            Files.delete(file);
        }
    }

    private static void work(final Path file, final int seconds) throws IOException, InterruptedException {
        final List<String> flags = new ArrayList<>(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation",
            "-XX:LogFile=" + file, "-XX:CompileCommand=quiet"));
        for (final String[] root : ROOTS) {
            flags.add("-XX:CompileCommand=dontinline," + WORK + "::" + root[0]);
        }
        ChildJvm.run(flags, InliningWork.class, List.of(Integer.toString(seconds)),
            Duration.ofSeconds(seconds + PATIENCE_SECONDS));
    }
}
