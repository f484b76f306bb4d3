/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ChildProcessTest {
    private static final Duration DEADLINE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    /** For the tests below; what it is told it leaves as a figure. */
    static final class Program {
        public static void main(final String[] args) throws IOException {
            Figures.write(ChildJvm.SECTION, Map.of("said", Double.valueOf(args[0])));
            System.out.println(System.getProperty("flag") + " " + args[0]);
        }
    }

    @Test
    void hasWhatWasPrinted() throws Exception {
        assertThat(ChildProcess.run(List.of("sh", "-c", "echo one; echo two"), DEADLINE)).containsExactly("one", "two");
    }

    @Test
    void failsWithAllThatWasSaid() {
        assertThatThrownBy(() -> ChildProcess.run(List.of("sh", "-c", "echo out; echo err >&2; exit 7"), DEADLINE))
            .isInstanceOf(IOException.class).hasMessageContaining("exit code 7").hasMessageContaining("out")
            .hasMessageContaining("err");
    }

    /** The program leaves its number, and waits for longer than the test may take. */
    @Test
    void endsWhatTakesTooLong() throws Exception {
        final Path number = folder.resolve("number");
        // It may have no processor for some seconds.
        final Throwable thrown = Patience.cutOff(time -> catchThrowable(() -> ChildProcess.run(List.of("sh", "-c",
            "echo $$ > " + number + ".new; mv " + number + ".new " + number + "; exec sleep 600"), time)),
            late -> Files.exists(number));
        assertThat(thrown).isInstanceOf(IOException.class).hasMessageContaining("no end after ");
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(number).strip())))
            .satisfiesAnyOf(gone -> assertThat(gone).isEmpty(), zombie -> assertThat(zombie.get().isAlive()).isFalse());
    }

    @Test
    void anotherJvmHasFlagsAndArguments() throws Exception {
        assertThat(ChildJvm.run(List.of("-Dflag=yes", "-D" + Figures.FOLDER + "=" + folder), Program.class,
            List.of("2"), DEADLINE)).contains("yes 2");
    }

    @Test
    void figuresComeFromEachFork() throws Exception {
        assertThat(ChildJvm.figures(Program.class, 2, "3")).containsExactly(Map.of("said", 3.0), Map.of("said", 3.0));
    }
}
