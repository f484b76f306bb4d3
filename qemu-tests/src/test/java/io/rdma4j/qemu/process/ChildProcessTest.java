/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

class ChildProcessTest {
    private static final Duration LONG = Patience.duration();

    @TempDir
    private Path folder;

    private final List<String> lines = new CopyOnWriteArrayList<>();

    private ChildProcess shell(final String script) {
        return ChildProcess.start("test", List.of("sh", "-c", script), folder.resolve("log"), lines::add);
    }

    @Test
    void logsTheCommandAndEachLineWithTheTimeSinceTheStart() throws InterruptedException, IOException {
        try (ChildProcess child = shell("echo one; echo two >&2")) {
            assertThat(child.awaitExit(LONG)).isTrue();
            assertThat(lines).containsExactlyInAnyOrder("one", "two");
            final List<String> log = Files.readAllLines(folder.resolve("log"));
            assertThat(log.get(0)).isEqualTo("$ sh -c echo one; echo two >&2");
            assertThat(log.subList(1, log.size())).hasSize(2).allSatisfy(line ->
                assertThat(line).matches("\\[ *\\d+\\.\\d{3}] (one|two)"));
        }
    }

    @Test
    void waitsForWhatALineBringsAbout() throws InterruptedException {
        try (ChildProcess child = shell("sleep 0.2; echo ready; sleep 60")) {
            assertThat(child.await(() -> lines.contains("ready"), LONG)).as(child.tail(5)).isTrue();
            assertThat(child.isAlive()).isTrue();
        }
    }

    @Test
    void tellsHowLongItHasBeenSilentAndWhatItsThreadsDo() throws InterruptedException {
        try (ChildProcess child = shell("echo ready; sleep 60")) {
            child.await(() -> lines.contains("ready"), LONG);
            child.await(() -> false, Duration.ofMillis(300));
            assertThat(child.silence()).isBetween(Duration.ofMillis(290), LONG);
            assertThat(child.threads()).matches("(?s) *\\S+: [RSD], ticks \\d+\\+\\d+, syscall .*, .*\n");
        }
    }

    @Test
    void goesOnReadingWhereTheDiskIsFull() throws InterruptedException {
        try (ChildProcess child = ChildProcess.start(
            "test", List.of("sh", "-c", "echo a; echo b"), Path.of("/dev/full"), lines::add)) {
            child.awaitExit(LONG);
            assertThat(lines).containsExactly("a", "b");
            assertThat(child.tail(5)).contains("| (log of test lost: ", "No space left").endsWith("| a\n    | b\n");
        }
    }

    @Test
    void stopsWaitingAtTheDeadline() throws InterruptedException {
        try (ChildProcess child = shell("sleep 60")) {
            final long start = System.nanoTime();
            assertThat(child.await(() -> false, Duration.ofMillis(300))).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(290), LONG);
        }
    }

    @Test
    void stopsWaitingWhenTheProgramEnds() throws InterruptedException {
        try (ChildProcess child = shell("echo last words; exit 3")) {
            assertThat(child.await(() -> false, Duration.ofSeconds(50))).isFalse();
            assertThat(child).hasToString("test[pid=" + child.pid() + " exit=3]");
            assertThat(child.tail(5)).contains("last words");
        }
    }

    @Test
    void tellsThatThereIsNoOutput() throws InterruptedException {
        try (ChildProcess child = shell("true")) {
            child.awaitExit(LONG);
            assertThat(child.tail(5)).contains("no output");
        }
    }

    @Test
    void keepsOnlyTheLastLines() throws InterruptedException {
        try (ChildProcess child = shell("seq 1 1000")) {
            child.awaitExit(LONG);
            assertThat(child.tail(2)).isEqualTo("    | 999\n    | 1000\n");
            assertThat(child.tail(5000).lines()).hasSize(200);
        }
    }

    @Test
    void killsAProgramThatDoesNotListen() throws InterruptedException {
        final ChildProcess child = shell("trap '' TERM; echo up; while :; do sleep 1; done");
        child.await(() -> lines.contains("up"), LONG);
        child.close();
        assertThat(ProcessHandle.of(child.pid()).map(ProcessHandle::isAlive).orElse(false)).isFalse();
        child.close();
    }

    /** As a tracer's: its end lets them go on. They are those of a User-Mode Linux, which would run on the host. */
    @Test
    void noneOfItsChildrenRunsOnOnceItIsGone() throws InterruptedException {
        final Path marker = folder.resolve("marker");
        final Path pipe = folder.resolve("pipe");
        final ChildProcess child = shell(String.format("mkfifo '%1$s'; { read x; : > '%2$s'; } < '%1$s' & "
            + "exec 3> '%1$s'; echo up; wait", pipe, marker));
        assertThat(child.await(() -> lines.contains("up"), LONG)).as(child.tail(5)).isTrue();
        final List<ProcessHandle> children = ProcessHandle.of(child.pid()).orElseThrow().descendants().toList();
        assertThat(children).hasSize(1);
        child.close();
        for (final ProcessHandle one : children) {
            assertThat(Patience.ends(one.pid())).isTrue();
        }
        assertThat(marker).doesNotExist();
    }

    @Test
    void killsEvenWhenItsThreadWasInterrupted() {
        final ChildProcess child = shell("sleep 60");
        Thread.currentThread().interrupt();
        child.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void namesTheCommandThatCannotBeStarted() {
        assertThatThrownBy(() -> ChildProcess.start(
            "test", List.of("/nonexistent/program", "-x"), folder.resolve("log"), lines::add))
            .isInstanceOf(UncheckedIOException.class).hasMessageContaining("/nonexistent/program -x");
    }

    private Path temporary() throws IOException {
        final Path made = Files.createDirectories(folder.resolve("temporary/inner")).getParent();
        Files.writeString(made.resolve("inner/file"), "content");
        return made;
    }

    @Test
    void deletesTheTemporaryFilesOfAProgramThatIsClosed() throws IOException {
        final Path made = temporary();
        final ChildProcess child = ChildProcess.start("test", List.of("sleep", "60"), folder.resolve("log"),
            lines::add, List.of(made, folder.resolve("never made")));
        assertThat(made).exists();
        child.close();
        assertThat(made).doesNotExist();
        child.close();
    }

    @Test
    void deletesTheTemporaryFilesOfAProgramThatCannotBeStarted() throws IOException {
        final Path made = temporary();
        assertThatThrownBy(() -> ChildProcess.start("test", List.of("/nonexistent/program"), folder.resolve("log"),
            lines::add, List.of(made))).isInstanceOf(UncheckedIOException.class);
        assertThat(made).doesNotExist();
    }

    @Test
    void killsTheProgramAndDeletesItsTemporaryFilesWhenTheJvmIsAskedToEnd() throws Exception {
        final Path made = temporary();
        final Path log = folder.resolve("log");
        final Process jvm = new ProcessBuilder(
            OtherJvm.command(List.of(), WaitingMain.class, log.toString(), made.toString())).inheritIO().start();
        try {
            final long deadline = System.nanoTime() + LONG.toNanos();
            while (!(Files.exists(log) && Files.readString(log).contains("] pid ")) && System.nanoTime() < deadline) {
                Thread.sleep(20);
            }
            assertThat(log).content().contains("] pid ");
            assertThat(made).exists();
            jvm.destroy();
            assertThat(Patience.ends(jvm)).as("the JVM ended").isTrue();
            assertThat(made).doesNotExist();
            final long pid = Long.parseLong(Files.readString(log).replaceAll("(?s).*] pid (\\d+).*", "$1"));
            assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)).as("it runs").isFalse();
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Runs in a JVM of its own: starts a program and waits for it. */
    static final class WaitingMain {
        private WaitingMain() {
        }

        public static void main(final String[] args) throws InterruptedException {
            ChildProcess.start("test", List.of("sh", "-c", "echo pid $$; exec sleep 60"), Path.of(args[0]),
                line -> { }, List.of(Path.of(args[1]))).awaitExit(Duration.ofSeconds(60));
        }
    }
}
