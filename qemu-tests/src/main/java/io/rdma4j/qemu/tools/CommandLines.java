/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.qemu.guest.Shell;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.tools.Main;
import io.rdma4j.tools.text.Terminal;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs commands in the guest: rdma4j's in this JVM or as another user, and those of the system. */
final class CommandLines {
    /** A JVM that starts in an emulated machine on a busy host takes half a minute. */
    private static final long DEADLINE_SECONDS = 300;
    private static final Path READABLE = Path.of("/dev/shm/rdma4j-class-path");

    private CommandLines() {
    }

    /**
     * What came of a command.
     *
     * @param exitCode its exit code.
     * @param out      what it printed to standard output.
     * @param err      what it printed to standard error.
     */
    record Outcome(int exitCode, String out, String err) {
        JsonObject json() {
            return JsonParser.parseString(out).getAsJsonObject();
        }

        /** Fails unless the exit code and the words are these; tells the output. */
        String require(final int code, final String... words) {
            if (exitCode != code) {
                throw new IllegalStateException("exit code " + exitCode + ", expected " + code + ": " + this);
            }
            for (final String word : words) {
                if (!(out + err).contains(word)) {
                    throw new IllegalStateException("no '" + word + "' in: " + this);
                }
            }
            return (out + err).strip().replaceAll("\\R", " | ");
        }
    }

    /** {@code ./rdma4j ...} as root. */
    static Outcome rdma4j(final String line) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int exitCode = Main.run(
            new Terminal(new PrintWriter(out), new PrintWriter(err), false, false), line.split(" "));
        return new Outcome(exitCode, out.toString(), err.toString());
    }

    /** {@code ./rdma4j ...} as nobody, with 8 MiB to lock; the class path is copied to where nobody may read it. */
    static Outcome rdma4jAsNobody(final String line) throws IOException, InterruptedException {
        return rdma4jAsNobody(8192, line);
    }

    /** The same with so many KiB to lock. */
    static Outcome rdma4jAsNobody(final int kib, final String line) throws IOException, InterruptedException {
        return javaAsNobody(kib, readableClassPath(), Main.class.getName() + " " + line);
    }

    /** Several, one after the other, in one JVM. */
    static List<Outcome> allAsNobody(final String... lines) throws IOException, InterruptedException {
        final Outcome outcome = javaAsNobody(8192,
            readableClassPath() + ":" + copyOf(CommandsMain.class),
            CommandsMain.class.getName() + " '" + String.join("' '", lines) + "'");
        outcome.require(0);
        final Outcome[] outcomes = new Gson().fromJson(outcome.out, Outcome[].class);
        if (outcomes.length != lines.length) {
            throw new IllegalStateException(outcomes.length + " outcomes: " + outcome);
        }
        return List.of(outcomes);
    }

    private static Outcome javaAsNobody(final int kib, final String classPath, final String main)
        throws IOException, InterruptedException {
        return system("ulimit -l " + kib + "; exec setpriv --reuid=65534 --regid=65534 --clear-groups "
            + java(classPath, main));
    }

    /** A command for the shell. */
    static String java(final String classPath, final String main) {
        final List<String> words = new ArrayList<>(
            List.of(OtherJvm.java(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        words.addAll(OtherJvm.neededOptions());
        words.addAll(List.of("-cp", classPath));
        return Shell.join(words) + ' ' + main;
    }

    /** {@code ./rdma4j ...} as root, in a process of its own. */
    static Outcome rdma4jProcess(final String line) throws IOException, InterruptedException {
        return system("exec " + java(System.getProperty("java.class.path"), Main.class.getName() + " " + line));
    }

    /** A command of the system, by the shell. */
    static Outcome system(final String command) throws IOException, InterruptedException {
        final Path out = Files.createTempFile("out", "");
        final Path err = Files.createTempFile("err", "");
        final Process process = new ProcessBuilder("sh", "-c", command)
            .redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException(command + " did not end; " + Files.readString(out)
                + Files.readString(err));
        }
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static String readableClassPath() throws IOException, InterruptedException {
        return readableClassPath(READABLE, System.getProperty("java.class.path"));
    }

    /** A class path of copies. */
    static String readableClassPath(final Path folder, final String classPath)
        throws IOException, InterruptedException {
        final List<String> copies = new ArrayList<>();
        final boolean isNew = !Files.exists(folder);
        Files.createDirectories(folder);
        final List<String> entries = Arrays.stream(classPath.split(":"))
            .filter(CommandLines::isNeeded).toList();
        for (final String entry : entries) {
            final Path copy = folder.resolve(Integer.toString(copies.size())
                + (entry.endsWith(".jar") ? ".jar" : ""));
            if (isNew) {
                system(Shell.join(List.of("cp", "-r", entry, copy.toString()))).require(0);
            }
            copies.add(copy.toString());
        }
        system("chmod -R a+rX " + Shell.quote(folder.toString())).require(0);
        return String.join(":", copies);
    }

    /** A folder with this class alone, for everybody to read. */
    private static Path copyOf(final Class<?> type) throws IOException {
        final String name = type.getName().replace('.', '/') + ".class";
        final Path folder = READABLE.resolve("one");
        Files.createDirectories(folder.resolve(name).getParent());
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
            Files.copy(in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
        return folder;
    }

    /** The rest is for tests, and copying takes its time. */
    private static boolean isNeeded(final String entry) {
        return List.of("rdma4j", "picocli", "gson", "HdrHistogram", "agrona", "jna", "/driver/", "/tools/",
            "/verbs-api/", "/queues/", "/hw-regs/").stream().anyMatch(entry::contains) && !entry.contains("qemu-tests");
    }
}
