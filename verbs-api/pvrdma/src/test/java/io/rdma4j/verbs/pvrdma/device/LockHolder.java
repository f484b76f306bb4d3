/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Background;
import io.rdma4j.testing.OtherJvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Another process that has a journal open until it is killed. */
final class LockHolder {
    private LockHolder() {
    }

    /** What starts it, with the options of this JVM that its classes need. */
    static List<String> command(final Path file) {
        return OtherJvm.command(List.of(), LockHolder.class, file.toString());
    }

    /** Waits until such a process has it; what else a JVM says, of its options for instance, is passed over. */
    static void awaitLock(final Process process) {
        final CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> {
            final StringBuilder lines = new StringBuilder();
            final BufferedReader output = process.inputReader();
            final boolean locked = output.lines().peek(line -> lines.append(line).append('\n'))
                .anyMatch("locked"::equals);
            return lines.toString();
        }, Background::run);
        assertThat(said).succeedsWithin(60, TimeUnit.SECONDS).asString().endsWith("locked\n");
    }

    /**
     * Entry point.
     *
     * @param args the file.
     * @throws IOException if it cannot be opened.
     */
    public static void main(final String[] args) throws IOException {
        JournalFile.open(Path.of(args[0]), "0000:0b:00.1", trouble -> { });
        System.out.println("locked");
        System.in.read();
    }
}
