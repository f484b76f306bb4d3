/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.Folders;
import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.CRC32;

/**
 * A kernel that is an ordinary program (User Mode Linux) and has what the host's kernel may lack: a software RDMA
 * device. What runs on it runs at nearly the host's speed, where an emulated machine takes ten to fifty times as long.
 * No distribution builds one with RDMA, so it is built from the distribution's own source package, once, into a cache
 * folder.
 *
 * @param program the kernel.
 * @param clock   a library that tells programs in the guest the time without a system call.
 * @param version what it was built from.
 */
public record UmlKernel(Path program, Path clock, String version) {
    private static final String FOLDER = "uml";
    private static final String PROGRAM = "linux";
    private static final String CLOCK = "clock.so";
    private static final String BUILD = "uml-build.sh";
    /** What a build takes of ours. */
    private static final List<String> RECIPE =
        List.of("uml.config", BUILD, "uml-registers.c", "uml-faults.c", "uml-clock.c");
    private static final String INSTALL = "sudo apt-get install -y ";
    /** Debian 12's, with which QEMU's pvrdma was tried; what Debian and Ubuntu call their newest. */
    private static final List<String> SOURCES = List.of("linux-source-6.1", "linux-source");
    /** What a build takes beside tar and sed, and the package that has it. */
    private static final List<List<String>> TOOLS = List.of(List.of("make", "make"), List.of("gcc", "gcc libc6-dev"),
        List.of("flex", "flex"), List.of("bison", "bison"), List.of("bc", "bc"), List.of("xz", "xz-utils"));
    /** Begins the name of a folder in which something is made. */
    private static final String WORK = "building";
    private static final Duration QUERY = Duration.ofMinutes(5);
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);
    /** Three minutes on two processors that do nothing else. */
    private static final Duration COMPILE = Duration.ofMinutes(40);

    /**
     * Finds the kernel in the cache; builds it if there is none.
     *
     * @param cache the cache folder.
     * @return the kernel.
     * @throws GuestException if it cannot be had; names the command that fixes it.
     */
    public static synchronized UmlKernel prepare(final Path cache) {
        try {
            final Path kernels = Files.createDirectories(cache.resolve(FOLDER));
            try (FileChannel channel = FileChannel.open(
                kernels.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                // Against another test run that builds the same; closing the channel gives it back.
                channel.lock();
                Folders.deleteLeftovers(kernels, WORK);
                final Path built = kernels.resolve(recipe());
                if (!Files.exists(built)) {
                    build(kernels, built);
                }
                return new UmlKernel(built.resolve(PROGRAM), built.resolve(CLOCK),
                    Files.readString(built.resolve("version")).strip());
            }
        } catch (final IOException e) {
            throw new GuestException("cannot prepare the guest's kernel in " + cache, e);
        }
    }

    /** Another recipe makes another kernel. */
    static String recipe() throws IOException {
        final CRC32 sum = new CRC32();
        for (final String part : RECIPE) {
            sum.update(Initramfs.script(part).getBytes(StandardCharsets.UTF_8));
        }
        return Long.toHexString(sum.getValue());
    }

    private static void build(final Path kernels, final Path target) throws IOException {
        requireTools();
        final Path work = Files.createTempDirectory(kernels, WORK);
        try {
            final String source = download(work);
            for (final String part : RECIPE) {
                Files.writeString(work.resolve(part), Initramfs.script(part));
            }
            check("build", HostCommand.run(work, COMPILE, List.of("sh", BUILD)), "df -h " + kernels);
            final Path done = Files.createDirectory(work.resolve("done"));
            for (final String built : List.of(PROGRAM, CLOCK)) {
                Files.move(work.resolve(built), done.resolve(built));
            }
            Files.writeString(done.resolve("version"), source + "\n");
            Files.move(done, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Folders.delete(work);
        }
    }

    private static void requireTools() {
        final List<String> missing = new ArrayList<>();
        final TreeSet<String> install = new TreeSet<>();
        for (final List<String> tool : TOOLS) {
            if (HostTools.find(tool.get(0)) == null) {
                missing.add(tool.get(0));
                install.addAll(Arrays.asList(tool.get(1).split(" ")));
            }
        }
        if (!missing.isEmpty()) {
            throw new GuestException("cannot build the guest's kernel: " + String.join(", ", missing)
                + " not found; run: " + INSTALL + String.join(" ", install));
        }
    }

    /** Unpacks the source package there; its name and version. */
    private static String download(final Path work) throws IOException {
        for (final String name : SOURCES) {
            // A package that only names another one is followed.
            final List<String> names = new ArrayList<>(List.of(name));
            names.addAll(KernelPackages.parse(HostCommand.run(null, QUERY, List.of("apt-cache", "depends", name))
                .text()).stream().filter(found -> found.startsWith("linux-source-")).toList());
            for (final String candidate : names) {
                // What a package is checked against came with the package lists.
                if (HostCommand.run(work, DOWNLOAD, List.of("apt-get", "download", candidate)).succeeded()
                    && unpack(work)) {
                    return candidate;
                }
            }
        }
        throw new GuestException("apt offers no source of the kernel (tried " + SOURCES
            + "); run: sudo apt-get update; or boot the guest in QEMU: -D" + GuestContext.KIND_PROPERTY + "=qemu");
    }

    /** Whether there is a source in the package that lies there. */
    private static boolean unpack(final Path work) throws IOException {
        try (var debs = Files.newDirectoryStream(work, "*.deb")) {
            for (final Path deb : debs) {
                check("unpack", HostCommand.run(null, DOWNLOAD, List.of("dpkg-deb", "-x", deb.toString(),
                    work.toString())), "df -h " + work.getParent());
                Files.delete(deb);
            }
        }
        final Path sources = work.resolve("usr/src");
        if (!Files.isDirectory(sources)) {
            return false;
        }
        try (var archives = Files.newDirectoryStream(sources, "linux-source-*.tar.*")) {
            return archives.iterator().hasNext();
        }
    }

    private static void check(final String what, final HostCommand.Outcome outcome, final String fix) {
        if (!outcome.succeeded()) {
            throw new GuestException(String.format("cannot %s the guest's kernel (exit code %d): %s; look at: %s",
                what, outcome.exitCode(), outcome.text(), fix));
        }
    }
}
