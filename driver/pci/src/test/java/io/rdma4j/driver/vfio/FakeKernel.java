/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.hw.pci.PciConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The kernel's VFIO by a script. Only the ioctls are made up: files, eventfds, waiting and mapping are the real
 * kernel's, a device is a file in memory. Any call can be made to fail, by its number or by its name.
 */
final class FakeKernel implements VfioSystem {
    static final int EEXIST = 17;
    static final int ENOSPC = 28;
    static final int CONFIG_OFFSET = 0x100000;
    static final int[] BAR_OFFSETS = {0x0, 0x10000, 0x1000000};
    static final int[] BAR_SIZES = {0x4000, 0x100, 0x800000};
    static final int DEVICE_LENGTH = 0x2000000;
    static final int READ_WRITE =
        RegionInfo.VFIO_REGION_INFO_FLAG_READ | RegionInfo.VFIO_REGION_INFO_FLAG_WRITE;
    static final int MAPPABLE = READ_WRITE | RegionInfo.VFIO_REGION_INFO_FLAG_MMAP;

    /** Every call in order: the name of the ioctl, or of the system call. */
    final List<String> calls = new ArrayList<>();
    final List<MappedMemory> mapped = new ArrayList<>();
    final Map<Long, Long> mappings = new TreeMap<>();
    /** By request: answers in place of the script's. */
    final Map<String, Integer> answers = new LinkedHashMap<>();
    /** By request: errnos. */
    final Map<String, Integer> errnos = new LinkedHashMap<>();
    final int[] barFlags = {MAPPABLE, MAPPABLE, MAPPABLE};
    final int[] irqs = {1, 1, 3, 1, 1};
    final List<RegionInfo.Area> sparse = new ArrayList<>();
    int deviceFlags = DeviceInfo.VFIO_DEVICE_FLAGS_PCI;
    int groupFlags = GroupStatus.VFIO_GROUP_FLAGS_VIABLE;
    long pageSizes = 0x1000 | 0x200000;
    /** How many mappings there may be in all. */
    int dmaAvail = 65_535;
    /** Two of them. */
    List<IovaAllocator.Range> ranges = List.of(
        new IovaAllocator.Range(0, 0xfedf_ffffL), new IovaAllocator.Range(0xfef0_0000L, 0x7f_ffff_ffffL));
    /** BARs come with a list of their parts that can be mapped, although it may be empty. */
    boolean listsParts;
    /** Bytes that an unmap finds fewer than it was asked for. */
    long unmapsLess;
    /** How many of the next calls that put memory in the place of a window fail. */
    int failingReplacements;
    /** Which backend there is. */
    int backend = VfioIoctls.VFIO_TYPE1v2_IOMMU;
    /** Which call fails; 0 for none. */
    int failingCall;

    private final Map<Integer, EventFd> eventFds = new LinkedHashMap<>();
    private final Map<Integer, int[]> triggers = new TreeMap<>();
    /** Device files, and kinds of interrupts. */
    private final Set<List<Integer>> irqsInUse = new HashSet<>();
    private int lastDevice = -1;

    private void call(final String name) {
        calls.add(name);
        if (calls.size() == failingCall) {
            throw failure(name, RdmaException.EIO);
        }
        if (errnos.containsKey(name)) {
            throw failure(name, errnos.get(name));
        }
    }

    private static RdmaException failure(final String name, final int errno) {
        return RdmaException.of(name).detail("by the script").errno(errno).build();
    }

    @Override
    public Fd open(final String path) {
        call("open " + path.substring(path.lastIndexOf('/') + 1));
        return KERNEL.open(path);
    }

    @Override
    public int ioctl(final int fd, final IoctlRequest request, final long value) {
        call(request.name());
        if (request == VfioIoctls.VFIO_CHECK_EXTENSION || request == VfioIoctls.VFIO_SET_IOMMU) {
            require(value == backend, request);
        }
        return answers.getOrDefault(request.name(), request == VfioIoctls.VFIO_CHECK_EXTENSION ? 1 : 0);
    }

    @Override
    public int ioctl(final int fd, final IoctlRequest request, final DirectBuffer argument) {
        call(request.name());
        final UnsafeBuffer struct = (UnsafeBuffer) argument;
        require(!request.hasArgsz() || Structs.argsz(struct) == struct.capacity(), request);
        switch (request.name()) {
            case "VFIO_GROUP_GET_STATUS" -> struct.putInt(4, groupFlags, LITTLE_ENDIAN);
            case "VFIO_GROUP_GET_DEVICE_FD" -> {
                return device();
            }
            case "VFIO_DEVICE_GET_INFO" -> info(struct);
            case "VFIO_DEVICE_GET_REGION_INFO" -> region(struct);
            case "VFIO_DEVICE_GET_IRQ_INFO" -> irq(struct);
            case "VFIO_DEVICE_SET_IRQS" -> {
                return setIrqs(fd, struct);
            }
            case "VFIO_IOMMU_GET_INFO" -> {
                require(backend == VfioIoctls.VFIO_TYPE1v2_IOMMU, request);
                iommu(struct);
            }
            case "VFIO_IOMMU_MAP_DMA" -> map(struct, request);
            case "VFIO_IOMMU_UNMAP_DMA" -> unmap(struct);
            default -> require(request == VfioIoctls.VFIO_GROUP_SET_CONTAINER, request);
        }
        return 0;
    }

    private static void require(final boolean holds, final IoctlRequest request) {
        if (!holds) {
            throw new IllegalStateException("not how it is to be called: " + request);
        }
    }

    private int device() {
        lastDevice = Libc.memfdCreate("device", 0);
        irqsInUse.removeIf(irq -> irq.get(0) == lastDevice);
        Libc.ftruncate(lastDevice, DEVICE_LENGTH);
        poke(CONFIG_OFFSET + PciConfig.VENDOR_ID_OFFSET, 0x0820_15ad);
        poke(CONFIG_OFFSET + PciConfig.COMMAND_OFFSET, PciConfig.IO | PciConfig.MEMORY | 0x100);
        poke(CONFIG_OFFSET + PciConfig.BAR0_OFFSET, 0xfea0_0000);
        poke(CONFIG_OFFSET + PciConfig.BAR1_OFFSET, 0xfeb0_0000);
        poke(CONFIG_OFFSET + PciConfig.BAR2_OFFSET, 0xc000_000c);
        poke(CONFIG_OFFSET + PciConfig.BAR3_OFFSET, 0x38);
        return lastDevice;
    }

    private static void info(final UnsafeBuffer struct, final int flags) {
        struct.putInt(4, flags, LITTLE_ENDIAN);
        struct.putInt(8, 9, LITTLE_ENDIAN);
        struct.putInt(12, 5, LITTLE_ENDIAN);
    }

    private void info(final UnsafeBuffer struct) {
        info(struct, deviceFlags);
    }

    private void region(final UnsafeBuffer struct) {
        final int index = struct.getInt(8, LITTLE_ENDIAN);
        if (index < BAR_SIZES.length) {
            struct.putInt(4, barFlags[index], LITTLE_ENDIAN);
            struct.putLong(16, BAR_SIZES[index], LITTLE_ENDIAN);
            struct.putLong(24, BAR_OFFSETS[index], LITTLE_ENDIAN);
            sparse(struct, barFlags[index]);
        } else if (index == RegionInfo.VFIO_PCI_CONFIG_REGION_INDEX) {
            struct.putInt(4, READ_WRITE, LITTLE_ENDIAN);
            struct.putLong(16, PciConfig.SPACE_LENGTH, LITTLE_ENDIAN);
            struct.putLong(24, CONFIG_OFFSET, LITTLE_ENDIAN);
        }
    }

    private void sparse(final UnsafeBuffer struct, final int flags) {
        if (sparse.isEmpty() && !listsParts || (flags & RegionInfo.VFIO_REGION_INFO_FLAG_MMAP) == 0) {
            return;
        }
        final int needed = RegionInfo.LENGTH + RegionInfo.AREAS_OFFSET + sparse.size() * RegionInfo.AREA_LENGTH;
        struct.putInt(0, needed, LITTLE_ENDIAN);
        struct.putInt(4, flags | RegionInfo.VFIO_REGION_INFO_FLAG_CAPS, LITTLE_ENDIAN);
        if (struct.capacity() >= needed) {
            final int at = RegionInfo.LENGTH;
            struct.putInt(12, at, LITTLE_ENDIAN);
            struct.putShort(at, (short) 1, LITTLE_ENDIAN);
            struct.putShort(at + 2, (short) 1, LITTLE_ENDIAN);
            struct.putInt(at + 8, sparse.size(), LITTLE_ENDIAN);
            for (int i = 0; i < sparse.size(); i++) {
                struct.putLong(at + 16 + i * 16, sparse.get(i).offset(), LITTLE_ENDIAN);
                struct.putLong(at + 24 + i * 16, sparse.get(i).size(), LITTLE_ENDIAN);
            }
        }
    }

    private void irq(final UnsafeBuffer struct) {
        final int index = struct.getInt(8, LITTLE_ENDIAN);
        if (irqs[index] < 0) {
            throw failure("VFIO_DEVICE_GET_IRQ_INFO", RdmaException.EINVAL);
        }
        struct.putInt(4, IrqInfo.VFIO_IRQ_INFO_EVENTFD, LITTLE_ENDIAN);
        struct.putInt(12, irqs[index], LITTLE_ENDIAN);
    }

    private int setIrqs(final int fd, final UnsafeBuffer struct) {
        final int index = struct.getInt(8, LITTLE_ENDIAN);
        final int count = struct.getInt(16, LITTLE_ENDIAN);
        if (count == 0 && !irqsInUse.remove(List.of(fd, index))) {
            throw failure("VFIO_DEVICE_SET_IRQS", RdmaException.EINVAL);
        }
        if (count == 0) {
            triggers.remove(index);
            return 0;
        }
        if (count > irqs[index]) {
            throw failure("VFIO_DEVICE_SET_IRQS", RdmaException.EINVAL);
        }
        final int most = answers.getOrDefault("vectors", count);
        if (count > most) {
            return most;
        }
        final int[] fds = new int[count];
        for (int i = 0; i < count; i++) {
            fds[i] = struct.getInt(20 + 4 * i, LITTLE_ENDIAN);
        }
        triggers.put(index, fds);
        irqsInUse.add(List.of(fd, index));
        return 0;
    }

    /** Two ranges and the mappings that are left, behind a capability that is to be passed over. */
    private void iommu(final UnsafeBuffer struct) {
        final int needed = 112;
        struct.putInt(0, needed, LITTLE_ENDIAN);
        struct.putInt(4, 3, LITTLE_ENDIAN);
        struct.putLong(8, pageSizes, LITTLE_ENDIAN);
        if (struct.capacity() >= needed) {
            struct.putInt(16, 24, LITTLE_ENDIAN);
            capability(struct, 24, 2, 48);
            capability(struct, 48, 1, 96);
            struct.putInt(56, 2, LITTLE_ENDIAN);
            for (int i = 0; i < 2; i++) {
                struct.putLong(64 + 16 * i, ranges.get(i).first(), LITTLE_ENDIAN);
                struct.putLong(72 + 16 * i, ranges.get(i).last(), LITTLE_ENDIAN);
            }
            capability(struct, 96, 3, 0);
            struct.putInt(104, Math.max(0, dmaAvail - mappings.size()), LITTLE_ENDIAN);
        }
    }

    static void capability(final UnsafeBuffer struct, final int at, final int id, final int next) {
        struct.putShort(at, (short) id, LITTLE_ENDIAN);
        struct.putShort(at + 2, (short) 1, LITTLE_ENDIAN);
        struct.putInt(at + 4, next, LITTLE_ENDIAN);
    }

    /** What vfio_iommu_type1 checks, in its order. */
    private void map(final UnsafeBuffer struct, final IoctlRequest request) {
        require(struct.getInt(4, LITTLE_ENDIAN) == 3, request);
        final long vaddr = struct.getLong(8, LITTLE_ENDIAN);
        final long iova = struct.getLong(16, LITTLE_ENDIAN);
        final long size = struct.getLong(24, LITTLE_ENDIAN);
        final long last = iova + size - 1;
        if (size <= 0 || ((vaddr | iova | size) & 0xfff) != 0 || last < iova) {
            throw failure(request.name(), RdmaException.EINVAL);
        }
        if (mappings.entrySet().stream().anyMatch(m -> m.getKey() <= last && iova < m.getKey() + m.getValue())) {
            throw failure(request.name(), EEXIST);
        }
        if (mappings.size() >= dmaAvail) {
            throw failure(request.name(), ENOSPC);
        }
        if (ranges.stream().noneMatch(range -> range.first() <= iova && last <= range.last())) {
            throw failure(request.name(), RdmaException.EINVAL);
        }
        mappings.put(iova, size);
    }

    private void unmap(final UnsafeBuffer struct) {
        final Long length = mappings.remove(struct.getLong(8, LITTLE_ENDIAN));
        struct.putLong(16, (length == null ? 0 : length) - unmapsLess, LITTLE_ENDIAN);
    }

    @Override
    public int pread(final int fd, final MutableDirectBuffer dst, final int length, final long position) {
        call("pread");
        return KERNEL.pread(fd, dst, length, position);
    }

    @Override
    public int pwrite(final int fd, final DirectBuffer src, final int length, final long position) {
        call("pwrite");
        return KERNEL.pwrite(fd, src, length, position);
    }

    @Override
    public MappedMemory map(final int fd, final long length, final long offset) {
        call("mmap");
        final MappedMemory memory = KERNEL.map(fd, length, offset);
        mapped.add(memory);
        return memory;
    }

    @Override
    public Fd memory(final long length) {
        call("memfd");
        return KERNEL.memory(length);
    }

    @Override
    public void mapOver(final long address, final long length, final int fd) {
        call("mmap over");
        if (failingReplacements > 0) {
            failingReplacements--;
            throw failure("mmap over", RdmaException.ENOMEM);
        }
        KERNEL.mapOver(address, length, fd);
    }

    @Override
    public EventFd eventFd() {
        call("eventfd");
        final EventFd fd = KERNEL.eventFd();
        eventFds.put(fd.fd(), fd);
        return fd;
    }

    /** An interrupt fires, if it is in use. */
    void fire(final int index, final int vector) {
        eventFds.get(triggers.get(index)[vector]).signal();
    }

    /** How many interrupts of a kind are in use. */
    int inUse(final int index) {
        return triggers.getOrDefault(index, new int[0]).length;
    }

    /** What the device has at a place of its file. */
    int peek(final int position) {
        final UnsafeBuffer word = Structs.allocate(Integer.BYTES);
        Libc.pread(lastDevice, word, Integer.BYTES, position);
        return word.getInt(0, LITTLE_ENDIAN);
    }

    void poke(final int position, final int value) {
        final UnsafeBuffer word = Structs.allocate(Integer.BYTES);
        word.putInt(0, value, LITTLE_ENDIAN);
        Libc.pwrite(lastDevice, word, Integer.BYTES, position);
    }

    /** Mappings of the device that are not unmapped, when nobody holds them any more. */
    long openMappings() {
        long open = 1;
        for (int i = 0; i < 100 && open > 0; i++) {
            System.gc();
            open = mapped.stream().filter(MappedMemory::isOpen).count();
            if (open > 0) {
                pause();
            }
        }
        return open;
    }

    static void pause() {
        try {
            Thread.sleep(10);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
