/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.TestBudget;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No thread waits in the kernel for our reader while our reader waits at a safepoint for it. If it does, the JVM hangs
 * for ever; so it is another one, and this one says which of its threads wait for what.
 */
@Tag("slow")
class MappingHangTest {
    private static final long DEADLINE_SECONDS = 90;

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseZGC"})
    @Timeout(180)
    void collectionsAndFreedMemoryDoNotHang(final String collector) throws Exception {
        try (MappingWatch watch = MappingMachine.open()) {
            assertThat(watch.available()).isTrue();
        }
        final Process process = new ProcessBuilder(command(collector)).redirectErrorStream(true).start();
        try {
            final CompletableFuture<String> output =
                CompletableFuture.supplyAsync(() -> output(process), Background::run);
            assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
                .as(() -> "it hangs; its threads: " + threads(process.pid())).isTrue();
            assertThat(output.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).contains("available true",
                "wrongly watched 0,", "failed 0",
                "left watched true").doesNotContain("collections 0,", "told 0,", "refused 0,", "big blocks 0,");
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> command(final String collector) throws Exception {
        final List<String> command = new ArrayList<>();
        command.addAll(List.of(OtherJvm.java(), collector, "-Xmx128m", "-XX:MaxDirectMemorySize=512m"));
        command.addAll(OtherJvm.neededOptions());
        command.add("-D" + TestBudget.PROPERTY + "=" + System.getProperty(TestBudget.PROPERTY));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, home(MappingHangTest.class), home(Libc.class),
            home(RdmaException.class), home(TestBudget.class), home(DirectBuffer.class), home(Native.class)),
            MappingHangMain.class.getName()));
        return command;
    }

    private static String home(final Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    private static String output(final Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return e.toString();
        }
    }

    /** Name and what it waits for in the kernel; a thread in userfaultfd_event_wait_completion waits for our reader. */
    private static String threads(final long pid) {
        final StringBuilder text = new StringBuilder();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (final Path task : tasks.toList()) {
                text.append("\n  ").append(Files.readString(task.resolve("comm")).trim()).append(": ")
                    .append(Files.readString(task.resolve("wchan")));
            }
        } catch (final IOException e) {
            text.append(e);
        }
        return text.toString();
    }
}
