/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What runs in a station: gets everything ready that needs no device, says so, and then does the jobs that come
 * through its pipe, a line each, until the line {@code end}. Each line that it prints begins with its name.
 */
public final class StationMain {
    /** Says that a job is done; its exit code follows. */
    static final String DONE = "DONE ";
    private static final String END = "end";

    private StationMain() {
    }

    /**
     * Entry point.
     *
     * @param args the station's name.
     * @throws IOException if the pipe or the console break.
     */
    public static void main(final String[] args) throws IOException {
        final String name = args[0];
        final PrintStream out = new PrintStream(new NamedLines(name, System.out), false, StandardCharsets.UTF_8);
        Files.createFile(Path.of(Station.FOLDER, name + ".ready"));
        while (true) {
            final String line = nextLine(name);
            if (END.equals(line)) {
                return;
            }
            if (line != null) {
                final String[] words = line.split(" ");
                final int code = Jobs.run(words[0], Arrays.copyOfRange(words, 1, words.length), out);
                out.println(DONE + code);
                out.flush();
            }
        }
    }

    /**
     * Opens the pipe for each line: who writes one closes it. And closes it before the job runs: the next line comes as
     * soon as the job has said that it is done, and what is written into a pipe that is about to be closed is lost.
     */
    private static String nextLine(final String name) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
            new FileInputStream(Station.FOLDER + '/' + name + ".jobs"), StandardCharsets.UTF_8))) {
            return in.readLine();
        }
    }
}
