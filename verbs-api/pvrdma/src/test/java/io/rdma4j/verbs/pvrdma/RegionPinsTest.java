/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.PagePins;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Regions of all kinds over the same pages, made, changed and closed in any order: a page is pinned exactly as long as
 * a region has it (checklist 102, 103).
 */
@Timeout(120)
class RegionPinsTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final int PAGES = 64;
    private static final int STEPS_PER_LOOK_AT_THE_KERNEL = 20;

    @RegisterExtension
    final Devices devices = new Devices();

    private final ByteBuffer buffer = Reach.pages(PAGES);
    private final long address = BufferUtil.address(buffer);
    private final Map<MemoryRegion, BitSet> model = new HashMap<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private Random random;
    private PvrdmaContext device;
    private ProtectionDomain pd;
    private ProtectionDomain otherPd;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aPageIsPinnedAsLongAsARegionHasIt(final long seed) {
        final long pinnedBefore = PagePins.process().pinnedBytes();
        random = new Random(seed);
        device = devices.open("mlock=true");
        pd = device.allocatePd();
        otherPd = device.allocatePd();
        for (int step = 0; step < 300; step++) {
            final String did = step();
            assertPinned("step " + step + ": " + did);
            if (step % STEPS_PER_LOOK_AT_THE_KERNEL == 0) {
                assertLocked("step " + step + ": " + did);
            }
        }
        while (!regions.isEmpty()) {
            closeOne();
            assertPinned("closing");
        }
        assertLocked("when all is closed");
        device.close();
        assertThat(PagePins.process().pinnedBytes()).isEqualTo(pinnedBefore);
    }

    /** The buffer itself is mapped by no owner's name, so nothing else pins its pages. */
    private void assertPinned(final String when) {
        final BitSet expected = new BitSet();
        model.values().forEach(expected::or);
        final BitSet pinned = new BitSet();
        for (int page = 0; page < PAGES; page++) {
            pinned.set(page, PagePins.process().count(address + (long) page * PAGE) > 0);
        }
        assertThat(pinned).as(when).isEqualTo(expected);
    }

    /** What is counted as pinned is: the kernel says so. */
    private void assertLocked(final String when) {
        final BitSet expected = new BitSet();
        model.values().forEach(expected::or);
        assertThat(LockedPages.in(address, PAGES)).as(when).isEqualTo(expected);
    }

    private String step() {
        final boolean fails = random.nextInt(6) == 0;
        if (fails) {
            Devices.emulated(device).faults().commands().failNext(Command.CREATE_MR, 12);
        }
        final int choice = random.nextInt(10);
        try {
            if (regions.isEmpty() || choice < 3) {
                final BitSet pages = new BitSet();
                add(pd.register(anyMemory(pages).access(LOCAL_WRITE)), pages);
                return "registered " + pages;
            }
            if (choice < 5) {
                final MemoryRegion existing = any();
                add(otherPd.registerShared(existing, existing.address(), REMOTE_READ), model.get(existing));
                return "shared " + existing;
            }
            return choice < 8 ? change(any()) : closeOne();
        } catch (final RdmaException e) {
            assertThat(fails).as("%s", e).isTrue();
            return "failed";
        } finally {
            if (fails) {
                forgetFault();
            }
        }
    }

    /** Nothing may have met it. */
    private void forgetFault() {
        try {
            pd.register(address, 1).close();
        } catch (final RdmaException e) {
            assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM);
        }
    }

    private String change(final MemoryRegion region) {
        final int choice = random.nextInt(4);
        if (choice == 0) {
            final BitSet pages = new BitSet();
            region.reregister(anyMemory(pages));
            model.put(region, pages);
            return "moved to " + pages;
        }
        region.reregister(choice == 1 ? new MrOptions().access(REMOTE_READ)
            : choice == 2 ? new MrOptions().pd(random.nextBoolean() ? pd : otherPd)
            : new MrOptions().zeroBased());
        return "changed " + region;
    }

    private MrOptions anyMemory(final BitSet pages) {
        if (random.nextBoolean()) {
            final int from = random.nextInt(PAGES * PAGE);
            final int length = 1 + random.nextInt(PAGES * PAGE - from);
            pages.set(from / PAGE, (from + length - 1) / PAGE + 1);
            return new MrOptions().memory(address + from, length).zeroBased();
        }
        final PageList list = new PageList();
        final int count = 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            final int page = random.nextInt(PAGES);
            pages.set(page);
            list.add(address + (long) page * PAGE);
        }
        return new MrOptions().pages(list, 0, (long) count * PAGE).zeroBased();
    }

    private void add(final MemoryRegion region, final BitSet pages) {
        regions.add(region);
        model.put(region, pages);
    }

    private MemoryRegion any() {
        return regions.get(random.nextInt(regions.size()));
    }

    private String closeOne() {
        final MemoryRegion region = regions.remove(random.nextInt(regions.size()));
        region.close();
        model.remove(region);
        return "closed " + region;
    }
}
