/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.tools.Main;
import io.rdma4j.tools.text.Terminal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Commands and what each printed, as a file: a line with the command, its output behind bars, its exit code.
 *
 * <pre>
 *   $ ./rdma4j gid --pid 123
 *   | index  gid
 *   = 0
 * </pre>
 */
public final class Transcript {
    /** Name of the file in the folder of a run. */
    public static final String FILE_NAME = "tools.txt";

    private static final String COMMAND = "$ ./rdma4j ";
    private static final String OUTPUT = "| ";
    private static final String EXIT_CODE = "= ";

    private final List<Entry> entries = new ArrayList<>();

    /** An empty one. */
    public Transcript() {
        // Filled by add.
    }

    /**
     * One command.
     *
     * @param line     what stood behind {@code ./rdma4j}.
     * @param exitCode how it ended.
     * @param text     its output, lines that end with a line feed.
     */
    public record Entry(String line, int exitCode, String text) {
        /**
         * The command's name.
         *
         * @return the first word of its line.
         */
        public String name() {
            return line.split(" ", 2)[0];
        }
    }

    /**
     * Runs a command in this JVM and writes down what it prints.
     *
     * @param line what is typed behind {@code ./rdma4j}.
     * @return what came of it.
     */
    public Entry run(final String line) {
        final StringWriter text = new StringWriter();
        final PrintWriter writer = new PrintWriter(text);
        final int exitCode = Main.run(new Terminal(writer, writer, false, false), line.split(" "));
        final Entry entry = new Entry(line, exitCode, text.toString().replace("\r", ""));
        add(entry);
        return entry;
    }

    /**
     * Makes one short line of a text.
     *
     * @param text of any length.
     * @return letters and digits of Base64.
     */
    public static String pack(final String text) {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(packed)) {
            deflater.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(packed.toByteArray());
    }

    /**
     * The text again.
     *
     * @param packed what {@link #pack} gave.
     * @return the text.
     * @throws IllegalArgumentException if it is something else.
     */
    public static String unpack(final String packed) {
        try (InflaterInputStream in = new InflaterInputStream(
            new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new IllegalArgumentException("not what was packed: " + packed, e);
        }
    }

    /**
     * Adds what ran elsewhere.
     *
     * @param entry what came of a command.
     */
    public void add(final Entry entry) {
        entries.add(entry);
    }

    /**
     * All commands.
     *
     * @return in the order in which they ran.
     */
    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    /**
     * Leaves it in a folder.
     *
     * @param folder that is there.
     * @throws IOException if it cannot be written.
     */
    public void write(final Path folder) throws IOException {
        final StringBuilder file = new StringBuilder();
        for (final Entry entry : entries) {
            file.append(COMMAND).append(entry.line).append('\n');
            entry.text.lines().forEach(line -> file.append((OUTPUT + line).stripTrailing()).append('\n'));
            file.append(EXIT_CODE).append(entry.exitCode).append('\n');
        }
        Files.writeString(folder.resolve(FILE_NAME), file);
    }

    /**
     * Reads one.
     *
     * @param file as {@link #write} leaves it.
     * @return what was written.
     * @throws IOException              if it cannot be read.
     * @throws IllegalArgumentException if it is something else, or cut off.
     */
    public static Transcript read(final Path file) throws IOException {
        final Transcript transcript = new Transcript();
        String command = null;
        final StringBuilder text = new StringBuilder();
        for (final String line : Files.readAllLines(file)) {
            if (line.startsWith(COMMAND) && command == null) {
                command = line.substring(COMMAND.length());
                text.setLength(0);
            } else if (line.startsWith(EXIT_CODE) && command != null) {
                transcript.add(new Entry(command, Integer.parseInt(line.substring(EXIT_CODE.length())),
                    text.toString()));
                command = null;
            } else if (line.startsWith(OUTPUT.strip()) && command != null) {
                text.append(line.length() > OUTPUT.length() ? line.substring(OUTPUT.length()) : "").append('\n');
            } else {
                throw new IllegalArgumentException(file + " is no transcript of commands: " + line);
            }
        }
        if (command != null) {
            throw new IllegalArgumentException(file + " is cut off in: " + command);
        }
        return transcript;
    }
}
