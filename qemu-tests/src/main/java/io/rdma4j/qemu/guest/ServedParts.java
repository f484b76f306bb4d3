/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a guest takes whose RDMA devices other processes serve, by the vfio-user protocol: a QEMU that speaks it, newer
 * than that of Debian 12, and Linux' driver for the device, which Debian's kernels come without.
 *
 * @param packages the QEMU, unpacked.
 * @param kernel   the guest's.
 * @param driver   the module for it.
 */
public record ServedParts(UnpackedPackages packages, GuestKernel kernel, Path driver) {
    /** What it was tried with; the archive may have a later one. */
    public static final String TRIED = "1:11.1.2+ds-3";
    /** Why there are none, and what helps. */
    public static final String MISSING = "the package archive cannot be reached, or has not (any more) the newer QEMU, "
        + "or headers and source of the kernel in the cache: Linux' driver judges nothing here. Run: sudo apt-get "
        + "update; or delete the folder kernel of the cache, to get a newer kernel";
    private static final String QEMU = "qemu-system-x86";
    private static final String RELEASE = "forky";
    private static final String LIBRARIES = "usr/lib/x86_64-linux-gnu";

    /**
     * Finds all in the cache; downloads and builds what is not there.
     *
     * @return empty if the archive cannot be reached, or does not have it (any more).
     * @throws GuestException if something cannot be unpacked or built.
     */
    public static Optional<ServedParts> prepare() {
        final Path cache = GuestContext.defaultCache();
        final Optional<UnpackedPackages> qemu =
            UnpackedPackages.ofRelease(cache, "qemu-" + RELEASE, RELEASE, QEMU);
        if (qemu.isEmpty()) {
            return Optional.empty();
        }
        final GuestKernel kernel = GuestKernel.prepare(cache);
        return BuiltModules.VMW_PVRDMA.prepare(cache, kernel)
            .map(folder -> new ServedParts(qemu.get(), kernel, folder.resolve("vmw_pvrdma.ko")));
    }

    /** By its own loader and libraries. Without the variable it would load modules of an installed QEMU, and abort. */
    List<String> qemu() {
        final Path root = packages.root();
        return List.of("env", "QEMU_MODULE_DIR=" + root.resolve(LIBRARIES + "/qemu"),
            root.resolve("usr/lib64/ld-linux-x86-64.so.2").toString(), "--library-path",
            root.resolve(LIBRARIES).toString(), root.resolve("usr/bin/qemu-system-x86_64").toString(),
            "-L", root.resolve("usr/share/qemu").toString(), "-L", root.resolve("usr/share/seabios").toString());
    }

    /**
     * Which QEMU.
     *
     * @return for people.
     */
    public String qemuVersion() {
        final String version = packages.version(QEMU);
        return "QEMU " + version + (version.equals(TRIED) ? "" : ", not " + TRIED + ", with which it was tried");
    }
}
