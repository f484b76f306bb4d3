/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The launcher and its shell functions, in a copy of the folder, on a machine made of small scripts. */
class LauncherTest {
    private static final List<String> SYSTEM = List.of("bash", "find", "readlink", "flock", "mkdir", "touch", "sed",
        "grep", "tail", "mktemp", "env", "rm", "cp", "sleep", "stat", "mv", "cksum", "dirname", "date", "nproc",
        "timeout", "nice");
    /** Those that the launcher looks at. */
    private static final List<String> MODULES = List.of("hw-regs", "queues", "driver/base", "driver/os", "driver/live",
        "driver/pci", "verbs-api/verbs", "verbs-api/pvrdma", "verbs-api/ibverbs", "verbs-api/fabric", "device-model",
        "tools");
    private static final String HALF_A_BUILD =
        "mkdir -p tools/target\necho half >tools/target/" + inPom("pom.xml", "<outputFile>.*/(.*)</outputFile>") + "\n";
    private static final String WHOLE_BUILD =
        "echo mvn \"$@\" >>$HOME/calls\nsleep 0.2\n" + HALF_A_BUILD.replace("half", "whole");
    /** Nothing, but for the test that writes the file. */
    private static final String TELLS_VERSION = "[ \"$1\" != -v ] || { echo \"$(<$HOME/version)\"; exit; }\n";
    private static final String MIN_MAVEN = inPom("../pom.xml", "<requireMavenVersion>\\s*<version>\\[([^,]*),");
    /** Lasts until another launcher waits for it; not for ever, so that a failure leaves no process behind. */
    private static final String BUILD_THAT_IS_WAITED_FOR = "for i in {1..600}; do "
        + "grep -q 'waiting for another build' $HOME/err* && break; sleep 0.05; done\n" + WHOLE_BUILD;

    @TempDir
    private Path machine;

    private Path root;
    private Path bin;
    private Path jdk;

    private record Outcome(int exitCode, String out, String err) {
    }

    @BeforeEach
    void makeMachine() throws IOException, InterruptedException {
        root = Files.createDirectories(machine.resolve("clone"));
        bin = Files.createDirectories(machine.resolve("bin"));
        jdk = machine.resolve("jvm/jdk");
        Files.createFile(machine.resolve("calls"));
        for (final String module : MODULES) {
            Files.createDirectories(root.resolve(module).resolve("src/main/java"));
            Files.createFile(root.resolve(module).resolve("pom.xml"));
        }
        for (final String group : List.of("", "driver", "verbs-api")) {
            Files.createFile(root.resolve(group).resolve("pom.xml"));
        }
        Files.copy(Path.of("../rdma4j"), root.resolve("rdma4j"));
        Files.copy(Path.of("lib.sh"), root.resolve("tools/lib.sh"));
        for (final String program : SYSTEM) {
            script(bin.resolve(program), "exec " + onPath(program) + " \"$@\"");
        }
        maven(WHOLE_BUILD);
        script(bin.resolve("id"), "echo 1000");
        makeJdk(jdk, "17.0.15");
        age(root);
    }

    /** What a pom says, in the group of the expression. */
    private static String inPom(final String pom, final String expression) {
        try {
            final Matcher found = Pattern.compile(expression).matcher(Files.readString(Path.of(pom)));
            assertThat(found.find()).as("%s in %s", expression, pom).isTrue();
            return found.group(1);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path onPath(final String program) {
        for (final String folder : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return Path.of(folder, program);
            }
        }
        throw new AssertionError("not on the PATH: " + program);
    }

    private static void makeJdk(final Path home, final String version) throws IOException {
        Files.createDirectories(home.resolve("bin"));
        script(home.resolve("bin/java"), "echo \"java of $0\" \"$@\"");
        script(home.resolve("bin/javac"), "exit 0");
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    private static void script(final Path file, final String body) throws IOException {
        Files.writeString(file, "#!" + onPath("bash") + "\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void maven(final String build) throws IOException {
        script(bin.resolve("mvn"), TELLS_VERSION + build);
    }

    /** What is in the folder, apart from what was built, was written a while ago. */
    private static void age(final Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (final Path file : files.filter(path -> !path.toString().contains("/target")).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
            }
        }
    }

    /** A process whose output goes to files, so that nothing is lost when it has to be killed. */
    private record Running(Process process, Path out, Path err) {
    }

    private Running start(final Path folder, final Map<String, String> environment, final String... command)
        throws IOException {
        final Path out = Files.createTempFile(machine, "out", "");
        final Path err = Files.createTempFile(machine, "err", "");
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
            .redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", bin.toString(), "HOME", machine.toString(), "RDMA4J_JVMS",
            machine.resolve("jvm").toString(), "TMPDIR", machine.toString()));
        builder.environment().putAll(environment);
        return new Running(builder.start(), out, err);
    }

    private static Outcome await(final Running running) throws IOException, InterruptedException {
        final boolean ended = Patience.ends(running.process());
        running.process().destroyForcibly();
        final Outcome outcome = new Outcome(ended ? running.process().exitValue() : -1,
            Files.readString(running.out()), Files.readString(running.err()));
        assertThat(ended).as("ended in time: %s", outcome).isTrue();
        return outcome;
    }

    private Outcome launch(final String... args) throws IOException, InterruptedException {
        return launch(Map.of(), args);
    }

    private Outcome launch(final Map<String, String> environment, final String... args)
        throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(root.resolve("rdma4j").toString()));
        command.addAll(List.of(args));
        return await(start(root, environment, command.toArray(String[]::new)));
    }

    private Outcome shell(final String commands) throws IOException, InterruptedException {
        return await(start(root, Map.of(), "bash", "-c", "set -euo pipefail; . tools/lib.sh; " + commands));
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(machine.resolve("calls"));
    }

    @Test
    void buildsOnFirstUseAndOnlyThen() throws Exception {
        final Outcome first = launch("devices", "a b");
        assertThat(first.err()).contains("building rdma4j (first use)");
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.out()).contains("java of " + jdk).contains("-jar " + root.resolve("tools/target/rdma4j.jar"))
            .endsWith("devices a b\n");
        assertThat(calls()).singleElement().asString().contains("-pl tools -am", "package");

        final Outcome second = launch("devices");
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).endsWith("devices\n");
        assertThat(calls()).hasSize(1);
    }

    /** The class archive: made once for a jar and a Java, given to it from then on. */
    @Test
    void keepsClassesForTheNextStart() throws Exception {
        script(jdk.resolve("bin/java"), "case \"$2\" in -XX:ArchiveClassesAtExit=*) echo x >\"${2#*=}\"; "
            + "echo archive >>$HOME/calls;; esac; echo \"java of $0\" \"$@\"");
        final String option = "-XX:SharedArchiveFile=" + root.resolve("tools/target/rdma4j-");
        assertThat(launch("x").out()).contains(option).endsWith("rdma4j.jar x\n");
        assertThat(launch("y").out()).contains(option).endsWith("rdma4j.jar y\n");
        assertThat(calls()).filteredOn("archive"::equals).hasSize(1);
        Files.setLastModifiedTime(root.resolve("tools/target/rdma4j.jar"),
            FileTime.from(Instant.now().plusSeconds(1)));
        launch("z");
        assertThat(calls()).filteredOn("archive"::equals).hasSize(2);
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.16\"\n");
        launch("another build of Java");
        assertThat(calls()).filteredOn("archive"::equals).hasSize(3);
    }

    @Test
    void startsWithoutAnArchiveWhereNoneCanBeMade() throws Exception {
        script(jdk.resolve("bin/java"), "case \"$2\" in -XX:ArchiveClassesAtExit=*) echo archive >>$HOME/calls;; esac; "
            + "echo \"java of $0\" \"$@\"");
        for (final String argument : List.of("x", "y")) {
            final Outcome outcome = launch(argument);
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.out()).doesNotContain("SharedArchiveFile").endsWith("rdma4j.jar " + argument + "\n");
        }
        assertThat(calls()).as("tried once").filteredOn("archive"::equals).hasSize(1);
    }

    /** Which build of Java it is cannot be told then. */
    @Test
    void startsWithoutAnArchiveWhereJavaHasNoReleaseFile() throws Exception {
        Files.delete(jdk.resolve("release"));
        script(jdk.resolve("bin/java"),
            "case $1 in -version) echo 'openjdk version \"17.0.15\"';; *) echo \"java of $0\" \"$@\";; esac");
        launch("builds");
        final Outcome outcome = launch("x");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).doesNotContain("SharedArchiveFile").endsWith("rdma4j.jar x\n");
    }

    @Test
    void buildsAgainWhenASourceIsNewerOrGone() throws Exception {
        final Path source = root.resolve("queues/src/main/java/A.java");
        Files.createFile(source);
        age(root);
        launch();
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        assertThat(launch().err()).contains("building rdma4j (sources changed)");
        age(root);
        assertThat(launch().err()).isEmpty();
        Files.delete(source);
        assertThat(launch().err()).contains("building rdma4j (sources changed)");
        assertThat(calls()).hasSize(3);
    }

    @Test
    void doesNotBuildWhenToldSo() throws Exception {
        final Map<String, String> noBuild = Map.of("RDMA4J_NO_BUILD", "1");
        final Outcome none = launch(noBuild);
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).contains("RDMA4J_NO_BUILD is set");
        launch();
        Files.createFile(root.resolve("tools/src/main/java/New.java"));
        assertThat(launch(noBuild).err()).isEmpty();
        assertThat(calls()).hasSize(1);
    }

    @Test
    void startsFromAnyFolderAndThroughALink() throws Exception {
        final Path link = Files.createSymbolicLink(bin.resolve("rdma4j"), root.resolve("rdma4j"));
        final Outcome outcome = await(start(machine, Map.of(), "bash", "-c", link.getFileName() + " x"));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).endsWith(root.resolve("tools/target/rdma4j.jar") + " x\n");
    }

    @Test
    void twoFirstUsesAtOnceBuildOnce() throws Exception {
        maven(BUILD_THAT_IS_WAITED_FOR);
        final Running one = start(root, Map.of(), root.resolve("rdma4j").toString(), "1");
        final Running other = start(root, Map.of(), root.resolve("rdma4j").toString(), "2");
        final Outcome first = await(one);
        final Outcome second = await(other);
        assertThat(first.exitCode() + second.exitCode()).as(first.err() + second.err()).isZero();
        assertThat(first.out() + second.out()).contains("rdma4j.jar 1\n", "rdma4j.jar 2\n");
        assertThat(first.err() + second.err()).contains("waiting for another build");
        assertThat(calls()).hasSize(1);
    }

    @Test
    void nobodyRunsWhatIsHalfBuilt() throws Exception {
        maven(HALF_A_BUILD + "echo half >>$HOME/calls\n" + BUILD_THAT_IS_WAITED_FOR);
        final Running builder = start(root, Map.of(), root.resolve("rdma4j").toString(), "1");
        awaitText(machine.resolve("calls"), "half");
        final Outcome other = launch("2");
        assertThat(other.err()).contains("waiting for another build");
        assertThat(other.out()).endsWith("rdma4j.jar 2\n");
        assertThat(await(builder).exitCode()).isZero();
    }

    /** Java reads its jar as long as it runs. */
    @Test
    void anotherBuildLeavesTheJarToThoseWhoRunIt() throws Exception {
        launch();
        final Path jar = root.resolve("tools/target/rdma4j.jar");
        final Object before = Files.readAttributes(jar, BasicFileAttributes.class).fileKey();
        // Keeps its number from being another file's.
        Files.createLink(machine.resolve("run"), jar);
        Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(1)));
        assertThat(launch().err()).contains("building rdma4j (sources changed)");
        assertThat(Files.readAttributes(jar, BasicFileAttributes.class).fileKey()).isNotEqualTo(before);
    }

    private static void awaitText(final Path file, final String text) throws IOException, InterruptedException {
        final long end = System.nanoTime() + Patience.nanos();
        while (!Files.readString(file).contains(text)) {
            assertThat(System.nanoTime() - end).as("%s says: %s", file, Files.readString(file)).isNegative();
            Thread.sleep(10);
        }
    }

    @Test
    void whoWaitedForABuildDoesNotKeepOthersFromBuilding() throws Exception {
        maven(BUILD_THAT_IS_WAITED_FOR);
        script(jdk.resolve("bin/java"), "echo java \"$@\"\ncase \"$*\" in *lasts) exec sleep 60;; esac");
        final Running builder = start(root, Map.of(), root.resolve("rdma4j").toString(), "ends");
        awaitText(builder.err(), "building rdma4j");
        final Running waiter = start(root, Map.of(), root.resolve("rdma4j").toString(), "lasts");
        try {
            awaitText(waiter.out(), "rdma4j.jar lasts");
            assertThat(await(builder).exitCode()).isZero();
            Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(1)));
            assertThat(launch("x").err()).contains("building rdma4j (sources changed)").doesNotContain("waiting");
        } finally {
            waiter.process().destroyForcibly();
        }
    }

    @Test
    void failedBuildShowsItsErrorsAndWhereTheRestIs() throws Exception {
        maven("echo noise; echo '[ERROR] A.java:[3,4] not a statement'; exit 1");
        final Outcome outcome = launch("devices");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("the build failed:\n[ERROR] A.java:[3,4] not a statement\n",
            root.resolve("target/rdma4j-build.log").toString()).doesNotContain("noise");
    }

    /**
     * Ctrl-C goes to all processes of a terminal; Java and Maven end by themselves then, with 130. Here the program
     * sends one to its own group, in a session of its own, where signals are not ignored, as behind a shell's "&".
     */
    private Outcome launchInterrupted(final Path program, final String before, final String otherwise)
        throws IOException, InterruptedException {
        script(program, before + "trap 'exit 130' INT; kill -INT 0; sleep 60;" + otherwise);
        return await(start(root, Map.of(), onPath("env").toString(), "--default-signal=INT",
            onPath("setsid").toString(), "--wait", root.resolve("rdma4j").toString(), "x"));
    }

    @Test
    void ctrlCDuringTheBuildIsNoFailedBuild() throws Exception {
        for (final String interruptedLater : List.of("", TELLS_VERSION)) {
            Files.writeString(machine.resolve("calls"), "");
            final Outcome outcome =
                launchInterrupted(bin.resolve("mvn"), interruptedLater + "echo mvn >>$HOME/calls; ", "");
            assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(130);
            assertThat(outcome.err()).doesNotContain("failed");
            assertThat(outcome.out()).isEmpty();
            assertThat(calls()).as("goes on to nothing").hasSize(1);
        }
    }

    @Test
    void whatABuildLeftHalfIsBuiltAgain() throws Exception {
        maven(HALF_A_BUILD + "exit 1");
        assertThat(launch("x").exitCode()).isEqualTo(1);
        assertBuilds();
        Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.from(Instant.now()));
        assertThat(launchInterrupted(bin.resolve("mvn"), TELLS_VERSION + HALF_A_BUILD, "").exitCode()).isEqualTo(130);
        assertBuilds();
    }

    private void assertBuilds() throws IOException, InterruptedException {
        maven(WHOLE_BUILD);
        final Outcome outcome = launch("x");
        assertThat(outcome.err()).contains("building rdma4j (");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(root.resolve("tools/target/rdma4j.jar")).hasContent("whole\n");
    }

    @Test
    void ctrlCWhileClassesAreKeptEndsItAndLeavesNone() throws Exception {
        final Outcome outcome = launchInterrupted(jdk.resolve("bin/java"),
            "case \"$2\" in -XX:ArchiveClassesAtExit=*) echo x >\"${2#*=}\";", " esac; echo \"java of $0\" \"$@\"");
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(130);
        assertThat(outcome.out()).isEmpty();
        assertThat(root.resolve("tools/target")).isDirectoryNotContaining("glob:**.jsa*");
        makeJdk(jdk, "17.0.15");
        assertThat(launch("x").out()).endsWith("rdma4j.jar x\n");
    }

    @Test
    void rootDoesNotBuildInTheFolderOfAnother() throws Exception {
        script(bin.resolve("id"), "echo 0");
        script(bin.resolve("stat"), "echo 1000");
        final Outcome refused = launch("status");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).endsWith("run ./rdma4j status first, as yourself\n");
        assertThat(calls()).isEmpty();
        assertThat(root.resolve("target")).doesNotExist();

        script(bin.resolve("id"), "echo 1000");
        assertThat(launch("status").exitCode()).isZero();
        script(bin.resolve("id"), "echo 0");
        Files.writeString(root.resolve("tools/src/main/java/New.java"), "");
        Files.setLastModifiedTime(root.resolve("tools/src/main/java/New.java"),
            FileTime.from(Instant.now().plusSeconds(5)));
        final Outcome stale = launch("status");
        assertThat(stale).isEqualTo(new Outcome(0, stale.out(), ""));
        assertThat(calls()).hasSize(1);

        script(bin.resolve("stat"), "echo 0");
        assertThat(launch("status").err()).contains("building rdma4j (sources changed)");
    }

    @Test
    void rootDoesNotBuildTheExamplesOfAnother() throws Exception {
        final Path run = Files.createDirectories(root.resolve("examples")).resolve("run.sh");
        Files.copy(Path.of("../examples/run.sh"), run);
        script(bin.resolve("cat"), "exec " + onPath("cat") + " \"$@\"");
        maven("echo mvn >>$HOME/calls; mkdir -p examples/target; : >examples/target/class-path.txt");
        script(bin.resolve("id"), "echo 0");
        script(bin.resolve("stat"), "echo 1000");
        final Outcome refused = await(start(root, Map.of(), run.toString(), "local"));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).endsWith("run examples/run.sh first, as yourself\n");
        assertThat(calls()).isEmpty();
        assertThat(root.resolve("target")).doesNotExist();
        script(bin.resolve("id"), "echo 1000");
        assertThat(await(start(root, Map.of(), run.toString(), "local")).out()).endsWith("Examples local\n");
        assertThat(calls()).hasSize(1);
    }

    @Test
    void theTestsExplainThemselvesFromAnyFolder() throws Exception {
        final Path test = Files.copy(Path.of("../test.sh"), root.resolve("test.sh"));
        final Outcome outcome = await(start(machine, Map.of(), "bash", machine.relativize(test).toString(), "--help"));
        assertThat(outcome).isEqualTo(new Outcome(0, outcome.out(), ""));
        assertThat(outcome.out()).contains("./test.sh --campaign NAME");
    }

    /** Each would remove what the other has found. */
    @Test
    void onlyOneRunsTheTestsOfAFolder() throws Exception {
        final Path test = Files.copy(Path.of("../test.sh"), root.resolve("test.sh"));
        final Path marker = Files.createDirectories(root.resolve("target/test-run")).resolve("marker");
        Files.createFile(marker);
        final Running other = start(root, Map.of(), "flock", root.resolve("target/test-run.lock").toString(), "bash",
            "-c", "echo has it; exec sleep 600");
        try {
            awaitText(other.out(), "has it");
            final Outcome outcome = await(start(root, Map.of(), test.toString(), "--only", "RingIndexTest"));
            assertThat(outcome).isEqualTo(new Outcome(1, "0 passed, 1 failed, 0 skipped\n", "rdma4j: another ./test.sh "
                + "runs in this folder: wait for its end, or use a clone of its own\n"));
            assertThat(marker).exists();
        } finally {
            other.process().descendants().forEach(ProcessHandle::destroyForcibly);
            other.process().destroyForcibly();
        }
    }

    /** What it started would go on in the folder, beside the next run. Maven takes its time to end. */
    @Test
    void whoEndsTheTestsEndsMavenToo() throws Exception {
        final Path test = Files.copy(Path.of("../test.sh"), root.resolve("test.sh"));
        maven("trap 'sleep 2; exit 143' TERM; echo $$ >$HOME/maven; echo on >>$HOME/calls\n"
            + "while :; do sleep 0.1; done");
        final Running tests = start(root, Map.of(), test.toString(), "--only", "static");
        try {
            awaitText(machine.resolve("calls"), "on");
            final ProcessHandle maven =
                ProcessHandle.of(Long.parseLong(Files.readString(machine.resolve("maven")).strip())).orElseThrow();
            tests.process().destroy();
            assertThat(await(tests).exitCode()).isEqualTo(130);
            assertThat(maven.isAlive()).isFalse();
        } finally {
            tests.process().descendants().forEach(ProcessHandle::destroyForcibly);
            tests.process().destroyForcibly();
        }
    }

    @Test
    void theTestsWaitForAnotherBuild() throws Exception {
        final Path test = Files.copy(Path.of("../test.sh"), root.resolve("test.sh"));
        maven("[ -s $HOME/calls ] && exit 1\necho begun >>$HOME/calls\n" + BUILD_THAT_IS_WAITED_FOR);
        final Running launcher = start(root, Map.of(), root.resolve("rdma4j").toString(), "devices");
        awaitText(machine.resolve("calls"), "begun");
        final Outcome tests = await(start(root, Map.of(), test.toString(), "--only", "RingIndexTest"));
        assertThat(tests.err()).contains("waiting for another build");
        assertThat(tests.out()).endsWith("0 passed, 1 failed, 0 skipped\n");
        assertThat(await(launcher).exitCode()).isZero();
    }

    @Test
    void passesOptionsToTheJvm() throws Exception {
        final Outcome outcome = launch(Map.of("RDMA4J_OPTS", "-Xmx1g -Dx=y"), "devices");
        assertThat(outcome.out()).contains(" -Xmx1g -Dx=y ");
    }

    /** With ASCII alone Java cannot open a file of another name; any other encoding is the user's choice. */
    @Test
    void namesMayHaveAnyLetters() throws Exception {
        script(jdk.resolve("bin/java"), "echo \"LC_ALL=${LC_ALL:-}\" \"$*\" >>$HOME/calls");
        maven("echo \"LC_ALL=${LC_ALL:-}\" mvn >>$HOME/calls\n" + HALF_A_BUILD.replace("half", "whole"));
        for (final String charmap : List.of("ANSI_X3.4-1968", "", "ISO-8859-1", "UTF-8")) {
            script(bin.resolve("locale"), "[ \"$*\" != charmap ] || echo " + charmap);
            Files.writeString(machine.resolve("calls"), "");
            Files.deleteIfExists(root.resolve("tools/target/rdma4j.jar"));
            assertThat(launch(Map.of("LC_ALL", "C"), "x").exitCode()).isZero();
            final String locale = charmap.isEmpty() || charmap.startsWith("ANSI") ? "C.UTF-8" : "C";
            assertThat(calls()).as("with '%s', the build, too", charmap).contains("LC_ALL=" + locale + " mvn")
                .allMatch(call -> call.startsWith("LC_ALL=" + locale + " "));
        }
    }

    /** Java ends where two are chosen. */
    @Test
    void anotherCollectorIsTheOnlyOne() throws Exception {
        for (final String variable : List.of("RDMA4J_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
            assertThat(launch(Map.of(variable, "-Xmx1g -XX:+UseZGC"), "x").out()).doesNotContain("SerialGC");
        }
        assertThat(launch("x").out()).contains("-XX:+UseSerialGC");
    }

    /** The first start of a Java runs a command of its own, whose devices nobody asked to have traced. */
    @Test
    void whatWasTracedIsKeptWhereClassesAre() throws Exception {
        final Path trace = Files.writeString(machine.resolve("trace"), "of yesterday");
        script(jdk.resolve("bin/java"), "case \"$*\" in *ArchiveClassesAtExit*-Drdma4j.trace=\\ *) ;; "
            + "*ArchiveClassesAtExit*) : >$RDMA4J_TRACE;; esac; echo \"java of $0\" \"$@\"");
        assertThat(launch(Map.of("RDMA4J_TRACE", trace.toString()), "show", "x").exitCode()).isZero();
        assertThat(trace).hasContent("of yesterday");
    }

    @Test
    void javaHomeComesFirstUnlessItIsTooOld() throws Exception {
        final Path other = machine.resolve("elsewhere");
        makeJdk(other, "25.0.3");
        assertThat(launch(Map.of("JAVA_HOME", other.toString())).out()).contains("java of " + other);
        makeJdk(other, "11.0.2");
        assertThat(launch(Map.of("JAVA_HOME", other.toString())).out()).contains("java of " + jdk);
    }

    @Test
    void withoutJdkAndMavenItPrintsTheOneCommandThatInstallsThem() throws Exception {
        Files.delete(jdk.resolve("bin/java"));
        Files.delete(jdk.resolve("bin/javac"));
        Files.delete(bin.resolve("mvn"));
        makeDebian("installed=");
        final Outcome outcome = launch("devices");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("    su -c 'apt-get update && apt-get install -y --no-install-recommends "
            + "openjdk-21-jdk-headless maven'\n");
        script(bin.resolve("sudo"), "exit 1");
        assertThat(launch("devices").err()).contains("    sudo sh -c 'apt-get update && ");
        assertThat(calls()).isEmpty();
    }

    @Test
    void aMavenThatIsTooOldIsToldBeforeItBuilds() throws Exception {
        for (final String old : List.of("3.6.3 (cecedd343002696d0abb50b32b541b8a6ba2883f)", "3.7", "2.9.9")) {
            Files.writeString(machine.resolve("version"), "Apache Maven " + old + "\nMaven home: /x 3.9.9\n");
            final Outcome outcome = launch("x");
            assertThat(outcome).isEqualTo(new Outcome(1, "", "rdma4j: Maven " + MIN_MAVEN + " or newer is needed, "
                + bin.resolve("mvn") + " is " + old.split(" ")[0] + ": put one from "
                + "https://maven.apache.org/download.cgi first on the PATH, or use a newer distribution\n"));
        }
        final Path test = Files.copy(Path.of("../test.sh"), root.resolve("test.sh"));
        final Outcome tests = await(start(root, Map.of(), test.toString(), "--only", "RingIndexTest"));
        assertThat(tests.err()).contains("rdma4j: Maven " + MIN_MAVEN + " or newer is needed");
        assertThat(tests.out()).isEqualTo("0 passed, 1 failed, 0 skipped\n");
        assertThat(calls()).isEmpty();
        for (final String good : List.of(MIN_MAVEN + ".0", "3.10.1 (x)", "4.0.0-rc-3 (x)", "x")) {
            Files.writeString(machine.resolve("version"), "\033[1mApache Maven " + good + "\033[m\nMaven home: /x\n");
            Files.setLastModifiedTime(root.resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(1)));
            assertThat(launch("x").exitCode()).as(good).isZero();
        }
        assertThat(calls()).hasSize(4);
    }

    @Test
    void theScriptsAskForWhatTheBuildAsksFor() throws Exception {
        final String minJava = inPom("../pom.xml", "<requireJavaVersion>\\s*<version>\\[([^,]*),");
        assertThat(shell("echo $RDMA4J_MIN_JAVA $RDMA4J_MIN_MAVEN").out()).isEqualTo(minJava + " " + MIN_MAVEN + "\n");
        assertThat(Path.of("../README.md")).content()
            .contains("a JDK (" + minJava + " or newer) and Maven (" + MIN_MAVEN + " or newer)");
    }

    /** One that is built needs no Maven. */
    @Test
    void whereJavaIsGoneOnlyAJdkIsAskedFor() throws Exception {
        launch();
        Files.delete(bin.resolve("mvn"));
        Files.delete(jdk.resolve("bin/java"));
        makeDebian("installed=");
        assertThat(launch("x").err()).contains("--no-install-recommends openjdk-21-jdk-headless'\n");
    }

    @Test
    void asRootItInstallsWhatIsMissingAndSaysSo() throws Exception {
        Files.move(bin.resolve("mvn"), machine.resolve("mvn"));
        makeDebian("installed=");
        script(bin.resolve("id"), "echo 0");
        script(bin.resolve("stat"), "echo 0");
        script(bin.resolve("apt-get"), "echo apt-get \"$@\" >>$HOME/calls\n"
            + "[ $1 = update ] || { cp $HOME/mvn $HOME/bin/mvn; }");
        final Outcome outcome = launch("devices");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).contains("rdma4j: installing maven ...\n");
        assertThat(outcome.out()).endsWith("devices\n");
        assertThat(calls().get(0)).startsWith("apt-get update");
        assertThat(calls().get(1)).startsWith("apt-get install").contains("-y").endsWith(" maven");
        assertThat(calls().get(2)).startsWith("mvn ");
    }

    @Test
    void installsThroughSudoThatAsksNoPassword() throws Exception {
        makeDebian("installed=");
        script(bin.resolve("sudo"), "shift; [ $1 = true ] && exit 0; echo sudo \"$@\" >>$HOME/calls");
        final Outcome outcome = shell("ensure_packages jq");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(calls()).hasSize(2).allMatch(call -> call.startsWith("sudo env DEBIAN_FRONTEND="));
    }

    @Test
    void failedInstallationSaysWhatAptSaid() throws Exception {
        makeDebian("installed=");
        script(bin.resolve("id"), "echo 0");
        script(bin.resolve("apt-get"), "echo noise; echo 'E: no space'; exit 100");
        final Outcome outcome = shell("ensure_packages jq");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("could not install jq", "E: no space").doesNotContain("noise");
    }

    @Test
    void whatAptDoesNotKnowKeepsNothingElseOut() throws Exception {
        makeDebian("installed=");
        script(bin.resolve("id"), "echo 0");
        script(bin.resolve("apt-get"), "echo apt-get \"$@\" >>$HOME/calls\n"
            + "case \" $* \" in *17-jdk*) echo 'E: no candidate'; exit 100;; esac");
        final Outcome outcome = shell("ensure_packages jq openjdk-17-jdk");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("installing jq ...", "apt offers no openjdk-17-jdk here");
        assertThat(calls()).hasSize(2).last().asString().endsWith(" jq");
    }

    @Test
    void installsNothingThatIsThereInOneOfItsForms() throws Exception {
        makeDebian("installed=' qemu-kvm jq '");
        final Outcome outcome = shell("ensure_packages 'qemu-system-x86|qemu-kvm' jq");
        assertThat(outcome).isEqualTo(new Outcome(0, "", ""));
    }

    @Test
    void otherDistributionsAreToldWhatToInstall() throws Exception {
        final Outcome outcome = shell("ensure_packages 'qemu-system-x86|qemu-kvm' jq");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).isEqualTo("rdma4j: please install what Debian calls qemu-system-x86 or qemu-kvm jq; "
            + "this system has no apt to do it with\n");
    }

    /** A Debian that offers OpenJDK 21 but not 17. */
    private void makeDebian(final String installed) throws IOException {
        script(bin.resolve("apt-get"), "echo apt-get \"$@\" >>$HOME/calls");
        script(bin.resolve("apt-cache"), "case \" $* \" in *jdk-17*) exit 100 ;; esac");
        script(bin.resolve("dpkg-query"), installed + "\nfor last; do :; done\n"
            + "case \"$installed\" in *\" $last \"*) echo -n installed ;; *) exit 1 ;; esac");
    }
}
