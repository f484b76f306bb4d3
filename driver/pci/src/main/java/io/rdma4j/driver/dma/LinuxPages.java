/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.SharedFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

import org.agrona.concurrent.UnsafeBuffer;

/** Memory of Linux: hugepages of a pool through memfd, transparent hugepages, ordinary pages. */
final class LinuxPages implements PageSource {
    static final LinuxPages INSTANCE = new LinuxPages(Path.of("/sys/kernel/mm"), Path.of("/proc/self/smaps"),
        SharedPages.PROCESS);

    private static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;

    private final Path settings;
    private final Path smaps;
    private final SharedPages shared;
    private final Map<PageKind, Reclaim.Account> retired = new EnumMap<>(PageKind.class);

    /** Memory management's folder in /sys and the file with what is mapped, or some like them; and what is shared. */
    LinuxPages(final Path settings, final Path smaps, final SharedPages shared) {
        this.settings = settings;
        this.smaps = smaps;
        this.shared = shared;
        for (final PageKind kind : PageKind.values()) {
            retired.put(kind, new Reclaim.Account());
        }
    }

    @Override
    public HostBlock allocate(final PageKind kind, final int length) {
        switch (kind) {
            case GB1:
            case MB2:
                return ofPool(kind, length, false);
            case THP:
                return transparent(length);
            default:
                return ordinary(length);
        }
    }

    /**
     * Pages of a pool are of a file anyway, which stays open for others to open. Transparent ones are not shared: files
     * have them only where the administrator allows it, which hardly anybody does, and who asks for them asks for
     * speed.
     */
    @Override
    public HostBlock allocateShared(final PageKind kind, final int length) {
        switch (kind) {
            case GB1:
            case MB2:
                return ofPool(kind, length, true);
            case THP:
                return transparent(length);
            default:
                return shared.allocateOr(length, this::ordinary);
        }
    }

    private HostBlock ofPool(final PageKind kind, final int length, final boolean share) {
        final int fd = Libc.memfdCreate("rdma4j", LibcConstants.MFD_HUGETLB
            | (kind == PageKind.GB1 ? LibcConstants.MFD_HUGE_1GB : LibcConstants.MFD_HUGE_2MB)
            | (share ? LibcConstants.MFD_ALLOW_SEALING : 0));
        try (Undo undo = new Undo()) {
            undo.add(() -> Libc.close(fd));
            final MappedMemory mapping = mapPool(fd, kind.roundUp(length), share);
            undo.add(mapping::close);
            final HostBlock block = share ? sharedBlock(kind, mapping, length, fd)
                : block(kind, kind, mapping, mapping.address(), length);
            undo.forget();
            if (!share) {
                Libc.close(fd);
            }
            return block;
        }
    }

    /**
     * Filling the file takes the pages from the pool, or says that there are too few. To find that out by touching
     * would be a SIGBUS; so would be to touch what somebody else cut off.
     */
    private static MappedMemory mapPool(final int fd, final long bytes, final boolean seal) {
        Libc.ftruncate(fd, bytes);
        Libc.fallocate(fd, 0, bytes);
        if (seal) {
            FileCalls.addSeals(fd, LibcConstants.F_SEAL_SHRINK | LibcConstants.F_SEAL_SEAL);
        }
        return MappedMemory.map(0, bytes, READ_WRITE, LibcConstants.MAP_SHARED | LibcConstants.MAP_POPULATE, fd, 0);
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
        // Never at the very beginning: what is advised would grow together with what lies before it, and smaps could
        // not say any more how much of it is in large pages.
        final long address = kind.roundUp(mapping.address() + 1);
        return advised(kind, mapping, address, length, LibcConstants.MADV_HUGEPAGE);
    }

    private HostBlock ordinary(final int length) {
        final MappedMemory mapping = MappedMemory.anonymous(length);
        return advised(PageKind.KB4, mapping, mapping.address(), length,
            transparentMode() == null ? LibcConstants.MADV_NORMAL : LibcConstants.MADV_NOHUGEPAGE);
    }

    private HostBlock advised(
        final PageKind kind, final MappedMemory mapping, final long address, final int length, final int advice) {
        try (Undo undo = new Undo()) {
            undo.add(mapping::close);
            Libc.madvise(address, kind.roundUp(length), advice);
            touch(address, kind.roundUp(length));
            final HostBlock block = block(kind, found(kind, address, length), mapping, address, length);
            undo.forget();
            return block;
        }
    }

    /** The kernel does not promise large pages; it gives small ones where it has no others. */
    private PageKind found(final PageKind wanted, final long address, final int length) {
        final long bytes = wanted.roundUp(length);
        return wanted == PageKind.THP && ProcessMaps.transparentBytes(smaps, address, bytes) < bytes
            ? PageKind.KB4 : wanted;
    }

    private static void touch(final long address, final long bytes) {
        final UnsafeBuffer page = new UnsafeBuffer();
        for (long offset = 0; offset < bytes; offset += DmaDomain.PAGE_SIZE) {
            page.wrap(address + offset, 1);
            page.putByte(0, (byte) 0);
        }
    }

    private HostBlock block(
        final PageKind kind, final PageKind found, final MappedMemory mapping, final long address, final int length) {
        return Reclaim.block(new Reclaim.Place(mapping, address, null), length, found, kind.roundUp(length),
            mapping::close, retired.get(kind));
    }

    private HostBlock sharedBlock(final PageKind kind, final MappedMemory mapping, final int length, final int fd) {
        return Reclaim.block(new Reclaim.Place(mapping, mapping.address(), new SharedFile(fd, 0)), length, kind,
            mapping.length(), () -> {
                mapping.close();
                Libc.close(fd);
            }, retired.get(kind));
    }

    @Override
    public long retiredBytes(final PageKind kind) {
        return retired.get(kind).now() + (kind == PageKind.KB4 ? shared.account().now() : 0);
    }

    @Override
    public long retiredEver(final PageKind kind) {
        return retired.get(kind).ever() + (kind == PageKind.KB4 ? shared.account().ever() : 0);
    }

    @Override
    public long freeBytes(final PageKind kind) {
        if (kind != PageKind.GB1 && kind != PageKind.MB2) {
            return Long.MAX_VALUE;
        }
        final long free = number(pool(kind).resolve("free_hugepages"));
        final long promised = number(pool(kind).resolve("resv_hugepages"));
        return free < 0 || promised < 0 ? Long.MAX_VALUE : Math.max(0, free - promised) * kind.pageSize();
    }

    private Path pool(final PageKind kind) {
        return settings.resolve("hugepages/hugepages-" + kind.pageSize() / 1024 + "kB");
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
        final Path pool = pool(kind);
        final long needed = kind.roundUp(length) / kind.pageSize();
        final long all = number(pool.resolve("nr_hugepages"));
        final long free = number(pool.resolve("free_hugepages"));
        if (all < 0) {
            return "this machine has no " + kind + " (there is no " + pool + ")";
        }
        final long promised = number(pool.resolve("resv_hugepages"));
        final long reserve = all - free + promised + needed;
        return String.format(Locale.ROOT, "%d pages are needed; the pool has %d, of which %d are free and %d of "
            + "those promised to others; to reserve: echo %d > %s (as root, soon after boot)%s", needed, all, free,
            promised, reserve, pool.resolve("nr_hugepages"), kind == PageKind.GB1
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
