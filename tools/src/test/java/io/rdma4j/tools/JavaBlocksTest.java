/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.OtherJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every block of Java on the pages is compiled as it stands there; those that are whole programs are run. */
@Tag("samples")
class JavaBlocksTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern BLOCK = Pattern.compile("^```java\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    /** README's table of JVM flags: from which JDK on, and the flags. */
    private static final Pattern FLAGS = Pattern.compile("^\\| (\\d+) and later.*?\\| `(.*)` \\|$", Pattern.MULTILINE);
    private static final int LONGEST_SECONDS = 50;

    /** What the fragments of a page are about: members of the class around them. */
    private static final String EVENTS_MEMBERS = """
        interface Loop {
            void await(int millis);
        }
        EventQueue events;
        CompletionQueue queue;
        Domain domain;
        Counter sent;
        MsgEndpoint endpoint;
        Loop loop;
        boolean stopped;
        void log(String text) { }
        void registered(MemoryRegion region, int errno) { }
        void completed(CompletionEntry entry) { }
        void handle(EventEntry entry) { }
        void failed(Throwable failure) { }
        """;

    private static final List<String> OF_PIECES = List.of("import io.rdma4j.fabric.*;", "import java.time.Duration;",
        "import org.agrona.concurrent.AgentRunner;", "import org.agrona.concurrent.BackoffIdleStrategy;");
    /** What io.rdma4j:rdma4j brings, and nothing else of this test's class path. */
    private static final String CLASS_PATH = Arrays.stream(System.getProperty("java.class.path").split(":"))
        .filter(Pattern.compile("/(hw-regs|queues|driver|verbs-api|device-model)/.*|.*/(agrona|jna)-[0-9.]+[.]jar")
            .asPredicate()).collect(Collectors.joining(":"));

    @TempDir
    Path folder;

    /** A block, and whether it stands alone. */
    private record Block(Path page, int number, String text) {
        boolean isProgram() {
            return !page.endsWith("events.md");
        }

        boolean isFabric() {
            return text.contains("Fabric") || !isProgram();
        }

        /** Programs show what they import; pieces of one take it as known. */
        String source() {
            final List<String> imports = isProgram() ? text.lines().filter(Block::isImport).toList() : OF_PIECES;
            final String rest = text.lines().filter(line -> !isImport(line)).collect(Collectors.joining("\n"));
            return String.join("\n", imports) + "\npublic class Block {\n" + (isProgram()
                ? "public static void main(String[] args) {\n" : EVENTS_MEMBERS + "void block() {\n") + rest
                + "\n}\n}\n";
        }

        private static boolean isImport(final String line) {
            return line.startsWith("import ");
        }

        @Override
        public String toString() {
            return page.getFileName() + " " + number;
        }
    }

    static Stream<Block> blocks() throws IOException {
        return DocsTest.pages().stream().flatMap(JavaBlocksTest::blocksOf);
    }

    static Stream<Block> programs() throws IOException {
        return blocks().filter(Block::isProgram);
    }

    private static Stream<Block> blocksOf(final Path page) {
        final List<Block> found = new ArrayList<>();
        final Matcher block = BLOCK.matcher(read(page));
        while (block.find()) {
            found.add(new Block(page, found.size() + 1, block.group(1)));
        }
        return found.stream();
    }

    private static String read(final Path page) {
        try {
            return Files.readString(page);
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void readmeHasAProgramForEachInterface() {
        assertThat(blocksOf(ROOT.resolve("README.md")).map(Block::isFabric)).containsExactly(false, true);
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void isCompiled(final Block block) throws IOException {
        compile(block);
    }

    @ParameterizedTest
    @MethodSource("programs")
    void runsToItsEnd(final Block program) throws IOException, InterruptedException {
        compile(program);
        final List<String> output = run(flags(), 0);
        switch (program.toString()) {
            case "README.md 1" -> assertThat(output).containsExactlyInAnyOrder("1 SUCCESS", "2 SUCCESS");
            case "README.md 2" -> assertThat(output).containsExactly("WRITE 0");
            case "tutorial.md 1" -> assertThat(output).containsExactly("1000 round trips");
            case "tutorial.md 2" -> assertThat(output).containsExactly("10000 quotes, prices add up to 1045000");
            case "tutorial.md 3" -> assertThat(output).containsExactly("price 101 on emulated:b");
            case "fabric.md 2" -> assertThat(output)
                .containsExactlyInAnyOrder("SEND FI_SUCCESS", "RECEIVE FI_SUCCESS from a: hello");
            case "fabric.md 3" ->
                assertThat(output).containsExactly("receive 2 got tag 200", "receive 1 got tag 7");
            default -> assertThat(output).isNotEmpty();
        }
    }

    /** A newcomer's first run, on any JDK: one message, with the flags that README names, and no fault of Agrona's. */
    @ParameterizedTest
    @MethodSource("readmes")
    void withoutFlagsItSaysWhichItNeeds(final Block program) throws IOException, InterruptedException {
        compile(program);
        final List<String> output = run(List.of(), 1);
        assertThat(output).filteredOn(line -> line.contains("Exception")).first().asString()
            .contains("this JVM (Java " + Runtime.version().feature() + ") was started without the flags", "EPERM]");
        final String line = String.join(" ", flags());
        assertThat(output).contains("  command line  java " + line + " ...",
            "  Surefire      <argLine>" + line + "</argLine>");
        assertThat(String.join("\n", output)).doesNotContain("Error");
    }

    static Stream<Block> readmes() {
        return blocksOf(ROOT.resolve("README.md"));
    }

    private void compile(final Block block) throws IOException {
        final Path source = Files.writeString(folder.resolve("Block.java"), block.source());
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> faults = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(faults, null, null)) {
            compiler.getTask(null, files, faults,
                List.of("-proc:none", "-d", folder.toString(), "-cp", CLASS_PATH), null,
                files.getJavaFileObjects(source)).call();
        }
        assertThat(faults.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR))
            .as(block.source()).isEmpty();
    }

    /** Those that README asks for. */
    private static List<String> flags() {
        final List<String> flags = new ArrayList<>();
        final Matcher each = FLAGS.matcher(read(ROOT.resolve("README.md")));
        while (each.find()) {
            if (Runtime.version().feature() >= Integer.parseInt(each.group(1))) {
                flags.addAll(Arrays.asList(each.group(2).split(" ")));
            }
        }
        return flags;
    }

    private List<String> run(final List<String> flags, final int exit) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(OtherJvm.java()));
        command.addAll(flags);
        command.addAll(List.of("-cp", folder + ":" + CLASS_PATH, "Block"));
        final Path output = folder.resolve("output");
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
            .start();
        try {
            assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).as("ends; printed: %s", read(output))
                .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(read(output)).isEqualTo(exit);
        return Files.readAllLines(output).stream().filter(line -> !line.startsWith("SLF4J")).toList();
    }
}
