/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.verbs.FastRegion;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/** Requests that are encoded once and posted many times. */
class TemplateTest {
    private static final int ROOM = 256;

    @RegisterExtension
    final Devices devices = new Devices();

    private static Peer rc(final PvrdmaContext device) {
        return new Peer(device, new QpOptions().maxSendWr(8).maxSendSge(4).maxReceiveSge(4).maxInline(ROOM));
    }

    private static SendQueue queue(final Peer peer) {
        return ((PvrdmaQp) peer.qp).sends.queue;
    }

    private static SendRequest send(final Peer a, final int offset, final int length) {
        return new SendRequest().wrId(offset).sge(a.at(offset), length, a.lkey());
    }

    @Test
    void postsAllAgainAndAgain() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final SendRequest first = send(a, 0, 100);
        final SendTemplate template = a.qp.prepare(first, send(a, 1000, 50).flags(0), send(a, 2000, 60));
        assertThat(template.size()).isEqualTo(3);
        assertThat(template.queuePair()).isSameAs(a.qp);
        // The template is a copy.
        first.wrId(99).clearSges().flags(0);
        for (int round = 0; round < 20; round++) {
            a.fill(0, 100, round);
            a.fill(1000, 50, round + 1);
            a.fill(2000, 60, round + 2);
            for (int i = 0; i < 3; i++) {
                b.qp.postReceive(i, b.at(i * ROOM), ROOM, b.lkey());
            }
            assertThat(template.post()).isEqualTo(3);
            assertThat(Completions.await(b.cq, 3)).extracting(Completions.Copy::bytes).containsExactly(100, 50, 60);
            final List<Completions.Copy> sent = Completions.await(a.cq, 2);
            assertThat(sent).extracting(Completions.Copy::wrId).as("signaled ones").containsExactly(0L, 2000L);
            assertThat(sent).extracting(Completions.Copy::bytes).containsExactly(100, 60);
            assertThat(b.firstDifference(0, 100, round)).isEqualTo(-1);
            assertThat(b.firstDifference(ROOM, 50, round + 1)).isEqualTo(-1);
            assertThat(b.firstDifference(2 * ROOM, 60, round + 2)).isEqualTo(-1);
        }
        Completions.assertNone(a.cq);
    }

    @Test
    void changesSingleFieldsBetweenPosts() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        a.fill(0, 2000, 5);
        final SendTemplate template = a.qp.prepare(new SendRequest(2).opcode(SendOpcode.RDMA_WRITE_WITH_IMM).immData(1)
            .remote(b.at(0), b.region.rkey()).addSge(a.at(0), 10, 0).addSge(a.at(10), 10, a.lkey()));
        template.wrId(0, 42).lkey(0, 0, a.lkey()).address(0, 0, a.at(500)).length(0, 0, 30).address(0, 1, a.at(530))
            .immData(0, 0x01020304).remote(0, b.at(4500), b.region.rkey());
        b.qp.postReceive(7, b.at(0), 1, b.lkey());
        assertThat(template.post()).isEqualTo(1);
        final Completions.Copy received = Completions.awaitSuccess(b.cq);
        assertThat(received.imm()).isEqualTo(0x01020304);
        assertThat(received.bytes()).isEqualTo(40);
        final Completions.Copy sent = Completions.awaitSuccess(a.cq);
        assertThat(sent.wrId()).isEqualTo(42);
        assertThat(sent.bytes()).isEqualTo(40);
        for (int i = 0; i < 40; i++) {
            assertThat(b.bytes.getByte(4500 + i)).as("byte %d", i).isEqualTo(Peer.pattern(500 + i, 5));
        }
    }

    @Test
    void readsAndWritesWhereItIsTold() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        b.fill(0, 1000, 3);
        a.fill(5000, 8, 9);
        final SendTemplate template = a.qp.prepare(
            send(a, 0, 10).opcode(SendOpcode.RDMA_READ).remote(b.at(0), b.region.rkey()),
            send(a, 5000, 8).opcode(SendOpcode.RDMA_WRITE).remote(b.at(0), b.region.rkey()));
        for (int i = 1; i < 5; i++) {
            template.remote(0, b.at(100 * i), b.region.rkey()).remote(1, b.at(10_000 + 8 * i), b.region.rkey());
            assertThat(template.post()).isEqualTo(2);
            assertThat(Completions.await(a.cq, 2)).extracting(Completions.Copy::opcode)
                .containsExactly(WcOpcode.RDMA_READ, WcOpcode.RDMA_WRITE);
            for (int k = 0; k < 10; k++) {
                assertThat(a.bytes.getByte(k)).isEqualTo(Peer.pattern(100 * i + k, 3));
            }
            assertThat(b.firstDifference(10_000 + 8 * i, 8, 9)).isEqualTo(-1);
        }
    }

    @Test
    void changesTheOperandsOfAtomics() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final SendTemplate template = a.qp.prepare(
            send(a, 0, 8).opcode(SendOpcode.ATOMIC_CMP_AND_SWP).remote(b.at(0), b.region.rkey()).atomic(0, 1),
            send(a, 8, 8).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).remote(b.at(8), b.region.rkey()).atomic(3, 0));
        assertThat(template.post()).isEqualTo(2);
        assertThat(template.operands(0, 1, 77).operands(1, 10, 0).post()).isEqualTo(2);
        assertThat(Completions.await(a.cq, 4)).allMatch(c -> c.status() == WcStatus.SUCCESS);
        assertThat(b.bytes.getLong(0)).isEqualTo(77);
        assertThat(b.bytes.getLong(8)).isEqualTo(13);
        assertThat(a.bytes.getLong(0)).isEqualTo(1);
        assertThat(a.bytes.getLong(8)).isEqualTo(3);
    }

    @Test
    void holdsThePayloadOfInlineRequests() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[300]);
        source.setMemory(0, 300, (byte) 1);
        final SendTemplate template = a.qp.prepare(new SendRequest().wrId(1).inline(source, 0, ROOM),
            new SendRequest().wrId(2).inline(source, 0, 10));
        source.setMemory(0, 300, (byte) 2);
        expect(template, a, b, new int[] {ROOM, 10}, 1, 1);
        template.inline(1, source, 100, 20);
        source.setMemory(0, 300, (byte) 3);
        expect(template, a, b, new int[] {ROOM, 20}, 1, 2);
        template.inline(0, source, 300, 0);
        expect(template, a, b, new int[] {0, 20}, 1, 2);
    }

    private static void expect(
        final SendTemplate template, final Peer a, final Peer b, final int[] lengths, final int... values) {
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 2; i++) {
                b.qp.postReceive(i, b.at(i * ROOM), ROOM, b.lkey());
            }
            assertThat(template.post()).isEqualTo(2);
            final List<Completions.Copy> sent = Completions.await(a.cq, 2);
            for (int i = 0; i < 2; i++) {
                assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(lengths[i]);
                assertThat(sent.get(i).bytes()).isEqualTo(lengths[i]);
                for (int k = 0; k < lengths[i]; k++) {
                    assertThat(b.bytes.getByte(i * ROOM + k)).as("%d of %d", k, i).isEqualTo((byte) values[i]);
                }
            }
        }
    }

    /** What a template posts is, byte for byte, what the same request posts. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void encodesAsASinglePostDoes(final long seed) {
        final Random random = new Random(seed);
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        ((PvrdmaQp) a.qp).sends.muted(true);
        final List<SendOpcode> opcodes = new ArrayList<>(List.of(SendOpcode.values()));
        opcodes.removeAll(List.of(SendOpcode.FAST_REG_MR, SendOpcode.BIND_MW));
        for (int round = 0; round < 120; round++) {
            final SendRequest before = random(random, opcodes.get(round % opcodes.size()));
            final SendRequest after = random(random, before.opcode(), before.sges().size()).flags(before.flags())
                .invalidate(random.nextInt());
            keepMasks(before, after);
            ((PvrdmaQp) a.qp).sends.gidIndex(random.nextInt(3));
            final SendTemplate template = a.qp.prepare(before);
            patch(template, after);
            ((PvrdmaQp) a.qp).sends.gidIndex(random.nextInt(3));
            queue(a).reset();
            assertThat(a.qp.postSend(after)).isZero();
            assertThat(template.post()).isEqualTo(1);
            final int end = SqWqe.sgeOffset(0, after.sges().size());
            for (int i = SqWqe.NUM_SGE_OFFSET; i < end; i++) {
                assertThat(queue(a).buffer().getByte(queue(a).slotOffset(1) + i))
                    .as("seed %d round %d %s byte %d", seed, round, after.opcode(), i)
                    .isEqualTo(queue(a).buffer().getByte(queue(a).slotOffset(0) + i));
            }
        }
        queue(a).reset();
    }

    private static SendRequest random(final Random random, final SendOpcode opcode) {
        final SendRequest request = random(random, opcode, places(random, opcode));
        if (opcode == SendOpcode.MASKED_ATOMIC_CMP_AND_SWP) {
            request.maskedCompareSwap(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
        } else if (opcode == SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD) {
            request.maskedAdd(random.nextLong(), random.nextLong());
        }
        return request.invalidate(random.nextInt());
    }

    private static int places(final Random random, final SendOpcode opcode) {
        if (isAtomic(opcode)) {
            return 1;
        }
        return opcode == SendOpcode.LOCAL_INV ? 0 : random.nextInt(5);
    }

    private static boolean isAtomic(final SendOpcode opcode) {
        return opcode.name().contains("ATOMIC");
    }

    private static void keepMasks(final SendRequest from, final SendRequest to) {
        if (from.opcode() == SendOpcode.MASKED_ATOMIC_CMP_AND_SWP) {
            to.maskedCompareSwap(to.compareAdd(), from.compareMask(), to.swap(), from.swapMask());
        } else if (from.opcode() == SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD) {
            to.maskedAdd(to.compareAdd(), from.fieldBoundary());
        }
    }

    private static SendRequest random(final Random random, final SendOpcode opcode, final int sges) {
        final SendRequest request = new SendRequest(sges).opcode(opcode).wrId(random.nextLong())
            .flags(random.nextInt(8)).immData(random.nextInt()).remote(random.nextLong(), random.nextInt())
            .atomic(random.nextLong(), random.nextLong());
        for (int i = 0; i < sges; i++) {
            final int length = isAtomic(opcode) ? 8 : random.nextInt(1 << 20);
            request.addSge(random.nextLong(), length, random.nextInt());
        }
        return request;
    }

    private static void patch(final SendTemplate template, final SendRequest to) {
        template.wrId(0, to.wrId());
        for (int i = 0; i < to.sges().size(); i++) {
            template.address(0, i, to.sges().address(i)).length(0, i, to.sges().length(i))
                .lkey(0, i, to.sges().lkey(i));
        }
        final String name = to.opcode().name();
        if (!name.startsWith("SEND") && to.opcode() != SendOpcode.LOCAL_INV) {
            template.remote(0, to.remoteAddress(), to.rkey());
        }
        if (name.endsWith("INV")) {
            template.invalidate(0, to.invalidateRkey());
        }
        if (name.endsWith("IMM")) {
            template.immData(0, to.immData());
        }
        if (isAtomic(to.opcode())) {
            template.operands(0, to.compareAdd(), to.swap());
        }
    }

    /** What a binding says is in the window and the region, so it is looked at each time. */
    @Test
    void bindsAndInvalidatesAWindowEachTime() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final MemoryRegion region = a.pd.register(a.memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        final MemoryWindow window = a.pd.allocateWindow(WindowType.TYPE_2);
        final int key = window.nextRkey();
        final SendTemplate template = a.qp.prepare(
            new SendRequest().wrId(1).bind(window, key, region, a.at(0), 8, AccessFlag.REMOTE_WRITE),
            new SendRequest().wrId(2).opcode(SendOpcode.LOCAL_INV).invalidate(key));
        for (int i = 0; i < 3; i++) {
            assertThat(template.post()).isEqualTo(2);
            final List<Completions.Copy> done = Completions.await(a.cq, 2);
            assertThat(done).extracting(Completions.Copy::opcode).containsExactly(WcOpcode.BIND_MW, WcOpcode.LOCAL_INV);
            assertThat(done).extracting(Completions.Copy::status).containsOnly(WcStatus.SUCCESS);
            assertThat(window.rkey()).isEqualTo(key & ~0xff | key + i & 0xff);
            template.newKey(0, window.nextRkey()).invalidate(1, window.nextRkey());
        }
        window.close();
        assertThat(template.post()).isEqualTo(ReturnCode.INVALID_REQUEST);
        Completions.assertNone(a.cq);
    }

    @Test
    void sendsDatagrams() {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final AddressHandle handle = a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid()));
        final UnaryOperator<SendRequest> toB = request -> request.to(handle, b.qp.qpNumber(), Peer.QKEY);
        final SendTemplate template = a.qp.prepare(toB.apply(send(a, 0, 64)),
            toB.apply(send(a, 64, 64)).opcode(SendOpcode.SEND_WITH_IMM).immData(4));
        for (int round = 0; round < 5; round++) {
            a.fill(0, 128, round);
            template.immData(1, 100 + round);
            b.qp.postReceive(1, b.at(0), 104, b.lkey());
            b.qp.postReceive(2, b.at(200), 104, b.lkey());
            assertThat(template.post()).isEqualTo(2);
            final List<Completions.Copy> received = Completions.await(b.cq, 2);
            assertThat(received.get(1).imm()).isEqualTo(100 + round);
            assertThat(b.firstDifference(40, 64, round)).isEqualTo(-1);
            Completions.await(a.cq, 2);
        }
        handle.close();
        assertThat(template.post()).as("closed handle").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(queue(a).outstanding()).isZero();
        Completions.assertNone(b.cq);
    }

    @Test
    void stopsAtTheRequestWhoseAddressHandleIsClosed() {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final AhAttributes way = AhAttributes.to(b.qp.localAddress().gid());
        final AddressHandle second = a.pd.createAh(way);
        final SendTemplate template = a.qp.prepare(
            send(a, 0, 8).to(a.pd.createAh(way), b.qp.qpNumber(), Peer.QKEY),
            send(a, 8, 8).to(second, b.qp.qpNumber(), Peer.QKEY),
            send(a, 16, 8).to(a.pd.createAh(way), b.qp.qpNumber(), Peer.QKEY));
        second.close();
        assertThat(template.post()).isEqualTo(1);
        assertThat(Completions.awaitSuccess(a.cq).wrId()).isZero();
        Completions.assertNone(a.cq);
    }

    /** A remote Q_Key with its top bit set stands for the QP's own, whatever that is when it is posted. */
    @Test
    void followsTheQkeyOfTheQp() {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final AddressHandle handle = a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid()));
        final SendTemplate template = a.qp.prepare(send(a, 0, 8).to(handle, b.qp.qpNumber(), 0x8000_0000));
        a.qp.modify(QpAttributes.to(QpState.RTS).qkey(Peer.QKEY + 1));
        b.qp.postReceive(1, b.at(0), 48, b.lkey());
        assertThat(template.post()).isEqualTo(1);
        Completions.awaitSuccess(a.cq);
        Completions.assertNone(b.cq);
        a.qp.modify(QpAttributes.to(QpState.RTS).qkey(Peer.QKEY));
        assertThat(template.post()).isEqualTo(1);
        assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(48);
    }

    @Test
    void postsAsManyAsThereIsRoomFor() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final SendRequest[] requests = new SendRequest[8];
        for (int i = 0; i < 8; i++) {
            requests[i] = send(a, i, 1);
        }
        final SendTemplate template = a.qp.prepare(requests);
        assertThat(template.post(5)).isEqualTo(5);
        assertThat(template.post()).isEqualTo(3);
        assertThat(template.post()).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(template.post(0)).isZero();
        for (int i = 0; i < 8; i++) {
            b.qp.postReceive(i, b.at(0), 1, b.lkey());
        }
        assertThat(Completions.await(a.cq, 8)).extracting(Completions.Copy::wrId)
            .containsExactly(0L, 1L, 2L, 3L, 4L, 0L, 1L, 2L);
    }

    @Test
    void isRefusedLikeAnyOtherPost() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        final SendTemplate template = a.qp.prepare(send(a, 0, 8));
        assertThat(template.post()).as("in RESET").isEqualTo(ReturnCode.WRONG_STATE);
        a.connect(b);
        assertThat(template.post(-1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(template.post(2)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(template.post(Integer.MIN_VALUE)).isEqualTo(ReturnCode.INVALID_REQUEST);
        a.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(template.post()).isEqualTo(1);
        assertThat(Completions.await(a.cq, 1).get(0).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        a.qp.close();
        assertThat(template.post()).isEqualTo(ReturnCode.CLOSED);
        template.wrId(0, 5).address(0, 0, 1).length(0, 0, 1).lkey(0, 0, 1);
        assertThat(template.post()).isEqualTo(ReturnCode.CLOSED);
        assertThat(template).asString().contains("1 sends").contains(a.qp.toString());
    }

    @Test
    void aMessageThatBecameTooLongIsRefusedUntilItIsShorter() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final SendTemplate template =
            a.qp.prepare(new SendRequest(2).addSge(a.at(0), 8, a.lkey()).addSge(a.at(8), 8, a.lkey()));
        template.length(0, 0, Integer.MAX_VALUE).length(0, 1, Integer.MAX_VALUE);
        assertThat(template.post()).isEqualTo(ReturnCode.INVALID_REQUEST);
        template.length(0, 0, 4).length(0, 1, 5);
        b.qp.postReceive(1, b.at(0), 16, b.lkey());
        assertThat(template.post()).isEqualTo(1);
        assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(9);
    }

    @Test
    void anAtomicMustStayOfOneWord() {
        final Peer a = rc(devices.open());
        final Peer b = rc(devices.open());
        a.connect(b);
        final SendTemplate template = a.qp.prepare(
            send(a, 0, 8).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).remote(b.at(0), b.region.rkey()).atomic(1, 0));
        assertThat(template.length(0, 0, 4).post()).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(template.length(0, 0, 8).post()).isEqualTo(1);
        Completions.awaitSuccess(a.cq);
    }

    @Test
    void settersRefuseWhatTheRequestDoesNotHave() {
        final Peer a = rc(devices.open());
        final UnsafeBuffer source = new UnsafeBuffer(new byte[400]);
        final SendTemplate template = a.qp.prepare(send(a, 0, 8), new SendRequest().inline(source, 0, 8),
            send(a, 0, 8).opcode(SendOpcode.RDMA_READ), send(a, 0, 8).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD));
        final List<Runnable> wrong = new ArrayList<>(List.of(
            () -> template.wrId(-1, 0), () -> template.wrId(4, 0), () -> template.wrId(Integer.MAX_VALUE, 0),
            () -> template.address(0, 1, 0), () -> template.address(0, -1, 0), () -> template.address(1, 0, 0),
            () -> template.length(0, 0, -1), () -> template.length(0, 1, 0), () -> template.lkey(9, 0, 0),
            () -> template.lkey(1, 0, 0), () -> template.length(1, 0, 4), () -> template.remote(0, 0, 0),
            () -> template.remote(1, 0, 0), () -> template.remote(-1, 0, 0), () -> template.immData(0, 0),
            () -> template.immData(2, 0), () -> template.operands(2, 0, 0), () -> template.operands(0, 0, 0),
            () -> template.operands(4, 0, 0), () -> template.invalidate(0, 1), () -> template.newKey(2, 1),
            () -> template.invalidate(9, 1), () -> template.newKey(-1, 1), () -> template.inline(0, source, 0, 8),
            () -> template.inline(1, null, 0, 8), () -> template.inline(1, source, 0, ROOM + 1),
            () -> template.inline(1, source, 399, 2), () -> template.inline(1, source, -1, 2),
            () -> template.inline(1, source, 0, -1), () -> template.inline(7, source, 0, 1)));
        for (int i = 0; i < wrong.size(); i++) {
            final Runnable call = wrong.get(i);
            assertThatThrownBy(call::run).as("call %d", i).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("request");
        }
        assertThatThrownBy(() -> template.remote(0, 0, 0)).hasMessage("request 0: SEND has no remote address");
    }

    @Test
    void prepareRefusesBindingsAndRegistrationsThatNoPostWouldTake() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        final SendRequest good = new SendRequest().fastRegister(region, region.nextKey(), 0x1000);
        assertThat(bench.owner.qp.prepare(good).post()).isEqualTo(1);
        for (final SendRequest request : new SendRequest[] {
            new SendRequest().fastRegister(region, region.nextKey(), 0x1000).addSge(bench.owner.at(0), 8, 1),
            new SendRequest().fastRegister(null, 5, 0x1000),
            new SendRequest().opcode(SendOpcode.BIND_MW),
            new SendRequest().opcode(SendOpcode.FAST_REG_MR).inline(new UnsafeBuffer(new byte[8]), 0, 8)}) {
            assertInvalid(() -> bench.owner.qp.prepare(request), request.opcode().toString());
        }
    }

    @Test
    void prepareRefusesWhatCouldNeverBePosted() {
        final Peer a = rc(devices.open());
        final Peer ud = Peer.ud(devices.open());
        final UnsafeBuffer source = new UnsafeBuffer(new byte[ROOM + 1]);
        assertInvalid(() -> a.qp.prepare(), "number of requests is 0", "1 to 8");
        assertInvalid(() -> a.qp.prepare((SendRequest[]) null), "requests is null");
        assertInvalid(() -> a.qp.prepare(send(a, 0, 1), null), "request 1 is null");
        assertInvalid(() -> a.qp.prepare(new SendRequest[9]), "number of requests is 9");
        final SendRequest tooMany = new SendRequest(5);
        for (int i = 0; i < 5; i++) {
            tooMany.addSge(a.at(0), 1, a.lkey());
        }
        assertInvalid(() -> a.qp.prepare(send(a, 0, 1), tooMany), "request 1 of 2", "TOO_MANY_SGES",
            "5 elements, maxSendSge is 4", "QpOptions.maxSendSge(int)");
        assertInvalid(() -> a.qp.prepare(new SendRequest().opcode(SendOpcode.ATOMIC_CMP_AND_SWP)), "INVALID_REQUEST");
        assertInvalid(() -> a.qp.prepare(new SendRequest().inline(source, 0, ROOM + 1)), "INVALID_REQUEST",
            ROOM + 1 + " bytes inline, maxInline is " + ROOM, "QpOptions.maxInline(int)");
        assertInvalid(() -> ud.qp.prepare(send(ud, 0, 1)), "INVALID_REQUEST");
        assertInvalid(() -> ud.qp.prepare(new SendRequest().opcode(SendOpcode.RDMA_READ)), "UNSUPPORTED");
        assertInvalid(() -> ud.qp.prepare(new SendRequest().inline(source, 0, 1)), "INVALID_REQUEST");
        final AddressHandle handle = ud.pd.createAh(AhAttributes.to(ud.qp.localAddress().gid()));
        handle.close();
        assertInvalid(() -> ud.qp.prepare(send(ud, 0, 1).to(handle, 1, 1)), "INVALID_REQUEST");
        a.qp.close();
        assertClosed(() -> a.qp.prepare(send(a, 0, 1)), a.qp.toString());
    }
}
