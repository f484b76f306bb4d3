/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import static io.rdma4j.qemu.dmabuf.DmaBufMain.require;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.memory.DmaBuf;
import io.rdma4j.driver.memory.DmaBufAccess;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** In which order things may be closed, and what is refused. */
final class LifetimeClaims {
    private static final int EBADF = 9;
    private static final int PAGE = 4096;
    private static final int SIZE = 4 * PAGE;
    private static final int ROUNDS = 50;

    /** Whoever exported it has gone; only the region is left, and then nothing. */
    String descriptorAndCard() throws IOException {
        try (RdmaContext context = RdmaDevices.open("emulated:"); Traffic traffic = new Traffic(context)) {
            final DmaBuf buffer;
            try (VgemBuffer vgem = VgemBuffer.create(SIZE); Fd fd = vgem.export(true)) {
                buffer = DmaBuf.open(fd.fd());
            }
            final RegionOwner owner = buffer::close;
            final MemoryRegion region = traffic.pd.register(buffer.address(), SIZE, owner, DmaBufClaims.ALL);
            final int rkey = region.rkey();
            Vgem.fill(traffic.bytes, 0, SIZE, 11);
            final WcStatus written = traffic.write(region.iova(), rkey, SIZE);
            traffic.bytes.setMemory(0, SIZE, (byte) 0);
            final WcStatus read = traffic.read(region.iova(), rkey, SIZE);
            Vgem.requirePattern(traffic.bytes, 0, SIZE, 11);
            final long address = region.iova();
            region.close();
            final WcStatus late = traffic.write(address, rkey, 1);
            return require(written == WcStatus.SUCCESS && read == WcStatus.SUCCESS
                && late == WcStatus.REM_ACCESS_ERR && !buffer.isMapped() && lines("/dmabuf:") == 0,
                "%s, %s, after closing %s, %s", written, read, late, buffer);
        }
    }

    /** Two regions over one DmaBuf that its user closes first. */
    String held() throws IOException {
        try (Vgem owner = Vgem.of(SIZE); RdmaContext context = RdmaDevices.open("emulated:");
            Traffic traffic = new Traffic(context)) {
            final DmaBuf buffer = DmaBuf.open(owner.fd.fd());
            final RegionOwner first = buffer.hold()::close;
            final RegionOwner second = buffer.hold()::close;
            final long address = buffer.address();
            final MemoryRegion low = traffic.pd.register(address, 2 * PAGE, first, DmaBufClaims.ALL);
            final MemoryRegion high = traffic.pd.register(address + PAGE, 2 * PAGE, second, DmaBufClaims.ALL);
            buffer.close();
            buffer.close();
            Vgem.fill(traffic.bytes, 0, PAGE, 12);
            final WcStatus one = traffic.write(address, low.rkey(), PAGE);
            low.close();
            require(buffer.isMapped(), "%s is not mapped with one region left", buffer);
            final WcStatus two = traffic.write(address + 2 * PAGE, high.rkey(), PAGE);
            high.close();
            Vgem.requirePattern(owner.bytes, 0, PAGE, 12);
            Vgem.requirePattern(owner.bytes, 2 * PAGE, PAGE, 12);
            owner.requireGuard(PAGE, 2 * PAGE);
            Vgem.requireRefusal(buffer::address, RdmaException.EBADFD, "closed");
            return require(one == WcStatus.SUCCESS && two == WcStatus.SUCCESS && !buffer.isMapped(),
                "%s, %s, %s", one, two, buffer);
        }
    }

    String refusals() {
        try (VgemBuffer vgem = VgemBuffer.create(SIZE); Fd fd = vgem.export(true)) {
            Vgem.requireRefusal(() -> DmaBuf.open(vgem.cardFd()), RdmaException.EINVAL, "no dma-buf but /dev/dri/card");
            Vgem.requireRefusal(() -> DmaBuf.open(1 << 30), EBADF, "not open");
            Vgem.requireRefusal(() -> DmaBuf.open(fd.fd(), 0, 0), RdmaException.EINVAL, "above 0");
            Vgem.requireRefusal(() -> DmaBuf.open(fd.fd(), SIZE, 1), RdmaException.EINVAL, "16384 bytes");
            Vgem.requireRefusal(() -> DmaBuf.open(fd.fd(), -PAGE, PAGE), RdmaException.EINVAL, "offset -4096");
            final DmaBuf closed = DmaBuf.open(fd.fd());
            closed.close();
            Vgem.requireRefusal(() -> {
                closed.beginAccess(DmaBufAccess.READ);
                return closed;
            }, RdmaException.EBADFD, "closed");
            return Vgem.requireRefusal(() -> DmaBuf.open(fd.fd(), PAGE, SIZE), RdmaException.EINVAL,
                "offset 4096, length 16384", "has 16384 bytes");
        }
    }

    /** Also of what failed half way: neither descriptors nor mappings nor the kernel's buffers stay. */
    String leaks() throws IOException {
        final int mapped = MappedMemory.mappedCount();
        final long files = descriptors();
        for (int round = 0; round < ROUNDS; round++) {
            try (VgemBuffer vgem = VgemBuffer.create(SIZE); Fd fd = vgem.export(true)) {
                DmaBuf.open(fd.fd(), round, PAGE).close();
                Vgem.requireRefusal(() -> DmaBuf.open(fd.fd(), 1, SIZE), RdmaException.EINVAL, "length");
                Vgem.requireRefusal(() -> DmaBuf.open(vgem.cardFd()), RdmaException.EINVAL, "no dma-buf");
            }
        }
        final int now = MappedMemory.mappedCount(); // Fewer where the memory of earlier claims was collected meanwhile.
        final long open = descriptors();
        return require(now <= mapped && open <= files && lines("/dmabuf:") == 0,
            "%d mappings, were %d; %d open files, were %d", now, mapped, open, files);
    }

    private static long lines(final String part) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.contains(part)).count();
    }

    private static long descriptors() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            final List<Path> all = files.collect(Collectors.toList());
            return all.size();
        }
    }
}
