/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonObject;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.dump.DumpFile;
import io.rdma4j.tools.perf.PerfFile;
import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.text.OwnFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands write, where somebody else may have put something into its place. */
class OwnFilesTest {
    private static final PerfRun RUN = Runs.latency("a:", 1, 2);

    @TempDir
    Path folder;

    /** Who writes. */
    enum Writing {
        DUMP, SAVE, PLOT;

        void to(final Path file) {
            switch (this) {
                case DUMP -> DumpFile.write(file, new JsonObject());
                case SAVE -> PerfFile.write(file, RUN);
                default -> PerfPage.write(file, List.of(RUN));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLinkIsNotFollowed(final Writing writing) throws IOException {
        final Path precious = Files.writeString(folder.resolve("precious"), "before");
        final Path link = Files.createSymbolicLink(folder.resolve("link"), precious);
        final Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("new"));
        for (final Path each : List.of(link, dangling)) {
            assertThatThrownBy(() -> writing.to(each)).isInstanceOf(RdmaException.class)
                .hasMessageContaining("it is a symbolic link, which is not followed").hasMessageContaining("" + each);
            assertThat(each).isSymbolicLink();
            assertThat(OwnFile.whyNot(each)).contains("it is a symbolic link, which is not followed");
        }
        assertThat(precious).hasContent("before");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("precious", "link", "dangling");
    }

    @ParameterizedTest
    @EnumSource
    void whatIsReplacedIsItsOwnersAlone(final Writing writing) throws IOException {
        final Path file = Files.writeString(folder.resolve("file"), "before");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        final Path other = Files.createLink(folder.resolve("other"), file);
        writing.to(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(Files.readString(file)).isNotEqualTo("before");
        assertThat(other).as("who had it open, or under another name, has the old one").hasContent("before");
    }

    @Test
    void whereNothingMayBeMadeIsToldBefore() throws IOException {
        final Path file = Files.createFile(folder.resolve("file"));
        assertThat(List.of(file, folder.resolve("new"))).allSatisfy(each -> assertThat(OwnFile.whyNot(each)).isNull());
        final Path closed = Files.createDirectory(folder.resolve("closed"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-x------")));
        assumeThat(Files.isWritable(closed)).as("root may write everywhere").isFalse();
        assertThat(OwnFile.whyNot(closed.resolve("new"))).isEqualTo("no right to write in folder '" + closed + "'");
    }

    @Test
    void aNameThatIsTooLongIsToldBefore() {
        assertThat(OwnFile.whyNot(folder.resolve("x".repeat(256)))).isEqualTo("File name too long");
        assertThat(OwnFile.whyNot(folder.resolve("x".repeat(255)))).isNull();
    }

    /** Links there are the system's, as /dev/stdout is one. */
    @ParameterizedTest
    @ValueSource(strings = {"/dev/null", "/dev/full", "/dev/stdout", "/proc/self/fd/1"})
    void nothingStandsAgainstDevices(final String name) {
        assertThat(OwnFile.whyNot(Path.of(name))).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void devicesAreWrittenTo(final Writing writing) {
        writing.to(Path.of("/dev/null"));
        assertThat(Path.of("/dev/null")).exists();
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    private Path pipe() throws Exception {
        final Path pipe = folder.resolve("pipe");
        assertThat(Patience.ends(new ProcessBuilder("mkfifo", pipe.toString()).start())).isTrue();
        return pipe;
    }

    @Test
    void aPipeOfThisUserIsWrittenTo() throws Exception {
        final Path pipe = pipe();
        assertThat(OwnFile.whyNot(pipe)).isNull();
        final CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(pipe);
            } catch (final IOException e) {
                throw new AssertionError(e);
            }
        }, Background::run);
        Writing.DUMP.to(pipe);
        assertThat(Patience.get(read)).isEqualTo("{}\n");
    }

    @Test
    void aPipeOfAnotherUserIsNot() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to give a pipe away").isZero();
        final Path pipe = pipe();
        Files.setAttribute(pipe, "unix:uid", 65534);
        assertThatThrownBy(() -> Writing.DUMP.to(pipe)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("it is a pipe or device of user 65534, who would read what is written");
        assertThat(OwnFile.whyNot(pipe)).as("told before").contains("a pipe or device of user 65534");
    }
}
