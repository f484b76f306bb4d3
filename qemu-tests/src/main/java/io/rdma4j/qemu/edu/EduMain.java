/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import io.rdma4j.qemu.guest.ResultWriter;

import java.io.IOException;

/**
 * Runs all claims about VFIO on the simple devices of the guest, in one JVM; reports with {@link ResultWriter}.
 */
public final class EduMain {
    /** Slot of the two functions that share an IOMMU group. */
    static final String SHARED_SLOT = "10";
    /** Slot of the function that has a group of its own. */
    static final String SINGLE_SLOT = "11";
    /** Slot of the device that has MSI-X. */
    static final String ROCKER_SLOT = "12";
    /** Slot of the device that has I/O ports. */
    static final String TESTDEV_SLOT = "13";

    private EduMain() {
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out)) {
            final EduClaims claims = new EduClaims(results);
            claims.prepare();
            claims.runAll();
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }
}
