/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Range.PAGE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.PagePins;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Regions over addresses at which there need not be anything: checklist 19, 22, 26. */
@Timeout(120)
class OnDemandTest {
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, ON_DEMAND};

    @RegisterExtension
    final Devices devices = new Devices();

    private final Range range = new Range(64 * PAGE);
    private PvrdmaContext device;
    private ProtectionDomain pd;
    private Reach reach;

    private MemoryRegion register(final AccessFlag... access) {
        device = devices.open();
        pd = device.allocatePd();
        reach = new Reach(device, pd);
        return pd.register(range.address, range.length, access);
    }

    @AfterEach
    void unmapAll() {
        range.close();
    }

    @Test
    void whatIsMappedAfterRegistrationIsReachedBothWays() {
        final MemoryRegion region = register(ALL);
        assertThat(region.access()).contains(ON_DEMAND);
        assertThat(reach.write(region.iova(), region.rkey(), 100, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.read(region.iova(), region.rkey(), 100)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(region.iova(), 100, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);

        range.map(0, 64);
        for (final int length : new int[]{1, 7, 8, 9, 100, 4096, 5000, 65_536}) {
            final long offset = 3000;
            assertThat(reach.write(region.iova() + offset, region.rkey(), length, length)).isEqualTo(WcStatus.SUCCESS);
            assertThat(range.firstDifference(offset, length, length)).as("%d written", length).isEqualTo(-1);
            range.fill(offset, length, length + 1);
            assertThat(reach.read(region.iova() + offset, region.rkey(), length)).isEqualTo(WcStatus.SUCCESS);
            assertThat(reach.peer.firstDifference(0, length, length + 1)).as("%d read", length).isEqualTo(-1);
            range.fill(offset, length, length + 2);
            assertThat(reach.send(region.iova() + offset, length, region.lkey())).isEqualTo(WcStatus.SUCCESS);
            assertThat(reach.peer.firstDifference(0, length, length + 2)).as("%d sent", length).isEqualTo(-1);
        }
    }

    /** Unmapped, mapped anew, dropped, moved away: a transfer sees what is there at that moment, and never the old. */
    @Test
    void transfersFollowTheMapping() {
        final MemoryRegion region = register(ALL);
        range.map(0, 2);
        range.fill(0, PAGE, 1);
        assertThat(reach.read(region.iova(), region.rkey(), PAGE)).isEqualTo(WcStatus.SUCCESS);
        range.unmap(0, 2);
        assertThat(reach.read(region.iova(), region.rkey(), PAGE)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.map(0, 2);
        range.fill(0, PAGE, 2);
        assertThat(reach.read(region.iova(), region.rkey(), PAGE)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, PAGE, 2)).isEqualTo(-1);
        Libc.madvise(range.address, PAGE, LibcConstants.MADV_DONTNEED);
        assertThat(reach.read(region.iova(), region.rkey(), PAGE)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.bytes.getByte(5)).as("a page of zeros").isZero();
        assertThat(reach.write(region.iova(), region.rkey(), PAGE, 3)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(0, PAGE, 3)).isEqualTo(-1);
        // A hole that only a mapping of one page fits into: nothing of the JVM's.
        Libc.munmap(range.at(PAGE), PAGE);
        assertThat(reach.write(region.iova() + PAGE, region.rkey(), 8, 3)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.unmap(1, 1);
    }

    @Test
    void receivesAndResultsLandOrFailAsLocalErrors() {
        final MemoryRegion region = register(ALL);
        assertThat(reach.sendInto(region.iova(), 100, region.lkey(), 1)).as("receiver")
            .isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(reach.readInto(region.iova(), 100, region.lkey(), 2)).isEqualTo(WcStatus.LOC_PROT_ERR);
        range.map(0, 2);
        assertThat(reach.sendInto(region.iova(), 5000, region.lkey(), 3)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(0, 5000, 3)).isEqualTo(-1);
        assertThat(reach.readInto(region.iova(), 5000, region.lkey(), 4)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(0, 5000, 4)).isEqualTo(-1);
    }

    @Test
    void pagesWithoutTheRightAreAsGoodAsMissing() {
        final MemoryRegion region = register(ALL);
        range.map(0, 1);
        range.fill(0, PAGE, 5);
        range.protect(0, 1, LibcConstants.PROT_READ);
        assertThat(reach.read(region.iova(), region.rkey(), PAGE)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, PAGE, 5)).isEqualTo(-1);
        assertThat(reach.write(region.iova(), region.rkey(), 8, 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.sendInto(region.iova(), 8, region.lkey(), 6)).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(reach.fetchAdd(region.iova(), region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(range.firstDifference(0, PAGE, 5)).as("nothing was written").isEqualTo(-1);
        range.protect(0, 1, LibcConstants.PROT_NONE);
        assertThat(reach.read(region.iova(), region.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(region.iova(), 8, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        range.protect(0, 1, Range.READ_WRITE);
        assertThat(reach.read(region.iova(), region.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
    }

    /** The page that is there may have been written, and nothing beyond it. */
    @Test
    void ofATransferThatMeetsAHoleAtMostThePagesBeforeItAreWritten() {
        final MemoryRegion region = register(ALL);
        range.map(0, 1);
        range.map(2, 1);
        assertThat(reach.write(region.iova() + 100, region.rkey(), 3 * PAGE - 200, 7))
            .isEqualTo(WcStatus.REM_ACCESS_ERR);
        for (int i = 0; i < PAGE - 100; i++) {
            assertThat(range.bytes(100, PAGE).getByte(i)).isIn((byte) 0, Peer.pattern(i, 7));
        }
        assertThat(range.bytes(0, 100).getByte(99)).isZero();
        for (int i = 0; i < PAGE; i++) {
            assertThat(range.bytes(2 * PAGE, PAGE).getByte(i)).as("behind the hole, byte %d", i).isZero();
        }
        assertThat(reach.send(region.iova(), 3 * PAGE, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        range.map(1, 1);
        assertThat(reach.write(region.iova() + 100, region.rkey(), 3 * PAGE - 200, 8)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(100, 3 * PAGE - 200, 8)).isEqualTo(-1);
    }

    @Test
    void atomicsWorkAndFailLikeWrites() {
        final MemoryRegion region = register(ALL);
        assertThat(reach.fetchAdd(region.iova(), region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.map(0, 1);
        range.bytes(8, 8).putLong(0, 40);
        assertThat(reach.fetchAdd(region.iova() + 8, region.rkey(), 2)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.bytes.getLong(0)).as("original").isEqualTo(40);
        assertThat(range.bytes(8, 8).getLong(0)).isEqualTo(42);
        assertThat(reach.compareSwap(region.iova() + 8, region.rkey(), 41, 7)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.bytes(8, 8).getLong(0)).isEqualTo(42);
        assertThat(reach.compareSwap(region.iova() + 8, region.rkey(), 42, 7)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.bytes(8, 8).getLong(0)).isEqualTo(7);
        assertThat(reach.fetchAdd(region.iova() + 4, region.rkey(), 2)).isEqualTo(WcStatus.REM_INV_REQ_ERR);
    }

    /** Nothing of the driver or the device may be found behind a region of addresses that are not mapped. */
    @Test
    void boundsRightsAndKeysCountAsEver() {
        final MemoryRegion region = register(ON_DEMAND, REMOTE_READ);
        range.map(0, 64);
        assertThat(reach.write(region.iova(), region.rkey(), 8, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.read(region.iova() + region.length() - 4, region.rkey(), 5))
            .isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.read(region.iova() + region.length() - 4, region.rkey(), 4)).isEqualTo(WcStatus.SUCCESS);
        final int lkey = region.lkey();
        final int rkey = region.rkey();
        region.close();
        reach.assertDead(lkey, rkey, range.address);
    }

    @Test
    void nothingIsPinnedAndNothingIsLeft() {
        final long pinned = PagePins.process().pinnedBytes();
        device = devices.open("mlock=true");
        pd = device.allocatePd();
        final long before = device.reachableBytes();
        final long driverPins = PagePins.process().pinnedBytes();
        final MemoryRegion region = pd.register(range.address + 1, range.length - 2, ALL);
        assertThat(PagePins.process().count(range.address)).isZero();
        assertThat(PagePins.process().pinnedBytes() - driverPins).as("the page directory").isLessThan(1 << 20);
        assertThat(device.reachableBytes() - before).isGreaterThanOrEqualTo(range.length);
        final MemoryRegion second = pd.register(range.address, PAGE, ALL);
        region.close();
        second.close();
        assertThat(device.reachableBytes()).isLessThan(before + range.length);
        device.close();
        assertThat(PagePins.process().pinnedBytes()).isEqualTo(pinned);
    }

    @Test
    void aRegionMayBeLongerThanAllOfMemory() {
        device = devices.open();
        pd = device.allocatePd();
        reach = new Reach(device, pd);
        final long length = 64L << 30;
        try (Range large = new Range(length)) {
            final MemoryRegion region = pd.register(large.address, length, ALL);
            large.map((int) (length / PAGE) - 1, 1);
            assertThat(reach.write(region.iova() + length - 100, region.rkey(), 100, 9)).isEqualTo(WcStatus.SUCCESS);
            assertThat(large.firstDifference(length - 100, 100, 9)).isEqualTo(-1);
            assertThat(reach.write(region.iova(), region.rkey(), 100, 9)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            region.close();
        }
    }

    @Test
    void itCanBeSharedAndChangedAndShownByWindows() {
        final MemoryRegion region = register(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, MW_BIND, ON_DEMAND);
        assertInvalid(() -> pd.registerShared(region, region.address(), LOCAL_WRITE), "ON_DEMAND");
        final MemoryRegion shared = pd.registerShared(region, region.address(), REMOTE_READ, ON_DEMAND);
        range.map(0, 64);
        range.fill(0, 100, 1);
        assertThat(reach.read(shared.iova(), shared.rkey(), 100)).isEqualTo(WcStatus.SUCCESS);
        shared.reregister(new MrOptions().access(REMOTE_READ));
        assertThat(shared.access()).doesNotContain(ON_DEMAND);
        assertThat(reach.read(shared.iova(), shared.rkey(), 100)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 100, 1)).isEqualTo(-1);
        shared.reregister(new MrOptions().zeroBased().access(REMOTE_READ, ON_DEMAND));
        range.unmap(0, 1);
        assertThat(reach.read(0, shared.rkey(), 100)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.map(0, 1);
        assertThat(reach.read(0, shared.rkey(), 100)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.bindAndWrite(region, pd.allocateWindow(WindowType.TYPE_1), PAGE, 100, 4))
            .isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(PAGE, 100, 4)).isEqualTo(-1);
    }

    @Test
    void datagramsAreSentFromAndReceivedIntoSuchPages() {
        device = devices.open();
        final Peer from = Peer.ud(device);
        final Peer to = Peer.ud(device);
        final MemoryRegion source = from.pd.register(range.address, 8 * PAGE, ALL);
        final MemoryRegion target = to.pd.register(range.at(8 * PAGE), 8 * PAGE, ALL);
        range.map(0, 1);
        range.map(8, 1);
        range.fill(0, 200, 4);
        assertThat(to.qp.postReceive(1, target.iova(), 240, target.lkey())).isZero();
        final AddressHandle way = from.pd.createAh(AhAttributes.to(device.queryGid(1, 0)));
        final SendRequest request = new SendRequest().to(way, to.qp.qpNumber(), Peer.QKEY)
            .sge(source.iova(), 200, source.lkey());
        assertThat(from.qp.postSend(request)).isZero();
        assertThat(Completions.awaitSuccess(from.cq)).isNotNull();
        assertThat(Completions.awaitSuccess(to.cq).bytes()).isEqualTo(240);
        assertThat(range.firstDifference(8 * PAGE + 40, 200, 4)).isEqualTo(-1);
        assertThat(to.qp.postReceive(2, target.iova(), 240, target.lkey())).isZero();
        range.unmap(0, 1);
        assertThat(from.qp.postSend(request)).isZero();
        assertThat(Completions.await(from.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        Completions.assertNone(to.cq);
    }

    @Test
    void refreshBringsInWhatIsThereAndNamesWhatIsNot() {
        final MemoryRegion region = register(ALL);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.address, 1), hex(range.address));
        range.map(0, 3);
        region.refresh(range.address, 3 * PAGE);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.at(PAGE), 3 * PAGE), hex(range.at(3 * PAGE)));
        range.protect(1, 1, LibcConstants.PROT_READ);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.at(0), 3 * PAGE), hex(range.at(PAGE)));
        assertThat(reach.write(region.iova(), region.rkey(), 100, 1)).as("nothing is taken away")
            .isEqualTo(WcStatus.SUCCESS);
        assertInvalid(() -> region.refresh(range.address, range.length + 1));
        assertInvalid(() -> region.refresh(range.address - 1, 1));
        assertInvalid(() -> region.refresh(range.address, 0));
        assertInvalid(() -> region.refresh(range.address, -1));
        assertInvalid(() -> region.refresh(Long.MAX_VALUE, Long.MAX_VALUE));
        region.close();
        Refusals.assertClosed(() -> region.refresh(range.address, 1));
    }

    private MrOptions list(final int... pages) {
        final PageList list = new PageList();
        for (final int page : pages) {
            list.add(range.at(page * PAGE));
        }
        return new MrOptions().pages(list, 0, (long) pages.length * PAGE);
    }

    /** Pages 5, 2, 3 and 5 again: runs of their own, and one page that is there twice. */
    @Test
    void pagesOfAListAreLookedForOneByOne() {
        device = devices.open("mlock=true");
        pd = device.allocatePd();
        reach = new Reach(device, pd);
        final MemoryRegion region = pd.register(list(5, 2, 3, 5).access(ALL).zeroBased());
        assertThat(reach.read(PAGE, region.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.map(5, 1);
        assertThat(reach.write(0, region.rkey(), PAGE, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(5 * PAGE, PAGE, 1)).isEqualTo(-1);
        assertThat(reach.write(0, region.rkey(), PAGE + 1, 2)).as("into page 2").isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.map(2, 2);
        range.fill(2 * PAGE, 2 * PAGE, 3);
        assertThat(reach.read(PAGE, region.rkey(), 2 * PAGE)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 2 * PAGE, 3)).isEqualTo(-1);
        assertThat(reach.fetchAdd(3 * PAGE, region.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
        region.refresh(range.at(2 * PAGE), 2 * PAGE);
        range.unmap(3, 1);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.at(2 * PAGE), 2 * PAGE),
            hex(range.at(3 * PAGE)));
        assertInvalid(() -> region.refresh(range.at(4 * PAGE), PAGE));
        assertThat(reach.send(0, 3 * PAGE, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        region.close();
    }

    @Test
    void aSuspendedRegionIsOutOfReachUnderItsKeys() {
        final MemoryRegion region = register(ALL);
        final MemoryRegion ordinary = pd.register(device.allocate(PAGE), LOCAL_WRITE);
        range.map(0, 64);
        region.suspend();
        region.suspend();
        assertThat(reach.write(region.iova(), region.rkey(), 8, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.read(region.iova(), region.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(region.iova(), 8, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        region.refresh(range.address, range.length);
        assertThat(reach.read(region.iova(), region.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        region.resume();
        region.resume();
        assertThat(reach.write(region.iova(), region.rkey(), 8, 1)).isEqualTo(WcStatus.SUCCESS);
        assertRefused(RdmaException.EOPNOTSUPP, ordinary::suspend, "ON_DEMAND");
        assertRefused(RdmaException.EOPNOTSUPP, ordinary::resume, "ON_DEMAND");
        region.suspend();
        region.close();
        Refusals.assertClosed(region::suspend);
        Refusals.assertClosed(region::resume);
    }

    private static String hex(final long address) {
        return "0x" + Long.toHexString(address);
    }

    @Test
    void onlyWhereTheDeviceCan() {
        register(ALL);
        assertInvalid(() -> pd.register(range.address, 1, ON_DEMAND, REMOTE_WRITE), "LOCAL_WRITE");
        assertInvalid(() -> pd.register(range.address, 0, ALL));
        assertInvalid(() -> pd.register(-PAGE, PAGE, ALL));
        assertInvalid(() -> pd.register(Long.MAX_VALUE - PAGE, PAGE, ALL));
        assertRefused(RdmaException.EFAULT, () -> pd.register(1, 1, ALL), "null pointer");
        for (final String options : new String[]{"extensions=false", Devices.QEMU}) {
            final PvrdmaContext plain = devices.open(options);
            assertThat(plain.supports(Feature.ON_DEMAND_PAGING)).isFalse();
            assertThat(plain.whyNot(Feature.ON_DEMAND_PAGING)).contains("pages that stay");
            final ProtectionDomain plainPd = plain.allocatePd();
            assertRefused(RdmaException.EOPNOTSUPP, () -> plainPd.register(range.address, PAGE, LOCAL_WRITE, ON_DEMAND),
                "ON_DEMAND_PAGING", plain.whyNot(Feature.ON_DEMAND_PAGING));
            assertRefused(RdmaException.EOPNOTSUPP, () -> plainPd.register(list(0).access(ON_DEMAND)),
                "ON_DEMAND_PAGING");
        }
    }
}
