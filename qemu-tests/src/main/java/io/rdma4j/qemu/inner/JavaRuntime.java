/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.process.Folders;
import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A small Java runtime, linked from the JDK that runs this: only the modules that the driver needs, and an archive of
 * their classes, so that a JVM starts with them and all JVMs share them.
 */
final class JavaRuntime {
    /** Of the driver, Agrona, JNA, and the tools; of its events; of the name service, which asks who its peers are. */
    private static final String MODULES = "java.base,java.logging,java.management,jdk.unsupported,jdk.jfr,jdk.net";
    private static final Duration DEADLINE = Duration.ofMinutes(3);

    private JavaRuntime() {
    }

    /**
     * Links one.
     *
     * @param jdk    the JDK.
     * @param target folder that is made anew.
     * @throws IOException    if files cannot be written.
     * @throws GuestException if the JDK cannot do it; shows what it said.
     */
    static void link(final Path jdk, final Path target) throws IOException {
        final Path jlink = jdk.resolve("bin/jlink");
        if (!Files.isExecutable(jlink)) {
            throw new GuestException(jdk + " has no jlink: it is a JRE; set JAVA_HOME to a whole JDK");
        }
        Folders.delete(target);
        run(List.of(jlink.toString(), "--add-modules", MODULES, "--strip-debug", "--no-header-files",
            "--no-man-pages", "--output", target.toString()));
        run(List.of(target.resolve("bin/java").toString(), "-Xshare:dump", "-XX:+UseSerialGC"));
    }

    private static void run(final List<String> command) {
        final HostCommand.Outcome outcome = HostCommand.run(null, DEADLINE, command);
        if (!outcome.succeeded()) {
            throw new GuestException(String.format("cannot make a Java runtime (exit code %d of %s): %s",
                outcome.exitCode(), String.join(" ", command), outcome.text()));
        }
    }
}
