/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WindowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

/** Others see the objects there are, as they are. */
@Timeout(60)
class LiveObjectsTest {
    private static final LiveKind[] MADE_HERE = {LiveKind.PD, LiveKind.MR, LiveKind.MW, LiveKind.CQ, LiveKind.SRQ,
        LiveKind.QP, LiveKind.AH, LiveKind.CACHE, LiveKind.AV};

    @RegisterExtension
    final Devices devices = new Devices();

    private static LiveObject only(final PvrdmaContext device, final LiveKind kind) {
        final List<LiveObject> all = Seen.all(device, kind);
        assertThat(all).as("%s", kind).hasSize(1);
        return all.get(0);
    }

    private static void assertAttribute(final LiveObject object, final int place, final long value) {
        assertThat(object.attribute(place)).as("%s of %s %d", object.kind().attributes().get(place), object.kind(),
            object.handle()).isEqualTo(value);
    }

    private static long key(final int key) {
        return Integer.toUnsignedLong(key);
    }

    private static void assertState(final Peer peer, final QpState state) {
        assertThat(peer.qp.state()).isEqualTo(state);
        assertAttribute(Seen.qp(peer.qp), LiveAttributes.Qp.STATE, state.ordinal());
    }

    @Test
    void aQueuePairAndWhatItUses() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final PvrdmaQp qp = (PvrdmaQp) a.qp;
        final LiveObject seen = only(device, LiveKind.QP);
        assertThat(seen.handle()).isEqualTo(qp.handle);
        assertAttribute(seen, LiveAttributes.Qp.QPN, qp.qpNumber());
        assertAttribute(seen, LiveAttributes.Qp.TYPE, QpType.PVRDMA_QPT_RC);
        assertAttribute(seen, LiveAttributes.Qp.STATE, 0);
        assertAttribute(seen, LiveAttributes.Qp.PD, only(device, LiveKind.PD).handle());
        assertAttribute(seen, LiveAttributes.Qp.SEND_CQ, only(device, LiveKind.CQ).handle());
        assertAttribute(seen, LiveAttributes.Qp.RECV_CQ, only(device, LiveKind.CQ).handle());
        assertAttribute(seen, LiveAttributes.Qp.SRQ, -1);
        assertAttribute(seen, LiveAttributes.Qp.SQ_MAX_WR, qp.maxSendWr());
        assertAttribute(seen, LiveAttributes.Qp.SQ_MAX_SGE, 4);
        assertAttribute(seen, LiveAttributes.Qp.RQ_MAX_WR, qp.maxReceiveWr());
        assertAttribute(seen, LiveAttributes.Qp.RQ_MAX_SGE, 4);
        final long offset = qp.sends.queue.slotOffset(0);
        assertAttribute(seen, LiveAttributes.Qp.SQ_OFFSET, offset);
        assertAttribute(seen, LiveAttributes.Qp.RQ_OFFSET, qp.receives.queue.slotOffset(0));
        assertAttribute(seen, LiveAttributes.Qp.RING_LENGTH, qp.sends.queue.buffer().capacity());
        assertThat(seen.attribute(LiveAttributes.Qp.RING_IOVA)).isPositive();
        assertThat(seen.attribute(LiveAttributes.Qp.PDIR_DMA)).isPositive();
    }

    @Test
    void aQueuePairThroughItsStates() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        assertState(a, QpState.RESET);
        a.connect(b);
        assertState(a, QpState.RTS);
        final QpAttributes told = a.qp.query();
        final LiveObject connected = Seen.qp(a.qp);
        assertAttribute(connected, LiveAttributes.Qp.DEST_QPN, b.qp.qpNumber());
        assertAttribute(connected, LiveAttributes.Qp.PATH_MTU, told.pathMtu().code());
        assertAttribute(connected, LiveAttributes.Qp.SQ_PSN, told.sqPsn());
        assertAttribute(connected, LiveAttributes.Qp.RQ_PSN, told.rqPsn());
        a.qp.modify(QpAttributes.to(QpState.SQD));
        assertState(a, QpState.SQD);
        a.qp.modify(QpAttributes.to(QpState.RTS));
        a.qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 0xbad).sge(a.at(0), 8, a.lkey()));
        Completions.await(a.cq, 1);
        assertState(a, QpState.ERR);
        a.qp.modify(QpAttributes.to(QpState.RESET));
        assertState(a, QpState.RESET);
        assertAttribute(Seen.qp(a.qp), LiveAttributes.Qp.DEST_QPN, 0);
    }

    @Test
    void aDatagramQueuePair() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.ud(device);
        final LiveObject seen = Seen.qp(a.qp);
        assertAttribute(seen, LiveAttributes.Qp.TYPE, QpType.PVRDMA_QPT_UD);
        assertAttribute(seen, LiveAttributes.Qp.QKEY, Peer.QKEY);
        final Gid gid = a.qp.localAddress().gid();
        final AddressHandle ah = a.pd.createAh(new AhAttributes(gid, 0, 9, 5, 77, 3, 1));
        final LiveObject handle = only(device, LiveKind.AH);
        assertAttribute(handle, LiveAttributes.Ah.PD, only(device, LiveKind.PD).handle());
        assertAttribute(handle, LiveAttributes.Ah.DGID_HIGH, gid.high());
        assertAttribute(handle, LiveAttributes.Ah.DGID_LOW, gid.low());
        assertAttribute(handle, LiveAttributes.Ah.HOP_LIMIT, 9);
        assertAttribute(handle, LiveAttributes.Ah.TRAFFIC_CLASS, 5);
        assertAttribute(handle, LiveAttributes.Ah.SL, 3);
        assertAttribute(handle, LiveAttributes.Ah.PORT, 1);
        ah.close();
        assertThat(Seen.all(device, LiveKind.AH)).isEmpty();
    }

    @Test
    void aCompletionQueueThatIsResized() {
        final PvrdmaContext device = devices.open();
        final CompletionQueue cq = device.createCq(64);
        final LiveObject before = Seen.cq(cq);
        assertAttribute(before, LiveAttributes.Cq.CQE, 64);
        assertAttribute(before, LiveAttributes.Cq.RING_LENGTH, 2 * 4096);
        cq.resize(1024);
        final LiveObject after = Seen.cq(cq);
        assertThat(after.id()).isEqualTo(before.id());
        assertAttribute(after, LiveAttributes.Cq.CQE, 1024);
        assertAttribute(after, LiveAttributes.Cq.RING_LENGTH, 17 * 4096);
        assertAttribute(after, LiveAttributes.Cq.CQES_OFFSET, 4096);
        assertThat(after.attribute(LiveAttributes.Cq.RING_IOVA))
            .isNotEqualTo(before.attribute(LiveAttributes.Cq.RING_IOVA));
        assertThat(after.attribute(LiveAttributes.Cq.PDIR_DMA)).isPositive()
            .isNotEqualTo(before.attribute(LiveAttributes.Cq.PDIR_DMA));
    }

    @Test
    void aSharedReceiveQueueAndItsLimit() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(16, 2);
        LiveObject seen = only(device, LiveKind.SRQ);
        assertAttribute(seen, LiveAttributes.Srq.PD, only(device, LiveKind.PD).handle());
        assertAttribute(seen, LiveAttributes.Srq.MAX_WR, 16);
        assertAttribute(seen, LiveAttributes.Srq.MAX_SGE, 2);
        assertAttribute(seen, LiveAttributes.Srq.RQ_OFFSET, 4096);
        assertAttribute(seen, LiveAttributes.Srq.SRQ_LIMIT, 0);
        assertThat(seen.attribute(LiveAttributes.Srq.RING_IOVA)).isPositive();
        srq.armLimit(3);
        assertAttribute(only(device, LiveKind.SRQ), LiveAttributes.Srq.SRQ_LIMIT, 3);
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        seen = Seen.qp(b.qp);
        assertAttribute(seen, LiveAttributes.Qp.SRQ, ((PvrdmaSrq) srq).handle);
        assertAttribute(seen, LiveAttributes.Qp.RQ_MAX_WR, 0);
        final Peer a = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 3; i++) {
            srq.postReceive(i, b.at(0), 8, b.lkey());
        }
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        Completions.await(b.cq, 1);
        final AsyncEvent event = device.awaitAsyncEvent(Duration.ofSeconds(20));
        assertThat(event).as("the limit").isNotNull();
        event.acknowledge();
        assertAttribute(only(device, LiveKind.SRQ), LiveAttributes.Srq.SRQ_LIMIT, 0);
    }

    @Test
    void aRegionThatIsRegisteredAgain() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final ProtectionDomain other = device.allocatePd();
        final PinnedMemory memory = device.allocate(3 * 4096);
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        final LiveObject before = only(device, LiveKind.MR);
        assertAttribute(before, LiveAttributes.Mr.LKEY, key(region.lkey()));
        assertAttribute(before, LiveAttributes.Mr.RKEY, key(region.rkey()));
        assertAttribute(before, LiveAttributes.Mr.ACCESS, AccessFlag.bits(
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)));
        assertAttribute(before, LiveAttributes.Mr.ADDRESS, memory.address());
        assertAttribute(before, LiveAttributes.Mr.IOVA, region.iova());
        assertAttribute(before, LiveAttributes.Mr.LENGTH, 3 * 4096);
        assertAttribute(before, LiveAttributes.Mr.PAGES, 3);
        assertAttribute(before, LiveAttributes.Mr.FLAGS, 0);
        assertAttribute(before, LiveAttributes.Mr.PD, ((PvrdmaPd) pd).handle);
        assertThat(before.attribute(LiveAttributes.Mr.PDIR_DMA)).isPositive();
        region.reregister(new MrOptions().pd(other).access());
        final LiveObject after = only(device, LiveKind.MR);
        assertThat(after.id()).as("a new handle, a new entry").isNotEqualTo(before.id());
        assertAttribute(after, LiveAttributes.Mr.PD, ((PvrdmaPd) other).handle);
        assertAttribute(after, LiveAttributes.Mr.ACCESS, 0);
        assertAttribute(after, LiveAttributes.Mr.LKEY, key(region.lkey()));
        region.close();
        assertThat(Seen.all(device, LiveKind.MR)).isEmpty();
    }

    @Test
    void aListOfPagesAndAFastRegion() {
        final KeyBench bench = new KeyBench(devices);
        final PvrdmaContext device = (PvrdmaContext) bench.owner.context;
        final PageList list = bench.pages(3, 9);
        final MemoryRegion pages = bench.owner.pd.register(new MrOptions().pages(list, 8, 4096));
        assertAttribute(find(device, pages.lkey()), LiveAttributes.Mr.FLAGS, LiveAttributes.Mr.PAGE_LIST);
        final FastRegion region = bench.owner.pd.allocateFastRegion(4);
        LiveObject seen = find(device, region.lkey());
        assertAttribute(seen, LiveAttributes.Mr.PAGES, 0);
        region.map(list, 0, 8192);
        seen = find(device, region.lkey());
        assertAttribute(seen, LiveAttributes.Mr.PAGES, 2);
        assertAttribute(seen, LiveAttributes.Mr.LENGTH, 8192);
        assertAttribute(seen, LiveAttributes.Mr.ADDRESS, bench.owner.at(3 * 4096));
        final int before = region.lkey();
        KeyBench.run(bench.owner, new SendRequest().fastRegister(region, region.nextKey(), 0x10_0000,
            AccessFlag.LOCAL_WRITE));
        assertThat(region.lkey()).isNotEqualTo(before);
        assertAttribute(find(device, region.lkey()), LiveAttributes.Mr.RKEY, key(region.rkey()));
        KeyBench.run(bench.owner, KeyBench.invalidation(region.rkey()));
        region.unmap();
        assertAttribute(find(device, region.lkey()), LiveAttributes.Mr.PAGES, 0);
    }

    private static LiveObject find(final PvrdmaContext device, final int lkey) {
        return Seen.all(device, LiveKind.MR).stream()
            .filter(region -> region.attribute(LiveAttributes.Mr.LKEY) == key(lkey)).findAny()
            .orElseThrow(() -> new AssertionError("no region with lkey " + lkey));
    }

    @Test
    void aWindowThatIsBound() {
        final KeyBench bench = new KeyBench(devices);
        final PvrdmaContext device = (PvrdmaContext) bench.owner.context;
        final MemoryWindow window = bench.owner.pd.allocateWindow(WindowType.TYPE_2);
        assertAttribute(only(device, LiveKind.MW), LiveAttributes.Mw.RKEY, key(window.rkey()));
        assertAttribute(only(device, LiveKind.MW), LiveAttributes.Mw.TYPE, 2);
        final int before = window.rkey();
        KeyBench.run(bench.owner, new SendRequest().bind(window, window.nextRkey(), bench.bindable, bench.owner.at(0),
            64, AccessFlag.REMOTE_READ));
        assertThat(window.rkey()).isNotEqualTo(before);
        assertAttribute(only(device, LiveKind.MW), LiveAttributes.Mw.RKEY, key(window.rkey()));
        assertAttribute(only(device, LiveKind.MW), LiveAttributes.Mw.PD, only(device, LiveKind.PD).handle());
    }

    @Test
    void nothingThatIsClosed() {
        final PvrdmaContext device = devices.open();
        new Ladder(device);
        for (final LiveKind kind : EnumSet.of(LiveKind.PD, LiveKind.MR, LiveKind.MW, LiveKind.CQ, LiveKind.SRQ,
            LiveKind.QP, LiveKind.AH)) {
            assertThat(Seen.all(device, kind)).as("%s", kind).isNotEmpty();
        }
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(8);
        final var qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(1));
        qp.close();
        assertThat(Seen.find(device, LiveKind.QP, ((PvrdmaQp) qp).handle)).isEmpty();
        cq.close();
        assertThat(Seen.find(device, LiveKind.CQ, ((PvrdmaCq) cq).handle)).isEmpty();
        pd.close();
        assertThat(Seen.find(device, LiveKind.PD, ((PvrdmaPd) pd).handle)).isEmpty();
    }

    @Test
    void nothingOfWhatWasRefused() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue small = device.createCq(1);
        assertThatThrownBy(() -> pd.createQp(new QpOptions().cq(small).maxSendWr(64).maxReceiveWr(64))).isNotNull();
        pd.close();
        assertThatThrownBy(() -> pd.createSrq(4, 1)).isNotNull();
        small.close();
        for (final LiveKind kind : MADE_HERE) {
            assertThat(Seen.all(device, kind)).as("%s", kind).isEmpty();
        }
    }

    /** What has no place is not seen, and works. */
    @Test
    void moreObjectsThanThereIsRoomFor() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        final AhAttributes way = AhAttributes.to(a.qp.localAddress().gid());
        AddressHandle last = null;
        for (int i = 0; i < 5000; i++) {
            last = a.pd.createAh(way);
        }
        try (LiveView view = Seen.open(a.context)) {
            assertThat(view.objects(LiveKind.AH)).hasSizeBetween(1000, 4999);
            assertThat(view.troubles()).as("what is missing is told").hasSize(1);
        }
        final Peer late = new Peer(a.context, a.pd, a.context.createCq(512), new QpOptions());
        late.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        assertThat(late.qp.postSend(1, late.at(0), 8, late.lkey())).isZero();
        Completions.awaitSuccess(late.cq);
        Completions.awaitSuccess(b.cq);
        late.qp.close();
        last.close();
    }

    @Test
    void theLastStateWhoeverSetIt() throws InterruptedException {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        for (int round = 0; round < 200; round++) {
            a.connect(b);
            a.qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 0xbad).sge(a.at(0), 8, a.lkey()));
            final Thread other = new Thread(() -> a.qp.modify(QpAttributes.to(QpState.ERR)));
            other.start();
            Completions.await(a.cq, 1);
            other.join();
            assertState(a, QpState.ERR);
            a.qp.modify(QpAttributes.to(QpState.RESET));
            b.qp.modify(QpAttributes.to(QpState.RESET));
            assertState(a, QpState.RESET);
        }
    }
}
