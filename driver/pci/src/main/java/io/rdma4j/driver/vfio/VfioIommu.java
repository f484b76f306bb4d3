/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.Memlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * The kernel's IOMMU behind a container. Memory is pinned as long as it is mapped. Thread-safe.
 */
final class VfioIommu implements Iommu {
    private static final int EEXIST = 17;
    private static final int ENOSPC = 28;
    /** The capability for which RLIMIT_MEMLOCK does not hold. */
    private static final int CAP_IPC_LOCK = 14;
    /** Of kernels that do not say it: dma_entry_limit of vfio_iommu_type1. */
    private static final int USUAL_MAX_MAPPINGS = 65_535;
    private static final Object NOBODY = new Object();

    private final VfioContainer container;
    private final String name;
    private final List<IovaAllocator.Range> ranges;
    private final int maxMappings;
    private final Supplier<Memlock> memlock;
    /** By bus address: what keeps the mapped memory alive. */
    private final ConcurrentMap<Long, Object> owners = new ConcurrentHashMap<>();
    /** Bus addresses of those that the kernel does not have at the moment, as they could not be mapped again. */
    private final Set<Long> suspended = ConcurrentHashMap.newKeySet();

    VfioIommu(final VfioContainer container, final String name, final IommuInfo info) {
        this(container, name, info, VfioIommu::memlockOfThread);
    }

    /** The limit by a script, for tests. */
    VfioIommu(
        final VfioContainer container, final String name, final IommuInfo info, final Supplier<Memlock> memlock) {
        this.memlock = memlock;
        this.container = container;
        this.name = name;
        this.ranges = info.ranges();
        maxMappings = info.dmaAvail() < 0 ? USUAL_MAX_MAPPINGS
            : (int) Math.min(Integer.MAX_VALUE, Math.max(1, info.dmaAvail()));
    }

    @Override
    public int maxMappings() {
        return maxMappings;
    }

    @Override
    public boolean isChargedToMemlock() {
        return true;
    }

    @Override
    public void map(final long iova, final long address, final long length, final Object owner) {
        try {
            container.map(iova, address, length);
        } catch (final RdmaException e) {
            throw refusal(e, String.format("%d bytes at 0x%x to bus address 0x%x", length, address, iova));
        }
        owners.put(iova, owner == null ? NOBODY : owner);
    }

    private RdmaException refusal(final RdmaException e, final String what) {
        final RdmaException.Builder failure =
            RdmaException.of("map memory for DMA").device(name).errno(e.errno()).cause(e);
        switch (e.errno()) {
            case RdmaException.ENOMEM -> outOfMemory(failure, what);
            case ENOSPC -> failure.errno(RdmaException.ENOMEM).detail("%s: this process has %d mappings, the kernel "
                + "allows %s more", what, owners.size(), available()).hint("map fewer and larger pieces of memory; or "
                    + "raise the limit: modprobe vfio_iommu_type1 dma_entry_limit=N");
            case RdmaException.EFAULT -> failure.detail("%s: not all of that is mapped in this process, readable and "
                + "writable, or it is mapped by page frame numbers (a dma-buf), which cannot be pinned", what)
                .hint("map memory that exists for as long as the device uses it; a file has to be mapped for reading "
                    + "and writing");
            case RdmaException.EINVAL -> failure.detail("%s: the IOMMU translates only %s", what, ranges);
            case EEXIST -> failure.detail("%s: something is mapped at that bus address already", what);
            default -> failure.detail("%s: %s", what, e.getMessage());
        }
        return failure.build();
    }

    /** The limit is one of several reasons, and none where it does not hold. */
    private void outOfMemory(final RdmaException.Builder failure, final String what) {
        final Memlock limit = memlock.get();
        if (limit.isExempt() || limit.soft() == Memlock.UNLIMITED) {
            failure.detail("%s: the kernel's memory or the cgroup's limit is used up; RLIMIT_MEMLOCK is not the reason,"
                + " %s", what, limit.isExempt() ? "CAP_IPC_LOCK is exempt from it" : "it is unlimited")
                .hint("map less, or in larger pages (?pages=2M), which need smaller tables; look at memory.max of the "
                    + "cgroup and at dmesg");
        } else {
            failure.detail("%s: no more memory may be pinned, RLIMIT_MEMLOCK is %s, pinned already: %s", what,
                limit.soft() == Memlock.UNKNOWN ? "unknown" : limit.soft() + " bytes", locked())
                .hint("raise it: ulimit -l KIB in the shell, LimitMEMLOCK= of a systemd service, or memlock in "
                    + "/etc/security/limits.conf; or map less");
        }
    }

    /** The kernel asks for the capability of the thread that maps, which may be another user's than the process. */
    private static Memlock memlockOfThread() {
        final Memlock limit = new HostFacts().memlock();
        try {
            final boolean isExempt = Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) >>> CAP_IPC_LOCK & 1) != 0);
            return new Memlock(limit.soft(), limit.hard(), isExempt);
        } catch (final IOException untold) {
            return limit;
        }
    }

    /** What the kernel charges against the limit, as it says it. */
    private static String locked() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmLck:"))
                .map(line -> line.replaceAll("\\s+", " ")).findFirst().orElse("unknown");
        } catch (final IOException untold) {
            return "unknown";
        }
    }

    private String available() {
        final long left = container.info().dmaAvail();
        return left < 0 ? "no" : Long.toString(left);
    }

    @Override
    public boolean refreshes() {
        return true;
    }

    /**
     * The kernel pinned the pages when they were mapped, and looks no more at what is at their addresses. So they are
     * unmapped and mapped again: in between the device reaches nothing there. All of the mapping, as type 1 version 2
     * unmaps only what was mapped as one. The kernel maps for reading and writing always.
     */
    @Override
    public void refresh(final Range mapping, final long changed, final long bytes, final boolean write) {
        suspend(mapping);
        try {
            container.map(mapping.iova(), mapping.address(), mapping.length());
        } catch (final RdmaException e) {
            throw refusal(e, String.format("%d bytes at 0x%x to bus address 0x%x, as before", mapping.length(),
                mapping.address(), mapping.iova()));
        }
        suspended.remove(mapping.iova());
    }

    @Override
    public void suspend(final Range mapping) {
        if (!suspended.contains(mapping.iova())) {
            end(mapping.iova(), mapping.length());
            suspended.add(mapping.iova());
        }
    }

    @Override
    public void unmap(final long iova, final long length) {
        if (!suspended.remove(iova)) {
            end(iova, length);
        }
        owners.remove(iova);
    }

    private void end(final long iova, final long length) {
        final long unmapped = container.unmap(iova, length);
        if (unmapped != length) {
            throw RdmaException.of("unmap memory").device(name)
                .detail("%d of %d bytes at bus address 0x%x were mapped", unmapped, length, iova)
                .errno(RdmaException.EIO).build();
        }
    }

    /** Live mappings. */
    int mappings() {
        return owners.size();
    }

    @Override
    public String toString() {
        return "VfioIommu[" + mappings() + " mappings, " + ranges + ']';
    }
}
