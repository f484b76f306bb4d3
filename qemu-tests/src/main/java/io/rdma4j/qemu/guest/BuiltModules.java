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
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Modules that a kernel of the distribution comes without: built from the distribution's own source package, once, into
 * a cache folder. That takes seconds.
 */
public enum BuiltModules {
    /** VFIO's, with the mode that does without an IOMMU. */
    VFIO_WITHOUT_IOMMU("vfio-noiommu", "vfio-build.sh"),
    /** Linux' own driver for the paravirtual RDMA device. */
    VMW_PVRDMA("vmw-pvrdma", "pvrdma-build.sh");

    /** Begins the name of a folder in which something is made. */
    private static final String WORK = "building";
    private static final Duration QUERY = Duration.ofMinutes(5);
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);
    private static final Duration COMPILE = Duration.ofMinutes(10);
    /** "6.1" of "6.1.0-56-cloud-amd64": part of the name of the source's package. */
    private static final Pattern SERIES = Pattern.compile("(\\d+\\.\\d+)\\..*");
    /** The version in the name of a package's file. */
    private static final Pattern PACKAGE_FILE = Pattern.compile("[^_]+_([^_]+)_[^_]+\\.deb");

    private final String folder;
    private final String script;

    BuiltModules(final String folder, final String script) {
        this.folder = folder;
        this.script = script;
    }

    /**
     * Finds the modules in the cache; builds them if there are none.
     *
     * @param cache  the cache folder.
     * @param kernel that they are for.
     * @return the folder that has them; empty if the archive cannot be reached, or does not have headers and source of
     *         that kernel (any more).
     * @throws GuestException if they cannot be built; shows what the compiler said.
     */
    public Optional<Path> prepare(final Path cache, final GuestKernel kernel) {
        synchronized (BuiltModules.class) {
            return prepareAlone(cache, kernel);
        }
    }

    private Optional<Path> prepareAlone(final Path cache, final GuestKernel kernel) {
        try {
            final Path all = Files.createDirectories(cache.resolve(folder));
            try (FileChannel channel = FileChannel.open(
                all.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                // Against another test run that builds the same; closing the channel gives it back.
                channel.lock();
                Folders.deleteLeftovers(all, WORK);
                final Path built = all.resolve(kernel.version() + '-' + recipe());
                return Files.exists(built) || build(all, built, kernel.version()) ? Optional.of(built)
                    : Optional.empty();
            }
        } catch (final IOException e) {
            throw new GuestException("cannot prepare modules in " + cache.resolve(folder), e);
        }
    }

    String recipe() throws IOException {
        final CRC32 sum = new CRC32();
        sum.update(Initramfs.script(script).getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(sum.getValue());
    }

    private boolean build(final Path all, final Path target, final String version) throws IOException {
        final Path work = Files.createTempDirectory(all, WORK);
        try {
            if (!download(work, version)) {
                return false;
            }
            Files.writeString(work.resolve(script), Initramfs.script(script));
            check("build", HostCommand.run(work, COMPILE, List.of("sh", script, version)));
            Files.move(work.resolve("done"), target, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } finally {
            Folders.delete(work);
        }
    }

    /** Unpacks headers, with what they depend on, and the source that they were made of. */
    private static boolean download(final Path work, final String version) throws IOException {
        final String headers = "linux-headers-" + version;
        final List<String> names = new ArrayList<>(List.of(headers));
        names.addAll(KernelPackages.parse(HostCommand.run(null, QUERY, List.of("apt-cache", "depends", headers))
            .text()).stream().filter(name -> name.matches("linux-(headers|kbuild)-.*")).toList());
        final Matcher series = SERIES.matcher(version);
        return names.size() > 1 && series.matches() && get(work, names)
            && get(work, List.of("linux-source-" + series.group(1) + '=' + versionOf(work, headers)))
            && unpack(work);
    }

    private static boolean get(final Path work, final List<String> packages) {
        final List<String> command = new ArrayList<>(List.of("apt-get", "download"));
        command.addAll(packages);
        return HostCommand.run(work, DOWNLOAD, command).succeeded();
    }

    private static String versionOf(final Path work, final String name) throws IOException {
        try (var files = Files.newDirectoryStream(work, name + "_*.deb")) {
            final Matcher file = PACKAGE_FILE.matcher(files.iterator().next().getFileName().toString());
            return file.matches() ? file.group(1).replace("%3a", ":") : "";
        }
    }

    private static boolean unpack(final Path work) throws IOException {
        try (var debs = Files.newDirectoryStream(work, "*.deb")) {
            for (final Path deb : debs) {
                check("unpack", HostCommand.run(null, DOWNLOAD, List.of("dpkg-deb", "-x", deb.toString(),
                    work.toString())));
            }
        }
        return true;
    }

    private static void check(final String what, final HostCommand.Outcome outcome) {
        if (!outcome.succeeded()) {
            throw new GuestException(String.format("cannot %s modules of the kernel (exit code %d): %s", what,
                outcome.exitCode(), outcome.text()));
        }
    }
}
