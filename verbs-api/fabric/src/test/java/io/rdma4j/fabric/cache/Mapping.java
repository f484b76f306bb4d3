/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_NONE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;

import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Addresses that are mapped, unmapped and mapped again. Around them is a range that nobody else gets. */
final class Mapping implements AutoCloseable {
    private static final int FREE = MAP_PRIVATE | MAP_ANONYMOUS;

    final long address;
    final int length;
    private final long reserved;

    Mapping(final int length) {
        this.length = length;
        reserved = Libc.mmap(0, length + 2L * Bench.PAGE, PROT_NONE, FREE, -1, 0);
        address = reserved + Bench.PAGE;
    }

    /** Other pages are behind the addresses: by unmapping and mapping, by mapping over it, by moving, or giving up. */
    UnsafeBuffer renew(final int how) {
        switch (how) {
            case 0 -> {
                Libc.munmap(address, length);
                map(MAP_FIXED);
            }
            case 1 -> map(MAP_FIXED);
            case 2 -> {
                // By pages, as what is locked or watched in part is several mappings.
                for (long page = address; page < address + length; page += Bench.PAGE) {
                    Libc.munmap(AddressSpace.mremap(page, Bench.PAGE, Bench.PAGE,
                        LibcConstants.MREMAP_MAYMOVE | LibcConstants.MREMAP_DONTUNMAP, 0), Bench.PAGE);
                }
            }
            default -> Libc.madvise(address, length, LibcConstants.MADV_DONTNEED);
        }
        return new UnsafeBuffer(address, length);
    }

    UnsafeBuffer map() {
        map(MAP_FIXED);
        return new UnsafeBuffer(address, length);
    }

    private void map(final int flags) {
        Libc.mmap(address, length, PROT_READ | PROT_WRITE, FREE | flags, -1, 0);
    }

    /** KiB that are locked of the mapping that begins here, as the kernel tells. */
    long lockedKib() {
        final List<String> lines;
        try {
            lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        long locked = 0;
        boolean inside = false;
        for (final String line : lines) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                final long start = Long.parseUnsignedLong(line, 0, line.indexOf('-'), 16);
                inside = start >= address && start < address + length;
            } else if (inside && line.startsWith("Locked:")) {
                locked += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return locked;
    }

    @Override
    public void close() {
        Libc.munmap(reserved, length + 2L * Bench.PAGE);
    }
}
