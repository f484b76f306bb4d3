/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The RAM of the stopped machine, mapped from the file that QEMU backs it with: what this process stores, the device
 * reads, without a copy. An address on the bus is an offset in the file, as there is no IOMMU.
 *
 * <pre>
 *   0          ... 0xfffff    never used: address 0 means "none" to the device, and a PC has holes in its first MiB
 *   0x100000                  one page for the words that MSI-X vectors write to
 *   0x101000   ... end        DMA memory
 * </pre>
 */
final class GuestRam {
    static final long INTERRUPT_PAGE = 0x10_0000;
    static final long FIRST_DMA = INTERRUPT_PAGE + DmaDomain.PAGE_SIZE;
    private static final long LARGEST = 0x8000_0000L - DmaDomain.PAGE_SIZE;

    private final ByteBuffer memory;

    private GuestRam(final ByteBuffer memory) {
        this.memory = memory;
    }

    /**
     * Maps the file. The mapping ends when nobody holds it or a part of it any more.
     *
     * @param path what QEMU's memory-backend-file has as mem-path, with share=on.
     * @return the memory.
     * @throws RdmaException ENOENT if it cannot be mapped, EINVAL if its size cannot be right.
     */
    static GuestRam map(final Path path) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final long size = file.size();
            if (size < FIRST_DMA + DmaDomain.PAGE_SIZE || size > LARGEST || size % DmaDomain.PAGE_SIZE != 0) {
                throw RdmaException.of("map guest RAM").object(path)
                    .detail("it has %d bytes; whole pages from %d to %d are possible", size,
                        FIRST_DMA + DmaDomain.PAGE_SIZE, LARGEST)
                    .errno(RdmaException.EINVAL)
                    .hint("give QEMU's -m, the size of its memory-backend-file, and ram= the same memory").build();
            }
            return new GuestRam(file.map(FileChannel.MapMode.READ_WRITE, 0, size));
        } catch (final IOException e) {
            throw RdmaException.of("map guest RAM").object(path).detail("%s", e)
                .errno(RdmaException.ENOENT)
                .hint("ram= names the mem-path of QEMU's memory-backend-file").cause(e).build();
        }
    }

    long size() {
        return memory.capacity();
    }

    /** A part, which keeps the whole mapping alive; its byte order is Java's default. */
    ByteBuffer part(final long address, final long length) {
        return memory.slice(Math.toIntExact(address), Math.toIntExact(length));
    }
}
