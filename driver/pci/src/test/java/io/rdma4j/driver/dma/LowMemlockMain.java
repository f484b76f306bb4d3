/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.agrona.BufferUtil;

/** Runs in a JVM that may lock 1 MiB, and says what happens. */
final class LowMemlockMain {
    private static final int KIB = 1024;

    private LowMemlockMain() {
    }

    public static void main(final String[] args) throws IOException {
        final FakeIommu iommu = new FakeIommu();
        final IommuDmaDomain domain = new IommuDmaDomain(new PinningIommu(iommu, PagePins.process()),
            new IovaAllocator(List.of(new IovaAllocator.Range(4096, 1L << 30))), "test:");
        final DmaMemory most = domain.allocate(900 * KIB);
        System.out.println("first: locked " + locked());
        try {
            domain.allocate(200 * KIB);
        } catch (final RdmaException e) {
            System.out.println("second: " + e.getMessage());
        }
        final ByteBuffer buffer = ByteBuffer.allocateDirect(800 * KIB);
        final int offset = (int) (-BufferUtil.address(buffer) & Extent.WINDOW - 1);
        final DmaMapping page = domain.map(BufferUtil.address(buffer) + offset, 10, buffer);
        System.out.println("third: " + page.length() + " instead of a window, locked " + locked());
        page.close();
        most.close();
        System.out.println("end: locked " + locked() + ", mappings " + iommu.mappings() + ", pinned "
            + PagePins.process().pinnedBytes());
    }

    private static String locked() throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmLck:")) {
                return line.replaceAll("[^0-9]", "");
            }
        }
        return "?";
    }
}
