/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A region that could not become another one is what it was, and nothing of the attempt is left. */
@Timeout(60)
class ReregisterFailuresTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final int ENOMEM = 12;
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};

    @RegisterExtension
    final Devices devices = new Devices();

    private PvrdmaContext device;
    private ProtectionDomain pd;
    private PinnedMemory memory;
    private PinnedMemory other;
    private MemoryRegion region;
    private Reach reach;
    private String before;
    private long reachableBefore;
    private int pagesBefore;
    private int objectsBefore;

    @BeforeEach
    void opens() {
        open("");
    }

    private void open(final String options) {
        device = devices.open(options);
        pd = device.allocatePd();
        memory = device.allocate(4 * PAGE);
        other = device.allocate(4 * PAGE);
        region = pd.register(memory, ALL);
        reach = new Reach(device, pd);
        remember();
    }

    private void remember() {
        before = describe();
        reachableBefore = device.reachableBytes();
        pagesBefore = device.device.arena().usedPages();
        objectsBefore = device.device.commands().liveObjects();
    }

    private String describe() {
        return region + " " + region.pd() + " " + region.rkey() + " " + region.access() + " " + region.iova();
    }

    private void assertAsBefore() {
        assertThat(region.isClosed()).isFalse();
        assertThat(describe()).isEqualTo(before);
        assertThat(device.reachableBytes()).isEqualTo(reachableBefore);
        assertThat(device.device.arena().usedPages()).isEqualTo(pagesBefore);
        assertThat(device.device.commands().liveObjects()).isEqualTo(objectsBefore);
        assertBusy(memory::close, region.toString());
        assertThat(reach.write(region, 3)).isEqualTo(WcStatus.SUCCESS);
        assertThat(memory.buffer().getByte(4 * PAGE - 1)).isEqualTo(Peer.pattern(4 * PAGE - 1, 3));
        remember();
    }

    /** The device gave the old one up: what its owner says to that must not cost the new one. */
    @Test
    void staysRegisteredWhenTheOldOwnerFails() {
        final RegionOwner owner = () -> {
            throw new IllegalStateException("test of an owner that fails");
        };
        final MemoryRegion moving =
            pd.register(new MrOptions().memory(memory.address(), PAGE, owner).access(ALL));
        assertThatThrownBy(() -> moving.reregister(new MrOptions().memory(other)))
            .isInstanceOf(IllegalStateException.class);
        assertThat(moving.isClosed()).isFalse();
        assertThat(moving.address()).isEqualTo(other.address());
        moving.close();
    }

    @Test
    void badRights() {
        assertInvalid(() -> region.reregister(new MrOptions().access(REMOTE_WRITE)), "without LOCAL_WRITE");
        assertInvalid(() -> region.reregister(new MrOptions().access(REMOTE_ATOMIC).memory(other)), "LOCAL_WRITE");
        assertAsBefore();
        final ByteBuffer readOnly = Reach.pages(1).asReadOnlyBuffer();
        assertRefused(RdmaException.EFAULT, () -> region.reregister(new MrOptions().buffer(readOnly)), "read-only");
        assertAsBefore();
    }

    @Test
    void badRanges() {
        assertInvalid(() -> region.reregister(new MrOptions().length(0)), "reregister memory", "length is 0");
        assertInvalid(() -> region.reregister(new MrOptions().length(-1)), "length is -1");
        assertInvalid(() -> region.reregister(new MrOptions().length(Long.MAX_VALUE)), "allowed are 1 to");
        assertRefused(RdmaException.EFAULT, () -> region.reregister(new MrOptions().memory(4096, 1)), "not mapped");
        assertInvalid(() -> region.reregister(new MrOptions().memory(-4096, 8192)), "wraps");
        assertInvalid(() -> region.reregister(new MrOptions().iova(1)), "byte 1");
        assertInvalid(() -> region.reregister(new MrOptions().iova(-4096)), "wraps");
        final PageList pages = new PageList().add(other);
        assertInvalid(() -> region.reregister(new MrOptions().pages(pages, 0, PAGE)), "4 pages", "need 1");
        assertRefused(RdmaException.EFAULT,
            () -> region.reregister(new MrOptions().pages(new PageList().add(4096), 0, 8)), "not mapped");
        assertAsBefore();
    }

    @Test
    void memoryOfOthersAndClosedMemory() {
        final PvrdmaContext otherDevice = devices.open();
        final PinnedMemory foreign = otherDevice.allocate(PAGE);
        assertInvalid(() -> region.reregister(new MrOptions().memory(foreign)), "another device");
        foreign.close();
        final PinnedMemory closed = device.allocate(PAGE);
        closed.close();
        assertClosed(() -> region.reregister(new MrOptions().memory(closed)), closed.toString());
        assertThat(region.address()).isEqualTo(memory.address());
        remember();
        assertAsBefore();
    }

    @Test
    void domainsOfOthersAndClosedDomains() {
        final ProtectionDomain foreign = devices.open().allocatePd();
        final ProtectionDomain closed = device.allocatePd();
        closed.close();
        assertInvalid(() -> region.reregister(new MrOptions().pd(foreign)), "another device");
        assertClosed(() -> region.reregister(new MrOptions().pd(closed).memory(other)), closed.toString());
        assertAsBefore();
    }

    @Test
    void nothingToChange() {
        assertInvalid(() -> region.reregister(null), "changes is null");
        assertInvalid(() -> region.reregister(new MrOptions()), "changes nothing");
        assertAsBefore();
    }

    @Test
    void theDeviceRefuses() {
        final AtomicInteger calls = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final long address = BufferUtil.address(buffer);
        final RegionOwner owner = calls::incrementAndGet;
        final PageList pages = new PageList().add(other, 2, 1).add(address, owner);
        final ProtectionDomain next = device.allocatePd();
        remember();
        for (final MrOptions changes : new MrOptions[]{
            new MrOptions().access(LOCAL_WRITE), new MrOptions().memory(other), new MrOptions().pd(next),
            new MrOptions().memory(address, PAGE, owner), new MrOptions().pages(pages, 0, 2 * PAGE),
            new MrOptions().iova(0), new MrOptions().zeroBased(), new MrOptions().length(5)}) {
            for (final int error : new int[]{5, ENOMEM, 22}) {
                Devices.emulated(device).faults().commands().failNext(Command.CREATE_MR, error);
                assertThatThrownBy(() -> region.reregister(changes)).isInstanceOf(RdmaException.class);
                assertAsBefore();
            }
        }
        assertThat(calls).hasValue(0);
        other.close();
        next.close();
        assertThat(region.isClosed()).isFalse();
    }

    @Test
    void noRoomForTwo() {
        open("max_mr=2");
        assertThatThrownBy(() -> region.reregister(new MrOptions().access(LOCAL_WRITE)))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM))
            .hasMessageContaining(region.toString()).hasMessageContaining("beside the old one")
            .hasMessageContaining("the region is as it was");
        assertAsBefore();
        reach.peer.region.close();
        region.reregister(new MrOptions().access(LOCAL_WRITE));
        assertThat(region.access()).containsExactly(LOCAL_WRITE);
    }

    @Test
    void aClosedRegion() {
        region.close();
        assertClosed(() -> region.reregister(new MrOptions().access(LOCAL_WRITE)), region.toString());
        assertClosed(() -> region.reregister(new MrOptions().memory(other)), region.toString());
        memory.close();
        other.close();
    }

    @Test
    void theRegionIsClosedIfTheDeviceDoesNotEndTheOldOne() {
        Devices.emulated(device).faults().commands().failNext(Command.DESTROY_MR, 5);
        final int lkey = region.lkey();
        assertThatThrownBy(() -> region.reregister(new MrOptions().memory(other))).isInstanceOf(RdmaException.class)
            .hasMessageContaining("DESTROY_MR");
        assertThat(region.isClosed()).isTrue();
        assertThat(region.lkey()).isNotEqualTo(lkey);
        assertThat(reach.send(region.iova(), 1, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        memory.close();
        other.close();
        region.close();
    }

    @Test
    void theSameWhenOnlyItsRightsWereToChange() {
        Devices.emulated(device).faults().commands().failNext(Command.DESTROY_MR, 5);
        assertThatThrownBy(() -> region.reregister(new MrOptions().access(LOCAL_WRITE)))
            .isInstanceOf(RdmaException.class);
        assertThat(region.isClosed()).isTrue();
        memory.close();
    }
}
