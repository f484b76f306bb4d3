/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.WorkQueue;
import io.rdma4j.testing.Patience;
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
import io.rdma4j.verbs.live.AhKind;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.MwKind;
import io.rdma4j.verbs.live.PdKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.spi.ObjectPublisher;
import io.rdma4j.verbs.spi.PublishedObject;
import io.rdma4j.verbs.testing.Ladder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.EnumSet;
import java.util.List;

/** Others see the objects there are, as they are. */
@Timeout(60)
class LiveObjectsTest {
    private static final List<LiveKind> MADE_HERE = List.of(PdKind.KIND, MrKind.KIND, MwKind.KIND, CqKind.KIND,
        SrqKind.KIND, QpKind.KIND, AhKind.KIND);

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
        assertAttribute(Seen.qp(peer.qp), QpKind.STATE, state.ordinal());
    }

    @Test
    void aQueuePairAndWhatItUses() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final PvrdmaQp qp = (PvrdmaQp) a.qp;
        final LiveObject seen = only(device, QpKind.KIND);
        assertThat(seen.handle()).isEqualTo(qp.handle);
        assertAttribute(seen, QpKind.QPN, qp.qpNumber());
        assertAttribute(seen, QpKind.TYPE, QpType.PVRDMA_QPT_RC);
        assertAttribute(seen, QpKind.STATE, 0);
        assertAttribute(seen, QpKind.PD, only(device, PdKind.KIND).handle());
        assertAttribute(seen, QpKind.SEND_CQ, only(device, CqKind.KIND).handle());
        assertAttribute(seen, QpKind.RECV_CQ, only(device, CqKind.KIND).handle());
        assertAttribute(seen, QpKind.SRQ, -1);
        assertAttribute(seen, QpKind.SQ_MAX_WR, qp.maxSendWr());
        assertAttribute(seen, QpKind.SQ_MAX_SGE, 4);
        assertAttribute(seen, QpKind.RQ_MAX_WR, qp.maxReceiveWr());
        assertAttribute(seen, QpKind.RQ_MAX_SGE, 4);
        final long offset = qp.sends.queue.slotOffset(0);
        assertAttribute(seen, QpKind.SQ_OFFSET, offset);
        assertAttribute(seen, QpKind.RQ_OFFSET, qp.receives.queue.slotOffset(0));
        assertAttribute(seen, QpKind.RING_LENGTH, qp.sends.queue.buffer().capacity());
        assertThat(seen.attribute(QpKind.RING_IOVA)).isPositive();
        assertThat(seen.attribute(QpKind.PDIR_DMA)).isPositive();
        assertAttribute(seen, QpKind.INLINE_LKEY, -1);
    }

    /** Its memory is a region of the device that no object has, and its key is in the ring. */
    @Test
    void aQueuePairThatCopies() {
        final Peer a = new Peer(devices.open(), new QpOptions().maxInline(64));
        a.connect(Peer.rc(devices.open()));
        a.qp.modify(QpAttributes.to(QpState.SQD));
        assertThat(a.qp.postSendInline(1, new UnsafeBuffer(new byte[8]), 0, 8)).isZero();
        final WorkQueue sends = ((PvrdmaQp) a.qp).sends.queue;
        assertAttribute(Seen.qp(a.qp), QpKind.INLINE_LKEY,
            key(Sge.lkey(sends.buffer(), sends.slotOffset(0) + SqWqe.SGE_OFFSET)));
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
        assertAttribute(connected, QpKind.DEST_QPN, b.qp.qpNumber());
        assertAttribute(connected, QpKind.PATH_MTU, told.pathMtu().code());
        assertAttribute(connected, QpKind.SQ_PSN, told.sqPsn());
        assertAttribute(connected, QpKind.RQ_PSN, told.rqPsn());
        a.qp.modify(QpAttributes.to(QpState.SQD));
        assertState(a, QpState.SQD);
        a.qp.modify(QpAttributes.to(QpState.RTS));
        a.qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 0xbad).sge(a.at(0), 8, a.lkey()));
        Completions.await(a.cq, 1);
        assertState(a, QpState.ERR);
        a.qp.modify(QpAttributes.to(QpState.RESET));
        assertState(a, QpState.RESET);
        assertAttribute(Seen.qp(a.qp), QpKind.DEST_QPN, 0);
    }

    @Test
    void aDatagramQueuePair() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.ud(device);
        final LiveObject seen = Seen.qp(a.qp);
        assertAttribute(seen, QpKind.TYPE, QpType.PVRDMA_QPT_UD);
        assertAttribute(seen, QpKind.QKEY, Peer.QKEY);
        final Gid gid = a.qp.localAddress().gid();
        final AddressHandle ah = a.pd.createAh(new AhAttributes(gid, 0, 9, 5, 77, 3, 1));
        final LiveObject handle = only(device, AhKind.KIND);
        assertAttribute(handle, AhKind.PD, only(device, PdKind.KIND).handle());
        assertAttribute(handle, AhKind.DGID_HIGH, gid.high());
        assertAttribute(handle, AhKind.DGID_LOW, gid.low());
        assertAttribute(handle, AhKind.HOP_LIMIT, 9);
        assertAttribute(handle, AhKind.TRAFFIC_CLASS, 5);
        assertAttribute(handle, AhKind.SL, 3);
        assertAttribute(handle, AhKind.PORT, 1);
        ah.close();
        assertThat(Seen.all(device, AhKind.KIND)).isEmpty();
    }

    @Test
    void aCompletionQueueThatIsResized() {
        final PvrdmaContext device = devices.open();
        final CompletionQueue cq = device.createCq(64);
        final LiveObject before = Seen.cq(cq);
        assertAttribute(before, CqKind.CQE, 64);
        assertAttribute(before, CqKind.RING_LENGTH, 2 * 4096);
        cq.resize(1024);
        final LiveObject after = Seen.cq(cq);
        assertThat(after.id()).isEqualTo(before.id());
        assertAttribute(after, CqKind.CQE, 1024);
        assertAttribute(after, CqKind.RING_LENGTH, 17 * 4096);
        assertAttribute(after, CqKind.CQES_OFFSET, 4096);
        assertThat(after.attribute(CqKind.RING_IOVA))
            .isNotEqualTo(before.attribute(CqKind.RING_IOVA));
        assertThat(after.attribute(CqKind.PDIR_DMA)).isPositive()
            .isNotEqualTo(before.attribute(CqKind.PDIR_DMA));
    }

    @Test
    void aSharedReceiveQueueAndItsLimit() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(16, 2);
        LiveObject seen = only(device, SrqKind.KIND);
        assertAttribute(seen, SrqKind.PD, only(device, PdKind.KIND).handle());
        assertAttribute(seen, SrqKind.MAX_WR, 16);
        assertAttribute(seen, SrqKind.MAX_SGE, 2);
        assertAttribute(seen, SrqKind.RQ_OFFSET, 4096);
        assertAttribute(seen, SrqKind.SRQ_LIMIT, 0);
        assertThat(seen.attribute(SrqKind.RING_IOVA)).isPositive();
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        for (int i = 0; i < 3; i++) {
            srq.postReceive(i, b.at(0), 8, b.lkey());
        }
        srq.armLimit(3);
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 3);
        seen = Seen.qp(b.qp);
        assertAttribute(seen, QpKind.SRQ, ((PvrdmaSrq) srq).handle);
        assertAttribute(seen, QpKind.RQ_MAX_WR, 0);
        final Peer a = Peer.rc(devices.open());
        a.connect(b);
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        Completions.await(b.cq, 1);
        tellsTheLimit(device);
        srq.armLimit(2);
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 2);
        assertThatThrownBy(() -> srq.armLimit(17)).hasMessageContaining("limit is 17");
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 2);
        // The event comes before the device has answered.
        device.device.channel().observer((request, err, response) -> tellsTheLimit(device));
        srq.armLimit(16);
        device.device.channel().observer(null);
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 0);
    }

    private static void tellsTheLimit(final PvrdmaContext device) {
        final AsyncEvent event = device.awaitAsyncEvent(Patience.duration());
        assertThat(event).as("the limit").isNotNull();
        event.acknowledge();
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 0);
    }

    @Test
    void theLimitOfASharedReceiveQueueAsTheDeviceToldItLast() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(16, 2);
        assertThat(srq.pd()).isSameAs(pd);
        for (int i = 0; i < 5; i++) {
            assertThat(srq.postReceive(i, 0, 0, 0)).isZero();
        }
        srq.armLimit(3);
        device.device.commands().modifySrq(((PvrdmaSrq) srq).handle, 5);
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 3);
        assertThat(srq.queryLimit()).isEqualTo(5);
        assertAttribute(only(device, SrqKind.KIND), SrqKind.SRQ_LIMIT, 5);
        srq.close();
        assertThat(Seen.all(device, SrqKind.KIND)).isEmpty();
    }

    @Test
    void aRegionThatIsRegisteredAgain() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final ProtectionDomain other = device.allocatePd();
        final PinnedMemory memory = device.allocate(3 * 4096);
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        final LiveObject before = only(device, MrKind.KIND);
        assertAttribute(before, MrKind.LKEY, key(region.lkey()));
        assertAttribute(before, MrKind.RKEY, key(region.rkey()));
        assertAttribute(before, MrKind.ACCESS, AccessFlag.bits(
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)));
        assertAttribute(before, MrKind.ADDRESS, memory.address());
        assertAttribute(before, MrKind.IOVA, region.iova());
        assertAttribute(before, MrKind.LENGTH, 3 * 4096);
        assertAttribute(before, MrKind.PAGES, 3);
        assertAttribute(before, MrKind.FLAGS, 0);
        assertAttribute(before, MrKind.PD, ((PvrdmaPd) pd).handle);
        assertThat(before.attribute(MrKind.PDIR_DMA)).isPositive();
        region.reregister(new MrOptions().pd(other).access());
        final LiveObject after = only(device, MrKind.KIND);
        assertThat(after.id()).as("a new handle, a new entry").isNotEqualTo(before.id());
        assertAttribute(after, MrKind.PD, ((PvrdmaPd) other).handle);
        assertAttribute(after, MrKind.ACCESS, 0);
        assertAttribute(after, MrKind.LKEY, key(region.lkey()));
        region.close();
        assertThat(Seen.all(device, MrKind.KIND)).isEmpty();
    }

    @Test
    void aListOfPagesAndAFastRegion() {
        final KeyBench bench = new KeyBench(devices);
        final PvrdmaContext device = (PvrdmaContext) bench.owner.context;
        final PageList list = bench.pages(3, 9);
        final MemoryRegion pages = bench.owner.pd.register(new MrOptions().pages(list, 8, 4096));
        assertAttribute(find(device, pages.lkey()), MrKind.FLAGS, MrKind.PAGE_LIST);
        final FastRegion region = bench.owner.pd.allocateFastRegion(4);
        LiveObject seen = find(device, region.lkey());
        assertAttribute(seen, MrKind.PAGES, 0);
        region.map(list, 0, 8192);
        seen = find(device, region.lkey());
        assertAttribute(seen, MrKind.PAGES, 2);
        assertAttribute(seen, MrKind.LENGTH, 8192);
        assertAttribute(seen, MrKind.ADDRESS, bench.owner.at(3 * 4096));
        final int before = region.lkey();
        KeyBench.run(bench.owner, new SendRequest().fastRegister(region, region.nextKey(), 0x10_0000,
            AccessFlag.LOCAL_WRITE));
        assertThat(region.lkey()).isNotEqualTo(before);
        assertAttribute(find(device, region.lkey()), MrKind.RKEY, key(region.rkey()));
        KeyBench.run(bench.owner, KeyBench.invalidation(region.rkey()));
        region.unmap();
        assertAttribute(find(device, region.lkey()), MrKind.PAGES, 0);
    }

    private static LiveObject find(final PvrdmaContext device, final int lkey) {
        return Seen.all(device, MrKind.KIND).stream()
            .filter(region -> region.attribute(MrKind.LKEY) == key(lkey)).findAny()
            .orElseThrow(() -> new AssertionError("no region with lkey " + lkey));
    }

    @Test
    void aWindowThatIsBound() {
        final KeyBench bench = new KeyBench(devices);
        final PvrdmaContext device = (PvrdmaContext) bench.owner.context;
        final MemoryWindow window = bench.owner.pd.allocateWindow(WindowType.TYPE_2);
        assertAttribute(only(device, MwKind.KIND), MwKind.RKEY, key(window.rkey()));
        assertAttribute(only(device, MwKind.KIND), MwKind.TYPE, 2);
        final int before = window.rkey();
        KeyBench.run(bench.owner, new SendRequest().bind(window, window.nextRkey(), bench.bindable, bench.owner.at(0),
            64, AccessFlag.REMOTE_READ));
        assertThat(window.rkey()).isNotEqualTo(before);
        assertAttribute(only(device, MwKind.KIND), MwKind.RKEY, key(window.rkey()));
        assertAttribute(only(device, MwKind.KIND), MwKind.PD, only(device, PdKind.KIND).handle());
    }

    /** The device publishes what it does not know. */
    @Test
    void anObjectOfALayerAbove() {
        final LiveKind.Builder k = LiveKind.of(200, "ABOVE");
        final int size = k.attribute("size");
        final int color = k.attribute("color");
        final int hits = k.counter("hits");
        final LiveKind kind = k.build();
        final PvrdmaContext device = devices.open();
        final PublishedObject object = ObjectPublisher.of(device).publish(kind, 7);
        object.count(hits, 3);
        final LiveObject seen = only(device, kind);
        assertAttribute(seen, size, 7);
        assertAttribute(seen, color, 0);
        assertThat(seen.counter(hits)).isEqualTo(3);
        assertThatThrownBy(() -> object.count(1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> object.count(-1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        object.close();
        object.close();
        object.count(hits, 4);
        assertThat(Seen.all(device, kind)).isEmpty();
    }

    @Test
    void nothingThatIsClosed() {
        final PvrdmaContext device = devices.open();
        new Ladder(device);
        for (final LiveKind kind : MADE_HERE) {
            assertThat(Seen.all(device, kind)).as("%s", kind).isNotEmpty();
        }
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(8);
        final var qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(1));
        qp.close();
        assertThat(Seen.find(device, QpKind.KIND, ((PvrdmaQp) qp).handle)).isEmpty();
        cq.close();
        assertThat(Seen.find(device, CqKind.KIND, ((PvrdmaCq) cq).handle)).isEmpty();
        pd.close();
        assertThat(Seen.find(device, PdKind.KIND, ((PvrdmaPd) pd).handle)).isEmpty();
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
            assertThat(view.objects(AhKind.KIND)).hasSizeBetween(1000, 4999);
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
