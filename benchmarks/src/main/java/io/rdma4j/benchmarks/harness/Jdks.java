/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The JDK of this run and, if there is one, another one: figures differ. */
public final class Jdks {
    /** Names the other one: its home, or nothing for none. */
    private static final String CHOICE = "RDMA4J_SECOND_JAVA";
    /** As in test.sh: where to look. */
    private static final String FOLDER = "RDMA4J_JVMS";
    private static final String USUAL_FOLDER = "/usr/lib/jvm";
    private static final int OLDEST = 17;

    private Jdks() {
    }

    /**
     * Prints their homes, a line for each, for scripts.
     *
     * @param args none
     * @throws IOException if the folder of the JDKs cannot be read
     */
    public static void main(final String[] args) throws IOException {
        find().forEach(jdk -> System.out.println(jdk.home()));
    }

    /**
     * Looks for them.
     *
     * @return that of the run first
     * @throws IOException if the folder of the JDKs cannot be read
     */
    public static List<Jdk> find() throws IOException {
        final List<Jdk> jdks = new ArrayList<>();
        jdks.add(new Jdk(Runtime.version().feature(), Path.of(System.getProperty("java.home"))));
        final String choice = System.getenv(CHOICE);
        if (choice == null) {
            installed().stream().filter(jdk -> jdk.major != jdks.get(0).major && jdk.major >= OLDEST)
                .max(Comparator.comparingInt(jdk -> jdk.major)).ifPresent(jdks::add);
        } else if (!choice.isEmpty()) {
            jdks.add(new Jdk(major(Path.of(choice)), Path.of(choice)));
        }
        return jdks;
    }

    private static List<Jdk> installed() throws IOException {
        final String named = System.getenv(FOLDER);
        final Path folder = Path.of(named == null ? USUAL_FOLDER : named);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        final List<Path> homes;
        try (Stream<Path> entries = Files.list(folder)) {
            homes = entries.filter(home -> Files.isExecutable(home.resolve("bin/java"))
                && Files.isReadable(home.resolve("release"))).collect(Collectors.toList());
        }
        final List<Jdk> jdks = new ArrayList<>();
        for (final Path home : homes) {
            jdks.add(new Jdk(major(home), home));
        }
        return jdks;
    }

    /** By the file "release", which is in the home of each JDK; its values are in quotation marks. */
    private static int major(final Path home) throws IOException {
        final Properties release = new Properties();
        try (Reader reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
        }
        final String version = release.getProperty("JAVA_VERSION", "\"0\"").replace("\"", "");
        try {
            return Runtime.Version.parse(version).feature();
        } catch (final IllegalArgumentException e) {
            return 0;
        }
    }

    /**
     * One of them.
     *
     * @param major its version
     * @param home  its folder
     */
    public record Jdk(int major, Path home) {
        /**
         * What starts it.
         *
         * @return a path
         */
        public String java() {
            return home.resolve("bin/java").toString();
        }
    }
}
