/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is installed, and that it runs where there is nothing else of ours. */
@Tag("sources")
@Timeout(120)
@Tag("slow")
class InstallCommandTest {
    @TempDir
    private Path folder;

    private Path jar;
    private Path prefix;

    /** A jar that refers to the classes of this run: that of the build is not made yet when tests run. */
    @BeforeEach
    void makeJar() throws IOException {
        jar = folder.resolve("some.jar");
        prefix = folder.resolve("a prefix/local");
        final Manifest manifest = new Manifest();
        final Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
        main.putValue("Add-Opens", "java.base/jdk.internal.misc");
        main.put(Attributes.Name.CLASS_PATH, Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toUri().toString()).collect(Collectors.joining(" ")));
        try (OutputStream out = Files.newOutputStream(jar)) {
            new JarOutputStream(out, manifest).close();
        }
    }

    private String run(final String... command) throws IOException, InterruptedException {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(Path.of("/").toFile())
            .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("RDMA4J_OPTS");
        final Process process = builder.start();
        final String out = new String(process.getInputStream().readAllBytes());
        assertThat(Patience.ends(process)).isTrue();
        assertThat(process.exitValue()).as(out).isZero();
        return out;
    }

    @Test
    void whatIsInstalledRunsWithoutTheSourceTree() throws Exception {
        new Installation(prefix).write(jar);
        final String launcher = prefix.resolve("bin/rdma4j").toString();
        assertThat(run(launcher, "--version")).startsWith("rdma4j ");
        final Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of(launcher));
        assertThat(run(link.toString(), "devinfo", "-l")).contains("\temulated:");
    }

    @Test
    void eachFileIsAtItsPlaceForAllUsers() throws Exception {
        final Installation installation = new Installation(prefix);
        installation.write(jar);
        assertThat(installation.files().stream().map(Path::toString)).contains("lib/rdma4j/rdma4j.jar",
            "lib/rdma4j/lib.sh", "share/man/man1/rdma4j.1", "share/man/man1/rdma4j-install.1",
            "share/bash-completion/completions/rdma4j").last().isEqualTo("bin/rdma4j");
        try (Stream<Path> all = Files.walk(prefix)) {
            for (final Path file : all.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).as("%s", file)
                    .isEqualTo(Files.isDirectory(file) || file.endsWith("bin/rdma4j") ? "rwxr-xr-x" : "rw-r--r--");
            }
        }
        run("bash", "-n", prefix.resolve("share/bash-completion/completions/rdma4j").toString());
        assertThat(prefix.resolve("lib/rdma4j/rdma4j.jar")).hasSameBinaryContentAs(jar);
    }

    @Test
    void installingAgainReplacesAndRemovingLeavesWhatIsOfOthers() throws IOException {
        new Installation(prefix).write(jar);
        Files.writeString(prefix.resolve("bin/rdma4j"), "old");
        final Path other = Files.writeString(prefix.resolve("share/man/man1/rdma4jx.1"), "");
        Files.writeString(prefix.resolve("lib/rdma4j/rdma4j-1.jsa"), "");
        new Installation(prefix).write(jar);
        assertThat(prefix.resolve("bin/rdma4j")).content().startsWith("#!");
        final Cli.Outcome outcome = Cli.run("install", "--remove", "--prefix", prefix.toString());
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).startsWith(prefix + ": ").contains(" removed\n    bin/rdma4j\n", "rdma4j-1.jsa");
        try (Stream<Path> left = Files.walk(prefix)) {
            assertThat(left.filter(Files::isRegularFile)).containsExactly(other);
        }
        assertThat(prefix.resolve("lib/rdma4j")).doesNotExist();
        assertThat(Cli.run("install", "--remove", "--json", "--prefix", prefix.toString()).json()
            .getAsJsonArray("files")).isEmpty();
    }

    @Test
    void aFolderThatCannotBeWrittenIsRefusedBeforeAnythingIsDone() throws IOException {
        Files.createDirectories(prefix);
        final Path file = Files.writeString(prefix.resolve("bin"), "");
        assertRefused(new Installation(prefix), RdmaException.EINVAL, file + " is not a folder", "--prefix DIR");
        assertThat(prefix.resolve("lib")).doesNotExist();
        Files.delete(file);
        Files.setPosixFilePermissions(prefix, PosixFilePermissions.fromString("r-xr-xr-x"));
        // Root may write anywhere.
        if (!Files.isWritable(prefix)) {
            assertRefused(new Installation(prefix), RdmaException.EACCES, "no right to write in " + prefix,
                "sudo ./rdma4j install --prefix " + prefix, "--prefix ~/.local");
        }
    }

    private void assertRefused(final Installation installation, final int errno, final String... parts) {
        assertThatThrownBy(() -> installation.write(jar)).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(errno)).hasMessageContainingAll(parts);
        assertThat(installation.files()).isEqualTo(List.of());
    }

    /** An empty one may be anybody's, as bin of /usr/local is. */
    @Test
    void thatFoldersStayIsSaid() {
        assertThat(Cli.run("install", "--help").out().replaceAll("\\s+", " "))
            .contains("Folders stay, but lib/rdma4j");
    }

    @Test
    void withoutAJarItSaysHowToGetOne() {
        final Cli.Outcome outcome = Cli.run("install", "--prefix", prefix.toString());
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString()
            .contains("does not run from a jar", "run ./rdma4j install");
        assertThat(prefix).doesNotExist();
    }
}
