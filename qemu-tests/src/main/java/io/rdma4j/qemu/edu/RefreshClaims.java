/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import static io.rdma4j.qemu.edu.Claims.require;
import static io.rdma4j.qemu.edu.Claims.requireRefusal;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.PciDevice;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Other pages behind the addresses of a mapping. A real IOMMU goes on translating to the pages that it was told of, and
 * keeps them; that it reaches the new ones after a refresh only shows something because it did not before.
 */
final class RefreshClaims {
    private static final int PAGE = 4096;
    private static final int PAGES = 3;
    private static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;

    private final Claims claims;

    RefreshClaims(final Claims claims) {
        this.claims = claims;
    }

    void runAll() {
        claims.run("withoutRefreshDmaHitsTheOldPages", () -> EduClaims.on(this::stale));
        claims.run("afterRefreshDmaHitsTheNewPages", () -> EduClaims.on(this::refreshed));
        claims.run("whatCannotBeRefreshedIsNotReached", () -> EduClaims.on(this::gone));
    }

    /** Fresh pages in place of whatever is there. */
    private static void mapAnew(final long address, final int pages) {
        mapOver(address, pages, READ_WRITE);
    }

    private static void mapOver(final long address, final int pages, final int rights) {
        Libc.mmap(address, (long) pages * PAGE, rights, LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS
            | LibcConstants.MAP_FIXED, -1, 0);
    }

    private static UnsafeBuffer page(final long address, final int seed) {
        final UnsafeBuffer page = new UnsafeBuffer(address, EduDevice.MAX_DMA);
        page.setMemory(0, EduDevice.MAX_DMA, (byte) seed);
        return page;
    }

    /** With some pages that are mapped for DMA. */
    private static String with(final PciDevice pci, final Claim claim) {
        final long address = Libc.mmap(0, (long) PAGES * PAGE, READ_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        try (DmaMapping mapping = pci.dma().map(address, (long) PAGES * PAGE, null)) {
            return claim.check(new EduDevice(pci), address, mapping);
        } finally {
            Libc.munmap(address, (long) PAGES * PAGE);
        }
    }

    private interface Claim {
        String check(EduDevice edu, long address, DmaMapping mapping);
    }

    /** Reads a page of the memory and says which byte stands there, for the device. */
    private static int seen(final EduDevice edu, final long iova, final long scratch, final long scratchIova) {
        edu.fromMemory(iova, EduDevice.MAX_DMA);
        edu.toMemory(scratchIova, EduDevice.MAX_DMA);
        final UnsafeBuffer bytes = new UnsafeBuffer(scratch, EduDevice.MAX_DMA);
        for (int i = 1; i < EduDevice.MAX_DMA; i++) {
            require(bytes.getByte(i) == bytes.getByte(0), "byte " + i + " is another than the first");
        }
        return bytes.getByte(0);
    }

    /** The last page stays as it is: there the device puts what it saw. */
    private String stale(final PciDevice pci) {
        return with(pci, (edu, address, mapping) -> {
            final long scratch = address + (PAGES - 1) * PAGE;
            final long scratchIova = mapping.iova() + (PAGES - 1) * PAGE;
            page(address, 1);
            mapAnew(address, 1);
            page(address, 2);
            final int before = seen(edu, mapping.iova(), scratch, scratchIova);
            page(scratch, 3);
            edu.fromMemory(scratchIova, EduDevice.MAX_DMA);
            edu.toMemory(mapping.iova(), EduDevice.MAX_DMA);
            return require(before == 1 && new UnsafeBuffer(address, 1).getByte(0) == 2,
                "the device reads " + before + ", and what it writes is not seen: "
                    + new UnsafeBuffer(address, 1).getByte(0));
        });
    }

    private String refreshed(final PciDevice pci) {
        require(pci.dma().refreshes(), "VFIO can refresh");
        return with(pci, (edu, address, mapping) -> {
            final long scratch = address + (PAGES - 1) * PAGE;
            final long scratchIova = mapping.iova() + (PAGES - 1) * PAGE;
            final long reachable = pci.dma().reachableBytes();
            page(address, 1);
            page(address + PAGE, 4);
            mapAnew(address, 1);
            page(address, 2);
            mapping.refresh(address, PAGE, true);
            final int after = seen(edu, mapping.iova(), scratch, scratchIova);
            final int beside = seen(edu, mapping.iova() + PAGE, scratch, scratchIova);
            page(scratch, 3);
            edu.fromMemory(scratchIova, EduDevice.MAX_DMA);
            edu.toMemory(mapping.iova(), EduDevice.MAX_DMA);
            final int written = new UnsafeBuffer(address, 1).getByte(0);
            return require(after == 2 && beside == 4 && written == 3 && pci.dma().reachableBytes() == reachable,
                "the device reads " + after + ", beside it " + beside + ", and writes " + written + " at the same "
                    + mapping);
        });
    }

    private static DmaMapping refresh(final DmaMapping mapping, final long address) {
        mapping.refresh(address, PAGE, true);
        return mapping;
    }

    /** Nothing is there any more, and nobody else comes there: free memory may lie below. */
    private static void takeAway(final long address) {
        mapOver(address, 1, LibcConstants.PROT_NONE);
    }

    private String gone(final PciDevice pci) {
        return with(pci, (edu, address, mapping) -> {
            page(address, 9);
            edu.fromMemory(mapping.iova(), EduDevice.MAX_DMA);
            page(address, 7);
            Libc.munmap(address + PAGE, PAGE);
            requireRefusal(() -> refresh(mapping, address + PAGE), RdmaException.EFAULT,
                "0x" + Long.toHexString(address + PAGE));
            edu.toMemory(mapping.iova(), EduDevice.MAX_DMA);
            final int untouched = new UnsafeBuffer(address, 1).getByte(0);
            mapAnew(address + PAGE, 1);
            mapping.refresh(address + PAGE, PAGE, true);
            page(address + PAGE, 8);
            final int mended = seen(edu, mapping.iova() + PAGE, address + 2 * PAGE, mapping.iova() + 2 * PAGE);
            takeAway(address);
            requireRefusal(() -> refresh(mapping, address), RdmaException.EFAULT, "0x" + Long.toHexString(address));
            mapping.close();
            mapAnew(address, 1);
            return require(untouched == 7 && mended == 8 && mapping.isReleased(), "nothing arrived while a page was "
                + "gone; then the device reads " + mended + ", and what cannot be refreshed is closed");
        });
    }
}
