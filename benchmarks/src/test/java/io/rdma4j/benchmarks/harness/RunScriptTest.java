/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A copy of run.sh, with a Maven, a compiler and a Java that only say that they were called. */
@Timeout(120)
class RunScriptTest {
    @TempDir
    private Path machine;

    private Path bin;

    @BeforeEach
    void makeMachine() throws IOException {
        bin = Files.createDirectories(machine.resolve("bin"));
        final Path script = Files.createDirectories(machine.resolve("clone/benchmarks")).resolve("run.sh");
        Files.copy(Path.of("run.sh"), script);
        script(bin.resolve("mvn"), "mkdir -p benchmarks/target; : >benchmarks/target/classpath.txt");
        script(bin.resolve("gcc"), "exit 0");
        script(bin.resolve("java"), "exit 0");
        script(Files.createDirectories(machine.resolve("jvm/bin")).resolve("java"), "exit 0");
        Files.createFile(machine.resolve("calls"));
    }

    private static void script(final Path file, final String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\necho \"$0 $*\" >>\"$HOME/calls\"\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ended run(final String... arguments) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of("env", "-C", machine.toString(), "-u", "JAVA_HOME",
            "HOME=" + machine, "CDPATH=" + machine, "PATH=" + bin + ":" + System.getenv("PATH"),
            "clone/benchmarks/run.sh"));
        command.addAll(List.of(arguments));
        return Ended.of(command);
    }

    private String calls() throws IOException {
        return Files.readString(machine.resolve("calls"));
    }

    /** It goes to its own folder before it measures. */
    @Test
    void aJdkMayBeNamedFromWhereOneIs() throws Exception {
        final Ended ended = run("--jdk", "jvm", "rates");
        assertThat(ended.code()).as(ended.output()).isZero();
        final Path java = machine.toRealPath().resolve("jvm/bin/java");
        assertThat(calls().lines().filter(call -> call.startsWith(java + " ") && call.contains("Rates")))
            .as(calls()).hasSize(1);
    }

    /** Without a JDK all is measured on the usual one, and the documents are written anew: nobody asked for that. */
    @ParameterizedTest
    @ValueSource(strings = {"", "nowhere", "clone"})
    void aJdkThatIsNotThereIsRefusedAtOnce(final String home) throws Exception {
        final Ended ended = run("--jdk", home, "rings");
        assertThat(ended.output()).isEqualTo("--jdk: there is no JDK in '" + home + "'");
        assertThat(ended.code()).isEqualTo(2);
        assertThat(calls()).isEmpty();
    }

    @Test
    void aJdkThatIsNotNamedIsRefusedAtOnce() throws Exception {
        assertThat(run("--jdk").code()).isEqualTo(2);
        assertThat(calls()).isEmpty();
    }
}
