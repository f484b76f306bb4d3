/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import io.rdma4j.verbs.spi.OneThread;
import java.util.List;

/** What {@code -Drdma4j.checks=true} finds out. */
class OneThreadTest {
    private final OneThread guard = new OneThread("the lift");

    @Test
    void letsOneThreadInAfterTheOther() throws InterruptedException {
        assertThat(guard.enter()).isTrue();
        guard.leave();
        final Thread other = new Thread(() -> {
            guard.enter();
            guard.leave();
        });
        other.start();
        other.join();
        assertThat(guard.enter()).isTrue();
    }

    @Test
    void tellsTheSameThreadThatItIsInside() {
        assertThat(guard.enter()).isTrue();
        assertThat(guard.enter()).isFalse();
        guard.leave();
        assertThat(guard.enter()).isTrue();
    }

    @Test
    void namesThePlaceAndBothThreads() throws InterruptedException {
        final Thread first = new Thread(guard::enter, "first-in");
        first.start();
        first.join();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(guard::enter).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the lift").hasMessageContaining("first-in")
                .hasMessageContaining(Thread.currentThread().getName());
        }
    }

    @Test
    void nothingIsCheckedUnlessItWasAskedFor() {
        assertThat(OneThread.CHECKED).isFalse();
        assertThat(OneThread.of("anything")).isNull();
    }

    /** The switch is read once, so it takes another JVM: what happens there is in {@link CheckedQueues}. */
    @Test
    void findsTwoThreadsInEachQueueWhenAskedTo(@TempDir final Path folder) throws IOException, InterruptedException {
        final Path log = folder.resolve("checked.txt");
        final Process process = new ProcessBuilder(
            OtherJvm.command(List.of("-Drdma4j.checks=true"), CheckedQueues.class))
            .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(Patience.ends(process)).as("in time: %s", Files.readString(log))
                .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        assertThat(Files.readAllLines(log)).contains("send queue: found", "receive queue: found",
            "shared receive queue: found", "completion queue: found", "traffic by one thread: undisturbed");
    }
}
