/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The first root file system of a guest: busybox, the modules in the order in which they load, and the script that is
 * its first process. Not compressed: the copy is cheaper than unpacking under emulation.
 */
public final class Initramfs {
    private Initramfs() {
    }

    /**
     * Writes the archive.
     *
     * @param target  file that is written anew.
     * @param busybox a static busybox.
     * @param modules module files, in load order.
     * @param init    the script to run as /init.
     * @throws IOException if something cannot be read or written.
     */
    public static void write(final Path target, final Path busybox, final List<Path> modules, final String init)
        throws IOException {
        try (CpioWriter archive = new CpioWriter(new BufferedOutputStream(Files.newOutputStream(target)))) {
            archive.directory("bin").file("bin/busybox", 0755, Files.readAllBytes(busybox));
            archive.directory("etc").file("etc/busybox", 0644, bytes(busybox.toRealPath().toString()));
            archive.directory("modules");
            int number = 100;
            for (final Path module : modules) {
                archive.file("modules/" + number + "-" + KernelModules.nameOf(module.toString()) + ".ko", 0644,
                    KernelModules.load(module));
                number++;
            }
            archive.file("init", 0755, bytes(init));
        }
    }

    /**
     * A script that lies beside this class.
     *
     * @param name its file name.
     * @return its text.
     * @throws IOException if it cannot be read.
     */
    static String script(final String name) throws IOException {
        try (InputStream in = Initramfs.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the build lost the resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
