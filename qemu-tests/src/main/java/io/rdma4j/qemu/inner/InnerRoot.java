/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.CpioWriter;
import io.rdma4j.qemu.guest.GuestKernel;
import io.rdma4j.qemu.guest.KernelModules;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The inner guest's root file system: busybox, modules, a Java runtime with the libraries that it needs, the class path
 * and the script that is the first process. No distribution.
 */
final class InnerRoot {
    /** What the IOMMU and VFIO need beyond what is built into the kernel. */
    private static final List<String> MODULES = List.of("vfio_iommu_type1", "vfio-pci");
    /** The same where there is no IOMMU. */
    private static final List<String> MODULES_WITHOUT_IOMMU = List.of("vfio-pci");
    /** Jars for the stations: test libraries stay outside. */
    private static final List<String> JARS =
        List.of("rdma4j-", "agrona-", "jna-", "gson-", "picocli-", "HdrHistogram-");

    private final CpioWriter archive;
    private final Set<String> directories = new HashSet<>();

    private InnerRoot(final CpioWriter archive) {
        this.archive = archive;
    }

    /**
     * Writes it.
     *
     * @param target    file that is written anew.
     * @param busybox   a static busybox.
     * @param kernel    whose modules are needed.
     * @param modules   folder of those that replace them, for a machine without an IOMMU; null for one that has one.
     * @param runtime   the Java runtime.
     * @param classPath this JVM's class path.
     * @param options   options of the JVMs.
     * @throws IOException if something cannot be read or written.
     */
    static void write(
        final Path target, final Path busybox, final GuestKernel kernel, final Path modules, final Path runtime,
        final List<Path> classPath, final List<String> options) throws IOException {
        try (CpioWriter archive = new CpioWriter(new BufferedOutputStream(Files.newOutputStream(target)))) {
            final InnerRoot root = new InnerRoot(archive);
            root.file("bin/busybox", 0755, Files.readAllBytes(busybox));
            root.text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"
                + Station.USER_NAME + ":x:1000:1000:without rights:/tmp:/bin/sh\n");
            root.text("etc/group", "root:x:0:\n" + Station.USER_NAME + ":x:1000:\n");
            root.modules(KernelModules.read(kernel.modules()).inLoadOrder(
                modules == null ? MODULES : MODULES_WITHOUT_IOMMU), modules);
            root.tree("jre", runtime);
            for (final Path library : SharedLibraries.of(
                List.of(runtime.resolve("bin/java"), runtime.resolve("lib/server/libjvm.so")))) {
                root.file(library.toString().substring(1), 0755, Files.readAllBytes(library));
            }
            final List<String> guestPath = root.classPath(classPath);
            root.text("etc/stations.sh", stations(guestPath, options));
            root.file("init", 0755, script().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void modules(final List<Path> files, final Path instead) throws IOException {
        int number = 100;
        for (final Path module : files) {
            final String name = module.getFileName().toString();
            final String plain = name.substring(0, name.indexOf(".ko")) + ".ko";
            final boolean replaced = instead != null && Files.exists(instead.resolve(plain));
            file("modules/" + number + '-' + plain, 0644,
                KernelModules.load(replaced ? instead.resolve(plain) : module));
            number++;
        }
    }

    /** Names in the guest, in the order of the class path. */
    private List<String> classPath(final List<Path> entries) throws IOException {
        final List<String> names = new ArrayList<>();
        for (final Path entry : entries) {
            final String file = entry.getFileName().toString();
            if (Files.isDirectory(entry) && file.equals("classes")) {
                names.add("/app/" + names.size());
                tree("app/" + (names.size() - 1), entry);
            } else if (Files.isRegularFile(entry) && JARS.stream().anyMatch(file::startsWith)) {
                names.add("/app/" + file);
                file("app/" + file, 0644, Files.readAllBytes(entry));
            }
        }
        return names;
    }

    /** What the first process reads: how each station is started. */
    static String stations(final List<String> classPath, final List<String> options) {
        final List<String> java = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData", "-Xshare:auto", "-ea", "-Djava.io.tmpdir=/tmp", "-Djna.tmpdir=/tmp"));
        // A guest within a guest takes its time, and more where others want the processor too.
        java.add("-Drdma4j.resolve.timeout.ms=120000");
        java.addAll(options);
        java.addAll(List.of("-cp", String.join(":", classPath)));
        final StringBuilder script = new StringBuilder();
        Station.ALL.forEach(station -> script.append(station.start(java)));
        return script.toString();
    }

    private void tree(final String name, final Path folder) throws IOException {
        final List<Path> all;
        try (Stream<Path> paths = Files.walk(folder)) {
            all = paths.filter(Files::isRegularFile).sorted().toList();
        }
        for (final Path path : all) {
            file(name + '/' + folder.relativize(path), Files.isExecutable(path) ? 0755 : 0644,
                Files.readAllBytes(path));
        }
    }

    private void text(final String name, final String text) throws IOException {
        file(name, 0644, text.getBytes(StandardCharsets.UTF_8));
    }

    private void file(final String name, final int permissions, final byte[] data) throws IOException {
        for (int slash = name.indexOf('/'); slash > 0; slash = name.indexOf('/', slash + 1)) {
            if (directories.add(name.substring(0, slash))) {
                archive.directory(name.substring(0, slash));
            }
        }
        archive.file(name, permissions, data);
    }

    private static String script() throws IOException {
        try (InputStream in = InnerRoot.class.getResourceAsStream("inner-init.sh")) {
            if (in == null) {
                throw new IOException("the build lost the resource inner-init.sh");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
