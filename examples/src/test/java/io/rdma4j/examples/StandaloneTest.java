/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user's own project, outside of this one: it has one dependency, and finds it where {@code mvn install} put it. The
 * local repository is a new one without anything of rdma4j in it; what others have made in it is linked from the usual
 * one, so that little is downloaded.
 */
@Tag("maven")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class StandaloneTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();
    private static final long LONGEST_MINUTES = 10;
    @TempDir
    private static Path folder;
    private static Path project;

    /** The class's timeout is that of its tests alone. */
    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    static void installsAndBuilds() throws Exception {
        final Path repository = folder.resolve("repository");
        link(usualRepository(), repository);
        project = folder.resolve("ticker");
        copy(ROOT.resolve("examples/standalone"), project);
        final String local = "-Dmaven.repo.local=" + repository;
        // A folder of its own for what is built: other tests run from the usual one now, and this one on another JDK.
        final String built = "-Dbuild.dir=target-installed-" + Runtime.version().feature();
        run(0, ROOT, "mvn", "-B", "-q", local, built, "-Dmaven.test.skip", "-Dcheckstyle.skip", "-pl",
            "verbs-api/rdma4j,verbs-api/bom", "-am", "install");
        assertThat(repository.resolve("io/rdma4j/rdma4j")).isDirectory();
        run(0, project, "mvn", "-B", "-q", local, "package");
    }

    /** Of this test's own class path. */
    private static Path usualRepository() throws Exception {
        final Path agrona = Path.of(DirectBuffer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        // org/agrona/agrona/VERSION/JAR
        return agrona.getParent().getParent().getParent().getParent().getParent();
    }

    private static void link(final Path from, final Path to) throws IOException {
        final Path ours = from.resolve("io/rdma4j");
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(final Path each, final BasicFileAttributes its)
                    throws IOException {
                if (each.equals(ours)) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(each)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path each, final BasicFileAttributes its) throws IOException {
                final Path there = to.resolve(from.relativize(each));
                // Maven replaces files, and writes into none but its notes.
                if (!each.toString().endsWith(".jar") || !isLinked(there, each)) {
                    Files.copy(each, there);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** False where the two are in different file systems. */
    private static boolean isLinked(final Path there, final Path each) {
        try {
            Files.createLink(there, each);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    private static void copy(final Path from, final Path to) throws IOException {
        for (final String each : List.of("pom.xml", "src/main/java/demo/Ticker.java")) {
            Files.createDirectories(to.resolve(each).getParent());
            Files.copy(from.resolve(each), to.resolve(each));
        }
    }

    private static String run(final int exit, final Path in, final String... command)
            throws IOException, InterruptedException {
        final Path output = folder.resolve("output");
        final ProcessBuilder builder = new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true)
            .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        final Process process = builder.start();
        try {
            assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES))
                .as("%s ends; printed: %s", List.of(command), Files.readString(output)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        final String text = Files.readString(output);
        assertThat(process.exitValue()).as("%s: %s", List.of(command), text).isEqualTo(exit);
        return text;
    }

    private static String java(final int exit, final String... arguments) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(arguments));
        return run(exit, project, command.toArray(new String[0]));
    }

    @Test
    void runsWithWhatItsManifestAsksFor() throws Exception {
        assertThat(java(0, "-jar", "target/ticker.jar").lines()).contains("1000 ticks, sum 500500");
    }

    @Test
    void bringsNoChronicle() throws Exception {
        try (var jars = Files.list(project.resolve("target/dependency"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString())).noneMatch(name -> name.contains("chronicle"))
                .anyMatch(name -> name.startsWith("rdma4j-device-model"))
                .anyMatch(name -> name.startsWith("rdma4j-fabric"));
        }
    }

    @Test
    void withoutFlagsItSaysWhichItNeeds() throws Exception {
        final String said = java(1, "-cp", "target/classes:target/dependency/*", "demo.Ticker");
        assertThat(said.lines().filter(line -> line.contains("Exception in thread"))).hasSize(1);
        assertThat(said).contains("was started without the flags that rdma4j needs",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED").doesNotContain("IllegalAccessError");
    }
}
