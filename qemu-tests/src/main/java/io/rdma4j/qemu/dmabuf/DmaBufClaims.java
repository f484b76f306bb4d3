/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import static io.rdma4j.qemu.dmabuf.DmaBufMain.require;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.memory.DmaBuf;
import io.rdma4j.driver.memory.DmaBufAccess;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;

/** What a dma-buf is for the emulated device: memory as any other, that somebody else sees, too. */
final class DmaBufClaims {
    static final AccessFlag[] ALL = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ,
        AccessFlag.REMOTE_ATOMIC};

    private static final Pattern AREA = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) ");
    private static final int PAGE = 4096;
    private static final int SIZE = 16 * PAGE;

    /** One claim with a peer and a region over some of a buffer, which its owner sees, too. */
    private interface OnRegion {
        String check(Traffic traffic, Vgem owner, DmaBuf buffer, MemoryRegion region) throws IOException;
    }

    private static String on(final String device, final Vgem owner, final long offset, final long length,
            final OnRegion claim) throws IOException {
        try (owner; RdmaContext context = RdmaDevices.open(device); Traffic traffic = new Traffic(context)) {
            final DmaBuf buffer = DmaBuf.open(owner.fd.fd(), offset, length);
            final RegionOwner keeper = buffer::close;
            final String seen;
            try (MemoryRegion region = traffic.pd.register(buffer.address(), length, keeper, ALL)) {
                seen = claim.check(traffic, owner, buffer, region);
                require(buffer.isMapped(), "%s is not mapped while its region is open", buffer);
            }
            require(!buffer.isMapped(), "%s is mapped after its region was closed", buffer);
            return seen;
        }
    }

    private static String onAll(final OnRegion claim) throws IOException {
        return on("emulated:", Vgem.of(SIZE), 0, SIZE, claim);
    }

    String maps() throws IOException {
        return onAll((traffic, owner, buffer, region) -> {
            for (final DmaBufAccess access : DmaBufAccess.values()) {
                buffer.beginAccess(access);
                buffer.endAccess(access);
            }
            return require(buffer.size() == SIZE && buffer.isWritable() && buffer.exporter().equals("drm"),
                "%s, kernel's flags of the mapping:%s", buffer, flags(buffer.address()));
        });
    }

    /** VmFlags of the mapping around an address: "pf" is VM_PFNMAP, "io" VM_IO, "mm" VM_MIXEDMAP. */
    static String flags(final long address) throws IOException {
        boolean here = false;
        for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            final Matcher area = AREA.matcher(line);
            if (area.lookingAt()) {
                here = Long.parseUnsignedLong(area.group(1), 16) <= address
                    && address < Long.parseUnsignedLong(area.group(2), 16);
            } else if (here && line.startsWith("VmFlags:")) {
                return line.substring("VmFlags:".length());
            }
        }
        return " unknown";
    }

    /** What DmaBufRange says about the kernel: tells which page it shows at an offset of one page, whichever it is. */
    String mappingAtAnOffset() {
        try (Vgem owner = Vgem.of(SIZE); MappedMemory second = MappedMemory.map(0, PAGE, LibcConstants.PROT_READ,
            LibcConstants.MAP_SHARED, owner.fd.fd(), PAGE)) {
            for (int page = 0; page < SIZE / PAGE; page++) {
                owner.bytes.putInt(page * PAGE, page);
            }
            final int shown = new UnsafeBuffer(second.address(), PAGE).getInt(0);
            return require(shown == 0 || shown == 1, "a mapping at page 1 shows page %d", shown);
        }
    }

    String write() throws IOException {
        return onAll((traffic, owner, buffer, region) -> {
            Vgem.fill(traffic.bytes, 0, 3 * PAGE, 1);
            final WcStatus status = traffic.write(region.iova() + PAGE - 100, region.rkey(), 3 * PAGE);
            Vgem.requirePattern(owner.bytes, PAGE - 100, 3 * PAGE, 1);
            owner.requireGuard(0, PAGE - 100);
            owner.requireGuard(4 * PAGE - 100, SIZE);
            return require(status == WcStatus.SUCCESS, "%s", status);
        });
    }

    String read() throws IOException {
        return onAll((traffic, owner, buffer, region) -> {
            Vgem.fill(owner.bytes, 5000, 2 * PAGE, 2);
            final WcStatus status = traffic.read(region.iova() + 5000, region.rkey(), 2 * PAGE);
            Vgem.requirePattern(traffic.bytes, 0, 2 * PAGE, 2);
            return require(status == WcStatus.SUCCESS, "%s", status);
        });
    }

    String atomics() throws IOException {
        return onAll((traffic, owner, buffer, region) -> {
            owner.bytes.putLong(PAGE, 40);
            final WcStatus status = traffic.add(region.iova() + PAGE, region.rkey(), 2);
            return require(status == WcStatus.SUCCESS && owner.bytes.getLong(PAGE) == 42
                && traffic.bytes.getLong(0) == 40, "%s: %d", status, owner.bytes.getLong(PAGE));
        });
    }

    String messages() throws IOException {
        return onAll((traffic, owner, buffer, region) -> {
            Vgem.fill(owner.bytes, 10, 6000, 3);
            final WcStatus sent = traffic.send(region.iova() + 10, region.lkey(), 6000);
            Vgem.requirePattern(traffic.bytes, 0, 6000, 3);
            Vgem.fill(traffic.bytes, 0, 7000, 4);
            final WcStatus received = traffic.receive(region.iova() + 2 * PAGE + 1, region.lkey(), 7000);
            Vgem.requirePattern(owner.bytes, 2 * PAGE + 1, 7000, 4);
            return require(sent == WcStatus.SUCCESS && received == WcStatus.SUCCESS, "%s, %s", sent, received);
        });
    }

    /** The region is exactly the part: what is mapped around it for its pages' sake is out of reach. */
    String part() throws IOException {
        final int offset = PAGE + 123;
        final int length = 2 * PAGE + 77;
        return on("emulated:", Vgem.of(SIZE), offset, length, (traffic, owner, buffer, region) -> {
            Vgem.fill(traffic.bytes, 0, length, 5);
            final WcStatus all = traffic.write(region.iova(), region.rkey(), length);
            final WcStatus before = traffic.write(region.iova() - 1, region.rkey(), 1);
            final WcStatus behind = traffic.write(region.iova() + length, region.rkey(), 1);
            Vgem.requirePattern(owner.bytes, offset, length, 5);
            owner.requireGuard(0, offset);
            owner.requireGuard(offset + length, SIZE);
            return require(all == WcStatus.SUCCESS && before == WcStatus.REM_ACCESS_ERR
                && behind == WcStatus.REM_ACCESS_ERR && buffer.address() % PAGE == 123, "%s, %s, %s", all, before,
                behind);
        });
    }

    /** FI_MR_VIRT_ADDR: peers name it by base_addr + offset of the process that allocated it. */
    String iova() throws IOException {
        final long base = 0x7000_1234_5000L;
        final int offset = PAGE + 10;
        try (Vgem owner = Vgem.of(SIZE); RdmaContext context = RdmaDevices.open("emulated:");
            Traffic traffic = new Traffic(context); DmaBuf buffer = DmaBuf.open(owner.fd.fd(), offset, PAGE);
            MemoryRegion region = traffic.pd.register(new MrOptions().memory(buffer.address(), PAGE, buffer)
                .iova(base + offset).access(ALL))) {
            Vgem.fill(traffic.bytes, 0, PAGE, 6);
            final WcStatus status = traffic.write(base + offset, region.rkey(), PAGE);
            Vgem.requirePattern(owner.bytes, offset, PAGE, 6);
            return require(status == WcStatus.SUCCESS, "%s at 0x%x", status, base + offset);
        }
    }

    /** With mlock, as real devices have their pages pinned: it passes over such mappings, and does not fail. */
    String mlock() throws IOException {
        return on("emulated:?mlock=true", Vgem.of(SIZE), 0, SIZE, (traffic, owner, buffer, region) -> {
            Vgem.fill(traffic.bytes, 0, PAGE, 7);
            final WcStatus status = traffic.write(region.iova(), region.rkey(), PAGE);
            Vgem.requirePattern(owner.bytes, 0, PAGE, 7);
            return require(status == WcStatus.SUCCESS, "%s, kernel's flags:%s", status, flags(buffer.address()));
        });
    }

    /** What was exported for reading is mapped for reading, and can be no target. */
    String readOnly() {
        try (VgemBuffer vgem = VgemBuffer.create(SIZE); Fd readable = vgem.export(false);
            DmaBuf buffer = DmaBuf.open(readable.fd()); RdmaContext context = RdmaDevices.open("emulated:");
            Traffic traffic = new Traffic(context)) {
            require(!buffer.isWritable(), "%s", buffer);
            final String refusal = Vgem.requireRefusal(() -> traffic.pd.register(
                buffer.address(), SIZE, buffer, ALL), RdmaException.EFAULT, "not writable");
            try (MemoryRegion region = traffic.pd.register(
                buffer.address(), SIZE, buffer, AccessFlag.REMOTE_READ)) {
                traffic.bytes.setMemory(0, PAGE, (byte) 1);
                final WcStatus read = traffic.read(region.iova(), region.rkey(), PAGE);
                final WcStatus written = traffic.write(region.iova(), region.rkey(), 1);
                require(read == WcStatus.SUCCESS && written == WcStatus.REM_ACCESS_ERR
                    && traffic.bytes.getByte(PAGE - 1) == 0, "%s, %s", read, written);
            }
            return refusal;
        }
    }

    String udmabuf() throws IOException {
        return on("emulated:", Vgem.of(UdmaBuf.create(SIZE), SIZE), PAGE, 4 * PAGE,
            (traffic, owner, buffer, region) -> {
                Vgem.fill(traffic.bytes, 0, 4 * PAGE, 8);
                final WcStatus status = traffic.write(region.iova(), region.rkey(), 4 * PAGE);
                Vgem.requirePattern(owner.bytes, PAGE, 4 * PAGE, 8);
                owner.requireGuard(0, PAGE);
                buffer.beginAccess(DmaBufAccess.READ_WRITE);
                buffer.endAccess(DmaBufAccess.READ_WRITE);
                return require(status == WcStatus.SUCCESS && buffer.exporter().equals("udmabuf"),
                    "%s, %s, kernel's flags:%s", status, buffer, flags(buffer.address()));
            });
    }
}
