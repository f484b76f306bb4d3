/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Regions of pages in an order of the application's own (checklist 97). */
@Timeout(60)
class PhysicalRegionTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final byte UNTOUCHED = 0x55;

    @RegisterExtension
    final Devices devices = new Devices();

    private PvrdmaContext device;
    private ProtectionDomain pd;

    @BeforeEach
    void opens() {
        device = devices.open();
        pd = device.allocatePd();
    }

    private static MrOptions writable(final PageList pages, final int offset, final long length) {
        return new MrOptions().pages(pages, offset, length).access(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
    }

    private static void assertUntouched(final UnsafeBuffer bytes, final int from, final int to) {
        for (int i = from; i < to; i++) {
            assertThat(bytes.getByte(i)).as("byte 0x%x", i).isEqualTo(UNTOUCHED);
        }
    }

    private static void assertPattern(
        final UnsafeBuffer bytes, final int at, final int length, final int firstOfPattern, final int seed) {
        for (int i = 0; i < length; i++) {
            assertThat(bytes.getByte(at + i)).as("byte %d of the region, at 0x%x", firstOfPattern + i, at + i)
                .isEqualTo(Peer.pattern(firstOfPattern + i, seed));
        }
    }

    /** The specification's example (checklist 106), with pages 5, 1 and 3 for those at 61000h, 74000h and 8B000h. */
    @Test
    void theExampleOf141200hHasItsThreePagesAndEndsAt14390Fh() {
        final PinnedMemory memory = device.allocate(8 * PAGE);
        final UnsafeBuffer bytes = memory.buffer();
        final PageList pages = new PageList().add(memory, 5, 1).add(memory, 1, 1).add(memory, 3, 1);
        final MemoryRegion region = pd.register(writable(pages, 0x200, 10_000).iova(0x141200));
        assertThat(region.iova()).isEqualTo(0x141200);
        assertThat(region.length()).isEqualTo(10_000);
        assertThat(region.address()).isEqualTo(memory.address() + 5 * PAGE + 0x200);
        final Reach reach = new Reach(device, pd);

        bytes.setMemory(0, 8 * PAGE, UNTOUCHED);
        assertThat(reach.write(0x141200, region.rkey(), 10_000, 7)).isEqualTo(WcStatus.SUCCESS);
        assertExample(bytes, 7);

        for (int i = 0; i < 10_000; i++) {
            assertThat(reach.write(0x141200 + i, region.rkey(), 1, i)).as("byte %d", i).isEqualTo(WcStatus.SUCCESS);
        }
        for (int i = 0; i < 10_000; i++) {
            final int at = (i < 3584 ? 0x5200 : i < 7680 ? 0x1000 - 3584 : 0x3000 - 7680) + i;
            assertThat(bytes.getByte(at)).as("byte %d", i).isEqualTo(Peer.pattern(0, i));
        }

        assertThat(reach.write(0x14390F, region.rkey(), 1, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bytes.getByte(0x390F)).isEqualTo(Peer.pattern(0, 1));
        assertThat(reach.write(0x143910, region.rkey(), 1, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(0x14390F, region.rkey(), 2, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.read(0x143910, region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(0x1411FF, region.rkey(), 1, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(0x143910, 1, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(reach.send(0x14390F, 1, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(bytes.getByte(0x390F)).as("not by what was refused").isEqualTo(Peer.pattern(0, 1));
        assertUntouched(bytes, 0x3910, 8 * PAGE - 3 * PAGE);
    }

    private static void assertExample(final UnsafeBuffer bytes, final int seed) {
        assertPattern(bytes, 0x5200, 3584, 0, seed);
        assertPattern(bytes, 0x1000, 4096, 3584, seed);
        assertPattern(bytes, 0x3000, 2320, 3584 + 4096, seed);
        assertUntouched(bytes, 0, 0x1000);
        assertUntouched(bytes, 0x2000, 0x3000);
        assertUntouched(bytes, 0x3910, 0x5200);
        assertUntouched(bytes, 0x6000, 0x8000);
    }

    @Test
    void aRegionOverPagesOfSeveralMemoriesIsOne() {
        final PinnedMemory first = device.allocate(4 * PAGE);
        final PinnedMemory second = device.allocate(2 * PAGE);
        final ByteBuffer buffer = Reach.pages(4);
        final ByteBuffer twoPages = buffer.duplicate().position(PAGE).limit(3 * PAGE);
        final ByteBuffer unmanaged = Reach.pages(3);
        final PageList pages = new PageList().add(second).add(twoPages).add(first, 2, 2)
            .add(BufferUtil.address(unmanaged) + PAGE).add(first, 0, 1);
        assertThat(pages.size()).isEqualTo(8);
        final MemoryRegion region = pd.register(writable(pages, 100, 8 * PAGE - 200));
        assertThat(region.address()).isEqualTo(second.address() + 100);
        assertThat(region.iova()).as("the first page's own").isEqualTo(second.address() + 100);

        assertThat(new Reach(device, pd).write(region, 3)).isEqualTo(WcStatus.SUCCESS);

        final UnsafeBuffer others = new UnsafeBuffer(buffer);
        assertPattern(second.buffer(), 100, 2 * PAGE - 100, 0, 3);
        assertPattern(others, PAGE, 2 * PAGE, 2 * PAGE - 100, 3);
        assertPattern(first.buffer(), 2 * PAGE, 2 * PAGE, 4 * PAGE - 100, 3);
        assertPattern(new UnsafeBuffer(unmanaged), PAGE, PAGE, 6 * PAGE - 100, 3);
        assertPattern(first.buffer(), 0, PAGE - 100, 7 * PAGE - 100, 3);
        assertThat(first.buffer().getByte(PAGE - 100)).isZero();
        assertThat(others.getByte(PAGE - 1)).isZero();
        assertThat(others.getByte(3 * PAGE)).isZero();
    }

    @Test
    void aPageMayComeSeveralTimes() {
        final PinnedMemory memory = device.allocate(2 * PAGE);
        final PageList pages = new PageList().add(memory, 1, 1).add(memory, 0, 1).add(memory, 1, 1);
        final MemoryRegion region = pd.register(writable(pages, 0, 3 * PAGE).iova(0x7000));
        final Reach reach = new Reach(device, pd);
        assertThat(reach.write(0x7000 + 5, region.rkey(), 100, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.read(0x7000 + 2 * PAGE + 5, region.rkey(), 100)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 100, 1)).isEqualTo(-1);
        assertPattern(memory.buffer(), PAGE + 5, 100, 0, 1);
    }

    @Test
    void eachPageIsMappedOnceHoweverOftenItComes() {
        final ByteBuffer buffer = Reach.pages(2048);
        final long before = device.reachableBytes();
        final PageList pages = new PageList();
        for (int i = 0; i < 400; i++) {
            pages.add(BufferUtil.address(buffer) + (i * 7 % 100) * (long) PAGE);
        }
        final MemoryRegion region = pd.register(writable(pages, 0, 400 * PAGE));
        // The directory, a table, and what else of a chunk of the driver's memory comes with them.
        assertThat(device.reachableBytes() - before).isBetween(100L * PAGE, 100L * PAGE + (256 << 10));
        region.close();
        assertThat(device.reachableBytes() - before).isLessThanOrEqualTo(256 << 10);
    }

    @Test
    void randomListsCarryEveryByteToItsPlace() {
        final Random random = new Random(42);
        final Reach reach = new Reach(device, pd);
        final PinnedMemory memory = device.allocate(32 * PAGE);
        final UnsafeBuffer bytes = memory.buffer();
        for (int round = 0; round < 100; round++) {
            final int count = 1 + random.nextInt(14);
            final int[] order = random.ints(0, 32).distinct().limit(count).toArray();
            final PageList pages = new PageList();
            for (final int page : order) {
                pages.add(memory, page, 1);
            }
            final int offset = random.nextInt(PAGE);
            final int length = count == 1 ? 1 + random.nextInt(PAGE - offset)
                : (count - 1) * PAGE - offset + 1 + random.nextInt(PAGE);
            final MemoryRegion region = pd.register(writable(pages, offset, length));
            assertThat(reach.write(region, round)).isEqualTo(WcStatus.SUCCESS);
            for (int i = 0; i < length; i++) {
                final int at = order[(offset + i) / PAGE] * PAGE + (offset + i) % PAGE;
                assertThat(bytes.getByte(at)).as("round %d byte %d", round, i).isEqualTo(Peer.pattern(i, round));
            }
            region.close();
        }
    }

    @Test
    void theListCanBeChangedWhenTheRegionIsMade() {
        final PinnedMemory memory = device.allocate(4 * PAGE);
        final PageList pages = new PageList().add(memory, 3, 1);
        final MemoryRegion region = pd.register(writable(pages, 0, PAGE));
        pages.clear().add(memory, 0, 1);
        assertThat(new Reach(device, pd).write(region, 9)).isEqualTo(WcStatus.SUCCESS);
        assertPattern(memory.buffer(), 3 * PAGE, PAGE, 0, 9);
        assertThat(memory.buffer().getByte(1)).isZero();
    }

    @Test
    void holdsEveryOwnerOfItsPages() {
        final PinnedMemory first = device.allocate(PAGE);
        final PinnedMemory second = device.allocate(PAGE);
        final AtomicInteger calls = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final RegionOwner owner = calls::incrementAndGet;
        final PageList pages = new PageList().add(first).add(BufferUtil.address(buffer), owner).add(second)
            .add(BufferUtil.address(buffer), owner);
        final MemoryRegion region = pd.register(writable(pages, 0, 4 * PAGE));
        assertBusy(first::close, region.toString());
        assertBusy(second::close, region.toString());
        assertThat(calls).hasValue(0);
        region.close();
        assertThat(calls).as("told once").hasValue(1);
        first.close();
        second.close();
    }

    @Test
    void needsExactlyThePagesOfItsBytes() {
        final PinnedMemory memory = device.allocate(4 * PAGE);
        final PageList three = new PageList().add(memory, 0, 3);
        pd.register(writable(three, 4095, PAGE + 2)).close();
        pd.register(writable(three, 0, 3 * PAGE)).close();
        assertInvalid(() -> pd.register(writable(three, 0, 2 * PAGE)), "3 pages", "8192 bytes", "need 2");
        assertInvalid(() -> pd.register(writable(three, 1, 3 * PAGE)), "3 pages", "from offset 1", "need 4");
        assertInvalid(() -> pd.register(writable(new PageList(), 0, 1)), "0 pages", "need 1");
        assertInvalid(() -> pd.register(writable(three, -1, 3 * PAGE)), "offset", "-1", "0 to 4095");
        assertInvalid(() -> pd.register(writable(three, PAGE, 3 * PAGE)), "offset", "4096", "0 to 4095");
        assertInvalid(() -> pd.register(writable(three, 0, 0)), "length is 0");
        assertInvalid(() -> pd.register(writable(three, 0, -1)), "length is -1");
        assertInvalid(() -> pd.register(writable(three, 0, Long.MAX_VALUE)), "allowed are 1 to");
    }

    @Test
    void takesOnlyPagesThatThisProcessHas() {
        final PinnedMemory memory = device.allocate(PAGE);
        final long before = device.reachableBytes();
        for (final long foreign : new long[]{4096, 0, -4096L, 0x7f00_0000_0000_0000L, 0xffff_8000_0000_0000L}) {
            final PageList pages = new PageList().add(memory).add(foreign);
            assertThatThrownBy(() -> pd.register(writable(pages, 0, 2 * PAGE)))
                .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EFAULT))
                .hasMessageContaining("0x" + Long.toHexString(foreign));
        }
        final ByteBuffer readOnly = Reach.pages(2);
        final PageList pages = new PageList().add(readOnly.limit(PAGE).asReadOnlyBuffer());
        assertRefused(RdmaException.EFAULT, () -> pd.register(writable(pages, 0, PAGE)), "read-only");
        pd.register(new MrOptions().pages(pages, 0, PAGE).access(REMOTE_READ)).close();
        assertThat(device.reachableBytes()).isEqualTo(before);
        memory.close();
    }

    /** Checklist 104: what QPs and CQs are made of is in no region, so no peer can write a work request. */
    @Test
    void ringsAndDirectoriesAreNobodysRegion() {
        final ByteBuffer buffer = Reach.pages(1);
        try (DmaPages ring = device.device.arena().allocate(2)) {
            final long address = ring.address();
            final PageList pages = new PageList().add(buffer).add(address + PAGE);
            assertRefused(RdmaException.EFAULT, () -> pd.register(writable(pages, 0, 2 * PAGE)), "driver's own memory");
            assertRefused(RdmaException.EFAULT, () -> pd.register(address + 5, 8), "driver's own memory");
            assertRefused(RdmaException.EFAULT, () -> pd.register(address + 2 * PAGE - 1, 1), "driver's own memory");
            assertRefused(RdmaException.EFAULT, () -> pd.register(address - 1, 2), "0x");
            assertRefused(RdmaException.EFAULT, () -> pd.register(address + 2 * PAGE - 1, 2), "0x");
            assertRefused(RdmaException.EFAULT, () -> pd.register(address, PAGE, buffer, LOCAL_WRITE), "own memory");
            final MemoryRegion region = pd.register(buffer, LOCAL_WRITE);
            assertRefused(RdmaException.EFAULT, () -> region.reregister(new MrOptions().memory(address, 1)), "own");
            // That pages are looked for later makes no difference.
            assertRefused(RdmaException.EFAULT, () -> pd.register(address + 5, 8, LOCAL_WRITE, REMOTE_WRITE, ON_DEMAND),
                "driver's own memory");
            final PageList first = new PageList().add(address);
            assertRefused(RdmaException.EFAULT, () -> pd.register(new MrOptions().pages(first, 0, PAGE)
                .access(LOCAL_WRITE, ON_DEMAND)), "driver's own memory");
            assertRefused(RdmaException.EFAULT, () -> region.reregister(new MrOptions().memory(address, 1)
                .access(ON_DEMAND)), "driver's own memory");
        }
    }

    @Test
    void refusesWhatIsNoPage() {
        final PinnedMemory memory = device.allocate(2 * PAGE);
        final PageList pages = new PageList();
        assertInvalid(() -> pages.add(memory.address() + 1), "multiple of 4096");
        assertInvalid(() -> pages.add(memory.address() + 1, memory), "multiple of 4096");
        assertInvalid(() -> pages.add((PinnedMemory) null), "null");
        assertInvalid(() -> pages.add((PinnedMemory) null, 0, 1), "null");
        assertInvalid(() -> pages.add((ByteBuffer) null), "null");
        assertInvalid(() -> pages.add(ByteBuffer.allocate(PAGE)), "heap");
        final ByteBuffer buffer = Reach.pages(3);
        assertInvalid(() -> pages.add(buffer.duplicate().position(8)), "position", "multiple of 4096", "alignedSlice");
        assertInvalid(() -> pages.add(buffer.duplicate().limit(PAGE + 1)), "length", "0x1001");
        assertInvalid(() -> pages.add(memory, -1, 1), "has 2");
        assertInvalid(() -> pages.add(memory, 0, -1), "has 2");
        assertInvalid(() -> pages.add(memory, 0, 3), "pages 0 to 2", "has 2");
        assertInvalid(() -> pages.add(memory, Integer.MAX_VALUE, Integer.MAX_VALUE), "has 2");
        assertThat(pages.size()).isZero();
        assertThatThrownBy(() -> pages.address(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pages.owner(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(pages.toString()).isEqualTo("0 pages");
        assertInvalid(() -> new MrOptions().pages(null, 0, 1), "null");
    }

    @Test
    void refusesClosedAndForeignMemory() {
        final PvrdmaContext other = devices.open();
        final PinnedMemory foreign = other.allocate(PAGE);
        final PinnedMemory closed = device.allocate(PAGE);
        final PinnedMemory open = device.allocate(PAGE);
        final PageList withClosed = new PageList().add(open).add(closed);
        final PageList withForeign = new PageList().add(open).add(foreign);
        closed.close();
        assertClosed(() -> pd.register(writable(withClosed, 0, 2 * PAGE)), closed.toString());
        assertInvalid(() -> pd.register(writable(withForeign, 0, 2 * PAGE)), "another device");
        open.close();
        foreign.close();
    }

    @Test
    void nothingIsLeftIfTheDeviceRefuses() {
        final PinnedMemory memory = device.allocate(4 * PAGE);
        final PageList pages = new PageList().add(memory, 3, 1).add(memory, 0, 1);
        final AtomicInteger calls = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        pages.add(BufferUtil.address(buffer), (RegionOwner) calls::incrementAndGet);
        pd.register(writable(pages, 0, 3 * PAGE)).close();
        final long before = device.reachableBytes();
        Devices.emulated(device).faults().commands().failNextCommand(12);
        assertThatThrownBy(() -> pd.register(writable(pages, 0, 3 * PAGE))).isInstanceOf(RdmaException.class);
        assertThat(device.reachableBytes()).isEqualTo(before);
        assertThat(calls).as("told of regions only").hasValue(1);
        memory.close();
    }

    @Test
    void manyPagesAreFoundOneByOne() {
        final ByteBuffer buffer = Reach.pages(3000);
        final long address = BufferUtil.address(buffer);
        final List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 2900; i++) {
            order.add(i * 1013 % 2900);
        }
        final PageList pages = new PageList();
        order.forEach(page -> pages.add(address + page * (long) PAGE, buffer));
        final MemoryRegion region = pd.register(writable(pages, 0, 2900L * PAGE).iova(0));
        final Reach reach = new Reach(device, pd);
        for (int i = 0; i < 2900; i += 29) {
            assertThat(reach.write((long) i * PAGE + 17, region.rkey(), 1, i)).isEqualTo(WcStatus.SUCCESS);
            assertThat(buffer.get(order.get(i) * PAGE + 17)).as("page %d", i).isEqualTo(Peer.pattern(0, i));
        }
        assertThat(reach.write(2900L * PAGE, region.rkey(), 1, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
}
