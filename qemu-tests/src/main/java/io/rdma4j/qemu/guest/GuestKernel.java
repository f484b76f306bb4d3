/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.Folders;
import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The guest's kernel: the distribution's own package, downloaded and unpacked once into a cache folder, never
 * installed.
 *
 * @param image   the bootable image.
 * @param modules the folder of its modules, with modules.dep in it.
 * @param version what the kernel calls itself.
 */
public record GuestKernel(Path image, Path modules, String version) {
    /** Begins the name of a folder in which something is made. */
    private static final String WORK = "unpacking";
    private static final Duration QUERY = Duration.ofMinutes(5);
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);
    private static final Duration UNPACK = Duration.ofMinutes(5);
    private static final String COMPLETE = "complete";
    /** In a boot image: where, from 0x200, its version text begins. */
    private static final int VERSION_POINTER = 0x20e;
    private static final int VERSION_BASE = 0x200;
    private static final int VERSION_LENGTH = 256;

    /**
     * Finds the kernel in the cache; downloads and unpacks it if there is none.
     *
     * @param cache the cache folder.
     * @return the kernel.
     * @throws GuestException if it cannot be had; names the command that fixes it.
     */
    public static GuestKernel prepare(final Path cache) {
        return prepare(cache, KernelKind.FULL);
    }

    /**
     * Finds a kernel in the cache; downloads and unpacks it if there is none.
     *
     * @param cache the cache folder.
     * @param kind  which one.
     * @return the kernel.
     * @throws GuestException if it cannot be had; names the command that fixes it.
     */
    public static synchronized GuestKernel prepare(final Path cache, final KernelKind kind) {
        try {
            final Path kernels = Files.createDirectories(cache.resolve(kind.folder()));
            try (FileChannel channel = FileChannel.open(
                kernels.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                // Against another build that unpacks the same; closing the channel gives it back.
                channel.lock();
                Folders.deleteLeftovers(kernels, WORK);
                final Optional<Path> cached = newest(kernels);
                return at(cached.isPresent() ? cached.get() : download(kernels, kind));
            }
        } catch (final IOException e) {
            throw new GuestException("cannot prepare the guest's kernel in " + cache, e);
        }
    }

    private static Optional<Path> newest(final Path kernels) throws IOException {
        try (Stream<Path> folders = Files.list(kernels)) {
            return folders.filter(folder -> Files.exists(folder.resolve(COMPLETE)))
                .max(Comparator.comparing(folder -> folder.resolve(COMPLETE).toFile().lastModified()));
        }
    }

    /**
     * The kernel that was unpacked to a folder.
     *
     * @param root where boot and lib (or usr/lib) are.
     * @return the kernel, checked: the image says that it is of the version that its modules are for.
     * @throws IOException    if it cannot be read.
     * @throws GuestException if the image or the modules are missing or do not belong together.
     */
    static GuestKernel at(final Path root) throws IOException {
        final Path image = only(root.resolve("boot"), "vmlinuz-*");
        final String version = image.getFileName().toString().substring("vmlinuz-".length());
        final Path plain = root.resolve("lib/modules").resolve(version);
        final Path modules = Files.isDirectory(plain) ? plain : root.resolve("usr/lib/modules").resolve(version);
        if (!Files.isDirectory(modules)) {
            throw new GuestException("kernel " + version + " in " + root + " has no modules; delete that folder");
        }
        final String said = versionOf(image);
        if (!said.startsWith(version + " ")) {
            throw new GuestException(
                image + " says that it is '" + said + "', expected " + version + "; delete " + root);
        }
        return new GuestKernel(image, modules, version);
    }

    /**
     * What a boot image says about itself.
     *
     * @param image an x86 bzImage.
     * @return its version text, such as "6.1.0-56-amd64 (debian-kernel@...".
     * @throws IOException if it cannot be read.
     */
    static String versionOf(final Path image) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "r")) {
            file.seek(VERSION_POINTER);
            final int pointer = file.read() | file.read() << 8;
            file.seek(VERSION_BASE + pointer);
            final byte[] text = new byte[VERSION_LENGTH];
            final int length = Math.max(0, file.read(text));
            final String said = new String(text, 0, length, StandardCharsets.ISO_8859_1);
            final int end = said.indexOf(0);
            return end < 0 ? said : said.substring(0, end);
        }
    }

    private static Path download(final Path kernels, final KernelKind kind) throws IOException {
        final List<String> packages = KernelPackages.resolve(kind.entryPoints(), GuestKernel::dependsOf);
        if (packages.isEmpty()) {
            throw new GuestException("apt knows no kernel package (tried " + kind.entryPoints()
                + "); run: sudo apt-get update");
        }
        final Path work = Files.createTempDirectory(kernels, WORK);
        try {
            final Path debs = Files.createDirectory(work.resolve("debs"));
            final List<String> get = new ArrayList<>(List.of("apt-get", "download"));
            get.addAll(packages);
            // What a package is checked against came with the package lists.
            check("download", HostCommand.run(debs, DOWNLOAD, get), "sudo apt-get update");
            final Path root = Files.createDirectory(work.resolve("root"));
            for (final Path deb : list(debs, "*.deb")) {
                check("unpack", HostCommand.run(null, UNPACK, List.of(
                    "dpkg-deb", "-x", deb.toString(), root.toString())), "df -h " + kernels);
            }
            final GuestKernel kernel = at(root);
            check("index the modules of", HostCommand.run(null, UNPACK, List.of(
                String.valueOf(HostTools.find("depmod")), "-b",
                kernel.modules.getParent().getParent().getParent().toString(), kernel.version)),
                "sudo apt-get install -y kmod");
            final String name = list(debs, packages.get(0) + "_*.deb").get(0).getFileName().toString();
            Files.writeString(root.resolve(COMPLETE), String.join("\n", packages) + "\n" + name + "\n");
            return Files.move(root, kernels.resolve(name.replace(".deb", "")), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Folders.delete(work);
        }
    }

    private static List<String> dependsOf(final String name) {
        final HostCommand.Outcome depends = HostCommand.run(null, QUERY, List.of("apt-cache", "depends", name));
        return depends.succeeded() ? KernelPackages.parse(depends.text()) : List.of();
    }

    private static void check(final String what, final HostCommand.Outcome outcome, final String fix) {
        if (!outcome.succeeded()) {
            throw new GuestException(String.format("cannot %s the guest's kernel (exit code %d): %s; run: %s",
                what, outcome.exitCode(), outcome.text(), fix));
        }
    }

    private static Path only(final Path folder, final String glob) throws IOException {
        final List<Path> found = Files.isDirectory(folder) ? list(folder, glob) : List.of();
        if (found.size() != 1) {
            throw new GuestException("expected one " + glob + " in " + folder + ", found " + found);
        }
        return found.get(0);
    }

    private static List<Path> list(final Path folder, final String glob) throws IOException {
        final List<Path> found = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder, glob)) {
            files.forEach(found::add);
        }
        found.sort(Comparator.naturalOrder());
        return found;
    }
}
