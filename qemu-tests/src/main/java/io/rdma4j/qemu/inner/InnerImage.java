/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.GuestKernel;
import io.rdma4j.qemu.guest.HostTools;
import io.rdma4j.qemu.guest.KernelKind;
import io.rdma4j.qemu.process.Folders;
import io.rdma4j.testing.OtherJvm;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What an inner guest boots from: a kernel, and a root file system with a Java runtime and this JVM's class path. Made
 * on this host, used by {@link InnerGuest} inside the fabric guest. Either for a machine with an IOMMU, or for one
 * without, with modules that can do without.
 *
 * @param folder where both are.
 */
public record InnerImage(Path folder) implements AutoCloseable {
    /** Is in the folder of an image for a machine without an IOMMU. */
    private static final String WITHOUT_IOMMU = "without-iommu";

    /** The kernel that it is made of. */
    static GuestKernel sourceKernel() {
        return GuestKernel.prepare(GuestContext.defaultCache(), KernelKind.SMALL);
    }

    /**
     * Makes them with this JVM's JDK and class path.
     *
     * @param folder   made anew.
     * @param modules  folder of modules that replace the kernel's of that name, for a machine without an IOMMU; null
     *                 for one that has one.
     * @param progress gets a line.
     * @return the image; closing it deletes its files.
     * @throws GuestException if a tool or the kernel cannot be had; names the command that fixes it.
     */
    static InnerImage make(final Path folder, final Path modules, final PrintStream progress) {
        HostTools.require(GuestContext.defaultBinary());
        final GuestKernel kernel = sourceKernel();
        final InnerImage image = new InnerImage(folder.toAbsolutePath());
        try {
            Folders.delete(folder);
            Files.createDirectories(folder);
            Files.createSymbolicLink(image.kernel(), kernel.image());
            if (modules != null) {
                Files.createFile(folder.resolve(WITHOUT_IOMMU));
            }
            final Path runtime = image.folder.resolve("jre");
            JavaRuntime.link(Path.of(System.getProperty("java.home")), runtime);
            InnerRoot.write(image.root(), HostTools.find("busybox"), kernel, modules, runtime,
                OtherJvm.classPathEntries(), OtherJvm.neededOptions());
            Folders.delete(runtime);
            progress.printf("[inner] made: Linux %s, root file system of %d MiB%n", kernel.version(),
                Files.size(image.root()) / (1 << 20));
            return image;
        } catch (final IOException e) {
            throw new GuestException("cannot prepare the inner guest in " + folder + ": " + e, e);
        }
    }

    /** Whether its machine has an IOMMU. */
    boolean hasIommu() {
        return Files.notExists(folder.resolve(WITHOUT_IOMMU));
    }

    /** The kernel's image. */
    Path kernel() {
        return folder.resolve("vmlinuz");
    }

    /** The archive with the first root file system, which is the only one. */
    Path root() {
        return folder.resolve("initramfs.cpio");
    }

    /** Deletes the files. Harmless when called again. */
    @Override
    public void close() {
        try {
            Folders.delete(folder);
        } catch (final IOException e) {
            throw new GuestException("cannot delete " + folder, e);
        }
    }
}
