/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The programs of this host that the harness and its guest need. Looks for all of them first, so that one message
 * names the one command that installs what is missing.
 */
public final class HostTools {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final List<String> FOLDERS =
        List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");
    /** Program to the package that has it, on Debian and Ubuntu. */
    private static final Map<String, String> PACKAGES = packages();

    private HostTools() {
    }

    private static Map<String, String> packages() {
        final Map<String, String> packages = new LinkedHashMap<>();
        packages.put("busybox", "busybox-static");
        packages.put("depmod", "kmod");
        packages.put("ip", "iproute2");
        packages.put("rdma", "iproute2");
        packages.put("ibv_devinfo", "ibverbs-utils");
        packages.put("ib_send_lat", "perftest");
        return packages;
    }

    /**
     * Checks that everything is there and fit.
     *
     * @param qemu the QEMU program, a name or a path.
     * @throws GuestException naming all that is missing and the command that installs it.
     */
    public static void require(final String qemu) {
        final Set<String> missing = new TreeSet<>();
        final Set<String> install = new TreeSet<>();
        if (find(qemu) == null) {
            missing.add(qemu);
            install.add("qemu-system-x86");
        }
        PACKAGES.forEach((program, fromPackage) -> {
            if (find(program) == null) {
                missing.add(program);
                install.add(fromPackage);
            }
        });
        if (!hasRxeProvider()) {
            missing.add("the rxe provider of libibverbs");
            install.add("ibverbs-providers");
        }
        if (!missing.isEmpty()) {
            throw new GuestException("cannot run the fabric guest: " + String.join(", ", missing)
                + " not found; run: sudo apt-get install -y " + String.join(" ", install));
        }
        requireStatic(find("busybox"));
        requirePvrdma(qemu);
    }

    /**
     * Finds a program.
     *
     * @param program a name, looked for in the usual folders, or a path.
     * @return its path, null if there is none.
     */
    public static Path find(final String program) {
        if (program.contains("/")) {
            return Files.isExecutable(Path.of(program)) ? Path.of(program) : null;
        }
        return FOLDERS.stream().map(folder -> Path.of(folder, program)).filter(Files::isExecutable)
            .findFirst().orElse(null);
    }

    /** What runs before any library is there must not need one. */
    private static void requireStatic(final Path busybox) {
        try {
            if (new String(Files.readAllBytes(busybox), StandardCharsets.ISO_8859_1).contains("/ld-linux")) {
                throw new GuestException(busybox + " needs shared libraries, the guest's first program must not; "
                    + "run: sudo apt-get install -y busybox-static");
            }
        } catch (final IOException e) {
            throw new GuestException("cannot read " + busybox, e);
        }
    }

    /** QEMU dropped the device in release 9.1. */
    private static void requirePvrdma(final String qemu) {
        final HostCommand.Outcome help = HostCommand.run(null, DEADLINE, List.of(qemu, "-device", "help"));
        if (!help.text().contains("name \"pvrdma\"")) {
            throw new GuestException(String.format("%s has no device pvrdma (it was there up to QEMU 9.0): %s; "
                + "install an older QEMU, as Debian 12's, and name it with -D%s=/path/to/qemu-system-x86_64",
                qemu, version(qemu), GuestContext.BINARY_PROPERTY));
        }
    }

    /**
     * QEMU's version.
     *
     * @param qemu the QEMU program.
     * @return the first line that it prints about itself.
     */
    static String version(final String qemu) {
        final HostCommand.Outcome version = HostCommand.run(null, DEADLINE, List.of(qemu, "--version"));
        return version.text().lines().findFirst().orElse("(no version)");
    }

    private static boolean hasRxeProvider() {
        final List<Path> places = List.of(Path.of("/usr/lib/x86_64-linux-gnu/libibverbs"),
            Path.of("/usr/lib64/libibverbs"), Path.of("/usr/lib/libibverbs"));
        for (final Path place : places) {
            try (var files = Files.newDirectoryStream(place, "librxe-*.so")) {
                if (files.iterator().hasNext()) {
                    return true;
                }
            } catch (final IOException ignored) {
                // No such folder on this distribution: the next one.
            }
        }
        return false;
    }
}
