/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM of the inner guest that waits for jobs.
 *
 * @param name       what commands and its lines call it.
 * @param root       whether it runs as root, or as a user without any privilege.
 * @param memlockKib its limit of locked memory; not positive means unlimited.
 * @param heapMib    its heap in MiB.
 */
record Station(String name, boolean root, long memlockKib, int heapMib) {
    /** Does the most: runs the suite, and whatever follows somebody's death. */
    static final Station MAIN = new Station("main", true, 0, 96);
    /** Is killed. */
    static final Station VICTIM = new Station("victim", true, 0, 24);
    /** Has rights on the group's file only, and may lock enough. */
    static final Station USER = new Station("user", false, 65_536, 24);
    /** The same, and may lock too little. */
    static final Station POOR = new Station("poor", false, 64, 16);
    /** All of them. */
    static final List<Station> ALL = List.of(MAIN, VICTIM, USER, POOR);

    /** Who is nobody in particular. */
    static final String USER_NAME = "rdma";

    /** Folder of the files that the stations and the first process share. */
    static final String FOLDER = "/run/inner";
    /** Longest time for one to be ready. */
    static final Duration READY = Duration.ofMinutes(4);

    /** The pipe from which it reads jobs. */
    String pipe() {
        return FOLDER + '/' + name + ".jobs";
    }

    /** The line with which its last word begins. */
    String exitMark() {
        return "inner: EXIT " + name + ' ';
    }

    private String pidFile() {
        return FOLDER + '/' + name + ".pid";
    }

    /** Its process, as any process in its machine sees it. */
    String pid() {
        try {
            return Files.readString(Path.of(pidFile())).strip();
        } catch (final IOException e) {
            throw new IllegalStateException("station " + name + " has left no " + pidFile(), e);
        }
    }

    /** A shell command that has its JVM show on the console what its threads do. */
    String showThreads() {
        return "kill -QUIT $(cat " + pidFile() + ')';
    }

    /** A shell command that ends it at once. */
    String kill() {
        return "kill -9 $(cat " + pidFile() + ')';
    }

    /** Shell commands that start it in the background and wait until it is ready; its exit code follows as a line. */
    String start(final List<String> javaOptions) {
        final List<String> java = new ArrayList<>(List.of("/jre/bin/java", "-Xmx" + heapMib + "m"));
        java.addAll(javaOptions);
        java.addAll(List.of(StationMain.class.getName(), name));
        final String run = "echo $$ > " + pidFile() + "; exec " + String.join(" ", java);
        return String.join("\n",
            "mkfifo -m 0666 " + pipe(),
            "( ulimit -l " + (memlockKib > 0 ? Long.toString(memlockKib) : "unlimited"),
            "  " + (root ? "sh" : "su -s /bin/sh " + USER_NAME) + " -c '" + run + "'",
            "  say \"EXIT " + name + " $?\" ) &",
            "await_ready " + name + ' ' + READY.toSeconds(), "");
    }
}
