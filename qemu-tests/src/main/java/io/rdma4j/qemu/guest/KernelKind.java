/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.util.List;

/** Which of the distribution's kernels: each in a folder of its own, found through what depends on the newest. */
public enum KernelKind {
    /** With drivers for everything, rdma_rxe among them. */
    FULL("kernel", List.of("linux-image-amd64", "linux-image-generic")),
    /** For virtual machines: smaller, without RDMA, with VFIO and the IOMMU. */
    SMALL("kernel-small", List.of("linux-image-cloud-amd64", "linux-image-virtual"));

    private final String folder;
    private final List<String> entryPoints;

    KernelKind(final String folder, final List<String> entryPoints) {
        this.folder = folder;
        this.entryPoints = entryPoints;
    }

    /** Below the cache. */
    String folder() {
        return folder;
    }

    /** Debian's name, then Ubuntu's. */
    List<String> entryPoints() {
        return entryPoints;
    }
}
