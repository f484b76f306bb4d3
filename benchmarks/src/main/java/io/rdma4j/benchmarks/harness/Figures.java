/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Figures that a section leaves for the table of all goals: {@code KEY=VALUE} lines in a file of its own. The folder is
 * {@code benchmarks/target/figures}, or what the system property {@code rdma4j.figures} says.
 */
public final class Figures {
    /** Names another folder. */
    static final String FOLDER = "rdma4j.figures";
    private static final String USUAL_FOLDER = "benchmarks/target/figures";
    private static final String END = ".properties";

    private Figures() {
    }

    private static Path folder() {
        return Path.of(System.getProperty(FOLDER, USUAL_FOLDER));
    }

    /** The file of a section. */
    static Path file(final Path folder, final String section) {
        return folder.resolve(section + END);
    }

    /**
     * Replaces what an earlier run of this section left.
     *
     * @param section its name
     * @param figures finite numbers; names have letters, digits and {@code . _ -}
     * @throws IOException if they cannot be written
     */
    public static void write(final String section, final Map<String, Double> figures) throws IOException {
        final List<String> lines = new ArrayList<>();
        new TreeMap<>(figures).forEach((key, value) -> lines.add(line(key, value)));
        final Path file = file(folder(), section);
        Files.createDirectories(file.getParent());
        Files.write(file, lines);
    }

    private static String line(final String key, final double value) {
        if (!key.matches("[A-Za-z0-9_.-]+") || !Double.isFinite(value)) {
            throw new IllegalArgumentException("no figure: " + key + "=" + value
                + "; a key has letters, digits and . _ -, a value is a finite number");
        }
        return key + "=" + value;
    }

    /**
     * Replaces what an earlier run of this section left, on this JDK.
     *
     * @param section its name
     * @param figures as for {@link #write}
     * @throws IOException if they cannot be written
     */
    public static void writeForThisJdk(final String section, final Map<String, Double> figures) throws IOException {
        write(section + '-' + Runtime.version().feature(), figures);
    }

    /**
     * What a section left on each JDK.
     *
     * @param section its name
     * @return its figures by feature version; none if it has not run
     * @throws IOException if they cannot be read
     */
    public static SortedMap<Integer, Map<String, Double>> byJdk(final String section) throws IOException {
        final SortedMap<Integer, Map<String, Double>> found = new TreeMap<>();
        for (final String name : filesOf(section)) {
            final int dash = name.lastIndexOf('-');
            if (dash >= 0) {
                found.put(Integer.valueOf(name.substring(dash + 1)), read(name));
            }
        }
        return found;
    }

    /** Names without the end: of all JDKs together, of one of them. */
    private static List<String> filesOf(final String section) throws IOException {
        final Path folder = folder();
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                .filter(name -> name.matches(section + "(-\\d+)?\\" + END))
                .map(name -> name.substring(0, name.length() - END.length())).sorted().toList();
        }
    }

    /**
     * What a section left.
     *
     * @param section its name
     * @return its figures; none if it has not run
     * @throws IOException if they cannot be read
     */
    public static Map<String, Double> read(final String section) throws IOException {
        return read(folder(), section);
    }

    static Map<String, Double> read(final Path folder, final String section) throws IOException {
        final Map<String, Double> figures = new TreeMap<>();
        final Path file = file(folder, section);
        if (Files.exists(file)) {
            final Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            }
            properties.forEach((key, value) -> figures.put((String) key, Double.valueOf((String) value)));
        }
        return figures;
    }

    /**
     * When a section left its figures.
     *
     * @param section its name
     * @return the last time, on any JDK; null if it has not run
     * @throws IOException if the files cannot be looked at
     */
    public static FileTime writtenAt(final String section) throws IOException {
        FileTime last = null;
        for (final String name : filesOf(section)) {
            final FileTime time = Files.getLastModifiedTime(file(folder(), name));
            last = last == null || time.compareTo(last) > 0 ? time : last;
        }
        return last;
    }
}
