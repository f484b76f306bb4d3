/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.DmaDomain;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.agrona.concurrent.UnsafeBuffer;

/** Memory of Linux: hugepages of a pool through memfd, transparent hugepages, ordinary pages. */
final class LinuxPages implements PageSource {
    static final LinuxPages INSTANCE = new LinuxPages(Path.of("/sys/kernel/mm"));

    private static final Cleaner CLEANER = Cleaner.create();
    private static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;

    private final Path settings;
    private final Map<PageKind, AtomicLong> retired = new EnumMap<>(PageKind.class);

    /** Memory management's folder in /sys, or one like it. */
    LinuxPages(final Path settings) {
        this.settings = settings;
        for (final PageKind kind : PageKind.values()) {
            retired.put(kind, new AtomicLong());
        }
    }

    @Override
    public HostBlock allocate(final PageKind kind, final int length) {
        switch (kind) {
            case GB1:
                return ofPool(kind, length, LibcConstants.MFD_HUGE_1GB);
            case MB2:
                return ofPool(kind, length, LibcConstants.MFD_HUGE_2MB);
            case THP:
                return transparent(length);
            default:
                return ordinary(length);
        }
    }

    /**
     * Filling the file takes the pages from the pool, or says that there are too few. To find that out by touching
     * would be a SIGBUS.
     */
    private HostBlock ofPool(final PageKind kind, final int length, final int size) {
        final long bytes = kind.roundUp(length);
        final int fd = Libc.memfdCreate("rdma4j", LibcConstants.MFD_HUGETLB | size);
        try {
            Libc.ftruncate(fd, bytes);
            Libc.fallocate(fd, 0, bytes);
            final MappedMemory mapping = MappedMemory.map(0, bytes, READ_WRITE,
                LibcConstants.MAP_SHARED | LibcConstants.MAP_POPULATE, fd, 0);
            return block(kind, mapping, mapping.address(), length);
        } finally {
            Libc.close(fd);
        }
    }

    private HostBlock transparent(final int length) {
        final String mode = transparentMode();
        if (mode == null || mode.contains("[never]")) {
            throw RdmaException.of("take transparent hugepages")
                .detail("%s says %s", settings.resolve("transparent_hugepage/enabled"), mode)
                .errno(RdmaException.EOPNOTSUPP)
                .build();
        }
        final PageKind kind = PageKind.THP;
        final long bytes = kind.roundUp(length);
        final MappedMemory mapping = MappedMemory.map(0, bytes + kind.pageSize(), READ_WRITE, ANONYMOUS, -1, 0);
        final long address = kind.roundUp(mapping.address());
        return advised(kind, mapping, address, length, LibcConstants.MADV_HUGEPAGE);
    }

    private HostBlock ordinary(final int length) {
        final MappedMemory mapping = MappedMemory.anonymous(length);
        return advised(PageKind.KB4, mapping, mapping.address(), length,
            transparentMode() == null ? LibcConstants.MADV_NORMAL : LibcConstants.MADV_NOHUGEPAGE);
    }

    private HostBlock advised(
        final PageKind kind, final MappedMemory mapping, final long address, final int length, final int advice) {
        boolean done = false;
        try {
            Libc.madvise(address, kind.roundUp(length), advice);
            touch(address, kind.roundUp(length));
            final HostBlock block = block(kind, mapping, address, length);
            done = true;
            return block;
        } finally {
            if (!done) {
                mapping.close();
            }
        }
    }

    private static void touch(final long address, final long bytes) {
        final UnsafeBuffer page = new UnsafeBuffer();
        for (long offset = 0; offset < bytes; offset += DmaDomain.PAGE_SIZE) {
            page.wrap(address + offset, 1);
            page.putByte(0, (byte) 0);
        }
    }

    private HostBlock block(final PageKind kind, final MappedMemory mapping, final long address, final int length) {
        final long bytes = kind.roundUp(length);
        final ByteBuffer memory = Libc.directBuffer(address, length);
        final Reclaim reclaim = new Reclaim(mapping, bytes, retired.get(kind));
        CLEANER.register(memory, reclaim);
        return new HostBlock(memory, bytes, kind, reclaim::retire);
    }

    /** Unmaps, and keeps the account of memory that nobody needs but that is not unmapped yet. */
    private static final class Reclaim implements Runnable {
        private final MappedMemory mapping;
        private final long bytes;
        private final AtomicLong account;
        private boolean counted;
        private boolean gone;

        Reclaim(final MappedMemory mapping, final long bytes, final AtomicLong account) {
            this.mapping = mapping;
            this.bytes = bytes;
            this.account = account;
        }

        synchronized void retire() {
            if (!counted && !gone) {
                counted = true;
                account.addAndGet(bytes);
            }
        }

        @Override
        public synchronized void run() {
            gone = true;
            mapping.close();
            if (counted) {
                account.addAndGet(-bytes);
            }
        }
    }

    @Override
    public long retiredBytes(final PageKind kind) {
        return retired.get(kind).get();
    }

    @Override
    public String advice(final PageKind kind, final long length) {
        switch (kind) {
            case GB1:
            case MB2:
                return poolAdvice(kind, length);
            case THP:
                return "allow them: echo madvise > " + settings.resolve("transparent_hugepage/enabled");
            default:
                return "free memory or address space ('ulimit -v', the memory limit of the container)";
        }
    }

    private String poolAdvice(final PageKind kind, final long length) {
        final Path pool = settings.resolve("hugepages/hugepages-" + kind.pageSize() / 1024 + "kB");
        final long needed = kind.roundUp(length) / kind.pageSize();
        final long all = number(pool.resolve("nr_hugepages"));
        final long free = number(pool.resolve("free_hugepages"));
        if (all < 0) {
            return "this machine has no " + kind + " (there is no " + pool + ")";
        }
        final long promised = number(pool.resolve("resv_hugepages"));
        final long reserve = all - free + promised + needed;
        return String.format("%d pages are needed; the pool has %d, of which %d are free and %d of those promised to "
            + "others; to reserve: echo %d > %s (as root, soon after boot)%s", needed, all, free, promised, reserve,
            pool.resolve("nr_hugepages"), kind == PageKind.GB1
                ? ", or hugepagesz=1G hugepages=" + reserve + " on the kernel's command line" : "");
    }

    private static long number(final Path file) {
        final String text = read(file);
        return text == null ? -1 : Long.parseLong(text);
    }

    private String transparentMode() {
        return read(settings.resolve("transparent_hugepage/enabled"));
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file).trim();
        } catch (final IOException e) {
            return null;
        }
    }
}
