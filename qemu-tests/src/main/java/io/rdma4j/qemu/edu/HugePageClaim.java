/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import static io.rdma4j.qemu.edu.Claims.require;

import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.HugePagePool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** DMA memory on a page of 2 MiB: the kernel says so, the device reaches it, and the page goes back. */
final class HugePageClaim {
    private static final Path POOL = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    private static final int SIZE = 2 << 20;
    private static final int ROUNDS = 100;
    private static final int PAUSE_MILLIS = 20;

    String check() throws IOException, InterruptedException {
        Machine.write(POOL, "4");
        try {
            final long before = free();
            require(before >= 2, "the guest has only " + before + " free pages of 2 MiB");
            final String seen = use(before);
            for (int i = 0; i < ROUNDS && free() < before; i++) {
                System.gc();
                Thread.sleep(PAUSE_MILLIS);
            }
            return require(free() == before, seen + "; free pages before " + before + ", after " + free());
        } finally {
            Machine.write(POOL, "0");
        }
    }

    private static String use(final long before) throws IOException {
        try (PciDevice pci = EduClaims.open(EduClaims.SINGLE + "?pages=2M");
            DmaMemory memory = pci.dma().allocate(SIZE)) {
            final String page = kernelPageSize(memory.address());
            final long taken = before - free();
            require(page.equals("2048 kB") && taken == 1 && memory.iova() % SIZE == 0,
                "KernelPageSize " + page + ", taken " + taken + ", " + memory);
            final int length = EduDevice.MAX_DMA;
            return EduClaims.there(pci, memory.buffer(0, length), memory.iova(),
                memory.buffer(SIZE - length, length), memory.iova() + SIZE - length) + ", " + page + ", " + memory;
        }
    }

    /** Of the mapping that has an address, as /proc/self/smaps says it. */
    private static String kernelPageSize(final long address) throws IOException {
        boolean here = false;
        for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            final String first = line.split(" ", 2)[0];
            if (first.matches("[0-9a-f]+-[0-9a-f]+")) {
                final String[] ends = first.split("-");
                here = Long.parseUnsignedLong(ends[0], 16) <= address
                    && address < Long.parseUnsignedLong(ends[1], 16);
            } else if (here && first.equals("KernelPageSize:")) {
                return line.substring(first.length()).strip();
            }
        }
        return "unknown";
    }

    private static long free() {
        return new HostFacts().hugePagePools().stream().filter(pool -> pool.pageSize() == SIZE)
            .mapToLong(HugePagePool::free).findFirst().orElse(-1);
    }
}
