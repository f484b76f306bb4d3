/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The modules of one kernel and what they need of each other, as {@code depmod} wrote it down.
 */
public final class KernelModules {
    private static final Duration UNPACK = Duration.ofSeconds(30);

    private final Path folder;
    private final Map<String, String> pathByName = new HashMap<>();
    private final Map<String, List<String>> needsByName = new HashMap<>();

    private KernelModules(final Path folder, final List<String> moduleDep) {
        this.folder = folder;
        for (final String line : moduleDep) {
            final int colon = line.indexOf(':');
            if (colon > 0) {
                final String path = line.substring(0, colon);
                final String needs = line.substring(colon + 1).strip();
                pathByName.put(nameOf(path), path);
                needsByName.put(nameOf(path), needs.isEmpty() ? List.of() : List.of(needs.split(" +")));
            }
        }
    }

    /**
     * Reads {@code modules.dep}.
     *
     * @param folder where it is, and the modules below it: {@code .../lib/modules/VERSION}.
     * @return the modules of that kernel.
     * @throws IOException if it cannot be read.
     */
    public static KernelModules read(final Path folder) throws IOException {
        return new KernelModules(folder, Files.readAllLines(folder.resolve("modules.dep")));
    }

    /**
     * The files to load, each after those that it needs, none twice.
     *
     * @param names modules, with '-' or '_'.
     * @return their files and those of what they need, in an order in which they can be loaded.
     * @throws IllegalArgumentException if this kernel has no such module.
     */
    public List<Path> inLoadOrder(final Collection<String> names) {
        final Set<String> order = new LinkedHashSet<>();
        names.forEach(name -> visit(name.replace('-', '_'), order));
        return order.stream().map(name -> folder.resolve(pathByName.get(name))).toList();
    }

    private void visit(final String name, final Set<String> order) {
        final List<String> needs = needsByName.get(name);
        if (needs == null) {
            throw new IllegalArgumentException(
                "kernel in " + folder + " has no module '" + name + "'; is it built in, or in another package?");
        }
        if (!order.contains(name)) {
            // modules.dep lists the direct need first and the deepest last.
            final List<String> deepestFirst = new ArrayList<>(needs);
            Collections.reverse(deepestFirst);
            deepestFirst.forEach(path -> visit(nameOf(path), order));
            order.add(name);
        }
    }

    /**
     * Whether this kernel has a module.
     *
     * @param name with '-' or '_'.
     * @return false if it is built in or absent.
     */
    public boolean has(final String name) {
        return pathByName.containsKey(name.replace('-', '_'));
    }

    /**
     * The module's name without folder and endings.
     *
     * @param path such as {@code kernel/net/9p/9pnet_virtio.ko.xz}.
     * @return such as {@code 9pnet_virtio}, with '_' for '-'.
     */
    static String nameOf(final String path) {
        final String file = path.substring(path.lastIndexOf('/') + 1);
        return file.substring(0, file.indexOf(".ko")).replace('-', '_');
    }

    /**
     * The bytes of a module, unpacked if the distribution compressed it.
     *
     * @param file a module as {@link #inLoadOrder} names it.
     * @return an ELF object that can be loaded.
     * @throws IOException if it cannot be read or unpacked.
     */
    public static byte[] load(final Path file) throws IOException {
        final String name = file.toString();
        if (name.endsWith(".ko")) {
            return Files.readAllBytes(file);
        }
        final String tool = name.endsWith(".xz") ? "xz" : name.endsWith(".zst") ? "zstd" : "gzip";
        final HostCommand.Outcome unpacked = HostCommand.output(UNPACK, List.of(tool, "-dc", name));
        if (!unpacked.succeeded()) {
            throw new IOException("cannot unpack " + name + " with " + tool + " (exit code " + unpacked.exitCode()
                + "); run: apt-get install -y xz-utils zstd gzip");
        }
        return unpacked.output();
    }
}
