/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** Keys that are taken back: by their owner, by the peer that used them, and with the data that they were lent for. */
class InvalidateTest {
    private static final long IOVA = 0x10_0000L;

    /** What can be invalidated. */
    enum Kind { WINDOW, FAST_REGION }

    @RegisterExtension
    final Devices devices = new Devices();

    /** A key of the owner's for the first page of its memory, at {@link #IOVA} or at its own address. */
    private record Lent(int key, long address) {
        static Lent of(final KeyBench bench, final Kind kind) {
            final Peer owner = bench.owner;
            if (kind == Kind.WINDOW) {
                final MemoryWindow window = owner.pd.allocateWindow(WindowType.TYPE_2);
                KeyBench.assertRuns(owner, new SendRequest().bind(window, window.nextRkey(), bench.bindable,
                    owner.at(0), 4096, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE), WcOpcode.BIND_MW);
                return new Lent(window.rkey(), owner.at(0));
            }
            final FastRegion region = owner.pd.allocateFastRegion(1);
            region.map(bench.pages(0), 0, 4096);
            KeyBench.assertRuns(owner, new SendRequest().fastRegister(region, region.nextKey(), IOVA,
                AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE), WcOpcode.FAST_REG_MR);
            return new Lent(region.rkey(), IOVA);
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsWhatTheOwnerInvalidates(final Kind kind) {
        final KeyBench bench = new KeyBench(devices);
        final Lent lent = Lent.of(bench, kind);
        assertThat(bench.write(lent.address, lent.key, 5)).isEqualTo(WcStatus.SUCCESS);
        KeyBench.assertRuns(bench.owner, KeyBench.invalidation(lent.key).wrId(4), WcOpcode.LOCAL_INV);
        assertThat(bench.write(lent.address, lent.key, 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(0)).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void endsWhatAPeersMessageInvalidatesAndTheReceiverIsTold(final Kind kind) {
        final KeyBench bench = new KeyBench(devices);
        final Lent lent = Lent.of(bench, kind);
        bench.owner.qp.postReceive(71, bench.owner.at(8192), 64, bench.owner.lkey());
        bench.user.fill(100, 20, 9);
        KeyBench.assertRuns(bench.user, new SendRequest().opcode(SendOpcode.SEND_WITH_INV).invalidate(lent.key)
            .sge(bench.user.at(100), 20, bench.user.lkey()), WcOpcode.SEND);
        final List<String> told = new ArrayList<>();
        bench.owner.cq.poll(c -> told.add(c.wrId() + " " + c.opcode() + " " + c.byteLength() + " " + c.isInvalidated()
            + " " + Integer.toHexString(c.invalidatedRkey()) + " " + c.hasImmData()), 2);
        assertThat(told).containsExactly("71 RECV 20 true " + Integer.toHexString(lent.key) + " false");
        assertThat(bench.owner.firstDifference(8192, 20, 9)).isEqualTo(-1);
        assertThat(bench.write(lent.address, lent.key, 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void otherReceivesAreNotMarked() {
        final KeyBench bench = new KeyBench(devices);
        bench.owner.qp.postReceive(1, bench.owner.at(0), 64, bench.owner.lkey());
        bench.owner.qp.postReceive(2, bench.owner.at(0), 64, bench.owner.lkey());
        KeyBench.assertRuns(bench.user, new SendRequest(), WcOpcode.SEND);
        KeyBench.assertRuns(bench.user, new SendRequest().opcode(SendOpcode.SEND_WITH_IMM).immData(5), WcOpcode.SEND);
        final List<Boolean> marked = new ArrayList<>();
        assertThat(bench.owner.cq.poll(c -> marked.add(c.isInvalidated()), 2)).isEqualTo(2);
        assertThat(marked).containsExactly(false, false);
    }

    @ParameterizedTest
    @EnumSource
    void endsWhatAReadWasMadeFor(final Kind kind) {
        final KeyBench bench = new KeyBench(devices);
        final Lent lent = Lent.of(bench, kind);
        bench.user.fill(0, 64, 4);
        KeyBench.assertRuns(bench.owner, new SendRequest().opcode(SendOpcode.RDMA_READ_WITH_INV).invalidate(lent.key)
            .remote(bench.user.at(0), bench.user.region.rkey()).sge(bench.owner.at(4096), 64, bench.owner.lkey()),
            WcOpcode.RDMA_READ);
        assertThat(bench.owner.firstDifference(4096, 64, 4)).isEqualTo(-1);
        assertThat(bench.write(lent.address, lent.key, 6)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void aReadMayEndTheFastRegionThatItFills() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion sink = bench.owner.pd.allocateFastRegion(1);
        sink.map(bench.pages(3), 0, 4096);
        KeyBench.assertRuns(bench.owner, new SendRequest().fastRegister(sink, sink.nextKey(), IOVA,
            AccessFlag.LOCAL_WRITE), WcOpcode.FAST_REG_MR);
        bench.user.fill(0, 64, 7);
        KeyBench.assertRuns(bench.owner, new SendRequest().opcode(SendOpcode.RDMA_READ_WITH_INV)
            .invalidate(sink.rkey()).remote(bench.user.at(0), bench.user.region.rkey()).sge(IOVA, 64, sink.lkey()),
            WcOpcode.RDMA_READ);
        assertThat(bench.owner.firstDifference(3 * 4096, 64, 7)).isEqualTo(-1);
        assertThat(bench.owner.qp.postSend(1, IOVA, 8, sink.lkey())).isZero();
        assertThat(Completions.await(bench.owner.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void whatCannotBeInvalidatedFails() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow ofVerb = bench.owner.pd.allocateWindow(WindowType.TYPE_1);
        assertThat(bench.owner.qp.bindWindow(1, ofVerb, bench.bindable, bench.owner.at(0), 64)).isZero();
        Completions.awaitSuccess(bench.owner.cq);
        final Lent twice = Lent.of(bench, Kind.FAST_REGION);
        KeyBench.assertRuns(bench.owner, KeyBench.invalidation(twice.key), WcOpcode.LOCAL_INV);
        final int[] keys = {bench.owner.region.rkey(), ofVerb.rkey(), twice.key, 0, -1};
        for (final int key : keys) {
            assertThat(KeyBench.run(bench.owner, KeyBench.invalidation(key))).as("key 0x%x", key)
                .isEqualTo(WcStatus.MW_BIND_ERR);
            assertThat(bench.owner.qp.state()).isEqualTo(QpState.ERR);
            bench.reconnect();
        }
    }

    @Test
    void aPeersMessageWithSuchAKeyFailsAndIsNotDelivered() {
        final KeyBench bench = new KeyBench(devices);
        bench.owner.qp.postReceive(71, bench.owner.at(0), 64, bench.owner.lkey());
        bench.user.fill(0, 8, 1);
        assertThat(KeyBench.run(bench.user, new SendRequest().opcode(SendOpcode.SEND_WITH_INV)
            .invalidate(bench.owner.region.rkey()).sge(bench.user.at(0), 8, bench.user.lkey())))
            .isEqualTo(WcStatus.REM_ACCESS_ERR);
        final Completions.Copy receive = Completions.await(bench.owner.cq, 1).get(0);
        assertThat(receive.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(receive.wrId()).isEqualTo(71);
        assertThat(bench.write(0, 0, 0)).as("the connection is gone").isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void isMissingOnDevicesThatOnlySend() {
        final PvrdmaContext context = devices.open(Devices.QEMU);
        assertThat(context.supports(Feature.INVALIDATE)).isFalse();
        assertThat(context.whyNot(Feature.INVALIDATE)).isNotBlank();
        assertThat(devices.open("extensions=false").supports(Feature.INVALIDATE)).isTrue();
    }
}
