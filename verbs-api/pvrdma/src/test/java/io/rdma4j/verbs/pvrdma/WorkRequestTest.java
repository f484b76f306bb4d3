/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Feature;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Every operation: what the device is told, what is refused before, and what the completion says. */
class WorkRequestTest {
    private static final int POSTS_AT_ONCE = 1_000;
    private static final int CHANGES = TestBudget.rounds(100_000, 1_000_000);
    private static final Set<SendOpcode> MESSAGES = EnumSet.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM);
    private static final Set<SendOpcode> ON_KEYS = EnumSet.of(SendOpcode.BIND_MW, SendOpcode.FAST_REG_MR);
    private static final Set<SendOpcode> ATOMICS = EnumSet.of(SendOpcode.ATOMIC_CMP_AND_SWP,
        SendOpcode.ATOMIC_FETCH_AND_ADD, SendOpcode.MASKED_ATOMIC_CMP_AND_SWP, SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD);

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    /** A request of an operation that can be posted, with the owner's own memory at both ends. */
    private static SendRequest request(final KeyBench bench, final SendOpcode opcode) {
        final Peer peer = bench.owner;
        switch (opcode) {
            case BIND_MW:
                final MemoryWindow window = peer.pd.allocateWindow(WindowType.TYPE_2);
                return new SendRequest(4).bind(window, window.nextRkey(), bench.bindable, peer.at(100), 1000,
                    AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
            case FAST_REG_MR:
                final FastRegion region = peer.pd.allocateFastRegion(4);
                region.map(bench.pages(3, 1), 24, 5000);
                return new SendRequest(4).fastRegister(region, region.nextKey(), 0x7000_0018L, AccessFlag.LOCAL_WRITE);
            case LOCAL_INV:
                return new SendRequest(4).opcode(opcode).invalidate(0x8765_4321);
            default:
                return new SendRequest(4).opcode(opcode).immData(0x0102_0304).invalidate(0x8765_4321)
                    .remote(bench.user.at(64), bench.user.region.rkey()).atomic(0x1111, 0x2222)
                    .sge(peer.at(0), 8, peer.lkey());
        }
    }

    @ParameterizedTest
    @CsvSource({"SEND, 2", "SEND_WITH_IMM, 3", "SEND_WITH_INV, 8", "RDMA_WRITE, 0", "RDMA_WRITE_WITH_IMM, 1",
        "RDMA_READ, 4", "ATOMIC_CMP_AND_SWP, 5", "ATOMIC_FETCH_AND_ADD, 6", "RDMA_READ_WITH_INV, 9",
        "MASKED_ATOMIC_CMP_AND_SWP, 12", "MASKED_ATOMIC_FETCH_AND_ADD, 13", "LOCAL_INV, 10", "FAST_REG_MR, 11",
        "BIND_MW, 14"})
    void tellsTheDeviceItsNumberFlagsAndElements(final SendOpcode opcode, final int number) {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest request = request(bench, opcode).wrId(7).flags(SendRequest.FENCE | SendRequest.SOLICITED);
        assertThat(bench.owner.qp.postSend(request)).isZero();
        final Wqe wqe = Wqe.last(bench.owner.qp);
        assertThat(wqe.opcode()).isEqualTo(number);
        assertThat(wqe.flags()).as("fence and solicited").isEqualTo(1 | 4);
        assertThat(wqe.numSge()).isEqualTo(request.sges().size());
        assertThat(wqe.word(28)).as("reserved").isZero();
        assertThat(bench.owner.qp.postSend(request(bench, opcode).flags(SendRequest.SIGNALED))).isZero();
        assertThat(Wqe.last(bench.owner.qp).flags()).as("signaled").isEqualTo(2);
    }

    private Wqe posted(final KeyBench bench, final SendRequest request) {
        assertThat(bench.owner.qp.postSend(request)).as("%s", request).isZero();
        return Wqe.last(bench.owner.qp);
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND_WITH_INV", "RDMA_READ_WITH_INV", "LOCAL_INV"})
    void namesTheKeyToInvalidateAsItIs(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final Wqe wqe = posted(bench, request(bench, opcode));
        assertThat(wqe.word(24)).isEqualTo(0x8765_4321);
        if (opcode == SendOpcode.RDMA_READ_WITH_INV) {
            assertThat(wqe.quad(32)).isEqualTo(bench.user.at(64));
            assertThat(wqe.word(40)).isEqualTo(bench.user.region.rkey());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND_WITH_IMM", "RDMA_WRITE_WITH_IMM"})
    void sendsImmediateDataInNetworkOrder(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        assertThat(posted(bench, request(bench, opcode)).word(24)).isEqualTo(0x0403_0201);
    }

    @Test
    void writesMasksWhereTheDeviceReadsThem() {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest request = request(bench, SendOpcode.MASKED_ATOMIC_CMP_AND_SWP);
        final Wqe swap = posted(bench, request.maskedCompareSwap(1, 2, 3, 4));
        assertThat(swap.quad(32)).isEqualTo(bench.user.at(64));
        assertThat(swap.word(40)).as("log2 of 8 bytes").isEqualTo(3);
        assertThat(swap.word(44)).isEqualTo(bench.user.region.rkey());
        assertThat(List.of(swap.quad(48), swap.quad(56), swap.quad(64), swap.quad(72)))
            .as("swap, compare, swap mask, compare mask").containsExactly(3L, 1L, 4L, 2L);
        final Wqe add = posted(bench, request.maskedAdd(5, 6));
        assertThat(add.word(40)).isEqualTo(3);
        assertThat(add.word(44)).isEqualTo(bench.user.region.rkey());
        assertThat(List.of(add.quad(48), add.quad(56), add.quad(64), add.quad(72)))
            .as("add, boundary, nothing").containsExactly(5L, 6L, 0L, 0L);
    }

    @Test
    void writesABindingWhereTheDeviceReadsIt() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = bench.owner.pd.allocateWindow(WindowType.TYPE_2);
        final int first = window.rkey();
        final Wqe wqe = posted(bench, new SendRequest().bind(window, window.nextRkey(), bench.bindable,
            bench.owner.at(100), 1000, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
        assertThat(wqe.quad(SqWqe.BIND_ADDR_OFFSET)).isEqualTo(bench.owner.at(100));
        assertThat(wqe.quad(SqWqe.BIND_LENGTH_OFFSET)).isEqualTo(1000);
        assertThat(wqe.word(SqWqe.BIND_MW_RKEY_OFFSET)).isEqualTo(first);
        assertThat(wqe.word(SqWqe.BIND_NEW_RKEY_OFFSET)).isEqualTo(window.rkey()).isNotEqualTo(first);
        assertThat(wqe.word(SqWqe.BIND_MR_LKEY_OFFSET)).isEqualTo(bench.bindable.lkey());
        assertThat(wqe.word(SqWqe.BIND_ACCESS_OFFSET)).isEqualTo(2 | 4);
    }

    @Test
    void writesARegistrationWhereTheDeviceReadsIt() {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest request = request(bench, SendOpcode.FAST_REG_MR);
        final Wqe wqe = posted(bench, request);
        assertThat(wqe.quad(32)).isEqualTo(0x7000_0018L);
        assertThat(wqe.quad(40)).as("list of pages").isNotZero();
        assertThat(wqe.quad(40) % 4096).isZero();
        assertThat(List.of(wqe.word(48), wqe.word(52), wqe.word(56), wqe.word(60)))
            .as("page shift, pages, length, access").containsExactly(12, 2, 5000, 1);
        assertThat(wqe.word(64)).isEqualTo(request.fastRegion().rkey());
    }

    @ParameterizedTest
    @EnumSource
    void takesOnlyElementsThatMakeSense(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final Peer peer = bench.owner;
        final SendRequest two = request(bench, opcode).clearSges()
            .addSge(peer.at(0), 4, peer.lkey()).addSge(peer.at(4), 4, peer.lkey());
        final boolean any = !ATOMICS.contains(opcode) && !ON_KEYS.contains(opcode) && opcode != SendOpcode.LOCAL_INV;
        assertThat(peer.qp.postSend(two)).as("two").isEqualTo(any ? ReturnCode.OK : ReturnCode.INVALID_REQUEST);
        final SendRequest none = request(bench, opcode).clearSges();
        assertThat(peer.qp.postSend(none)).as("none")
            .isEqualTo(ATOMICS.contains(opcode) ? ReturnCode.INVALID_REQUEST : ReturnCode.OK);
        if (ATOMICS.contains(opcode)) {
            for (final int length : new int[] {0, 4, 7, 9, 16}) {
                assertThat(peer.qp.postSend(request(bench, opcode).sge(peer.at(0), length, peer.lkey())))
                    .as("length %d", length).isEqualTo(ReturnCode.INVALID_REQUEST);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesNoMoreElementsThanTheQueueWasMadeFor(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest template = request(bench, opcode);
        final SendRequest many = new SendRequest(5).set(template).clearSges();
        for (int i = 0; i < 5; i++) {
            many.addSge(bench.owner.at(i), 1, bench.owner.lkey());
        }
        assertThat(bench.owner.qp.postSend(many)).isIn(ReturnCode.TOO_MANY_SGES, ReturnCode.INVALID_REQUEST);
        assertThat(bench.owner.qp.postSend(new SendRequest[] {many}, 1)).isNegative();
        Completions.assertNone(bench.owner.cq);
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedWhereTheTypeOfQpDoesNotHaveIt(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final Peer datagrams = Peer.ud(bench.owner.context);
        assertThat(datagrams.qp.postSend(request(bench, opcode)))
            .isEqualTo(MESSAGES.contains(opcode) ? ReturnCode.INVALID_REQUEST : ReturnCode.UNSUPPORTED);
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedWhereTheDeviceOnlySends(final SendOpcode opcode) {
        final Peer peer = Peer.rc(devices.open(Devices.QEMU));
        peer.connect(Peer.rc(devices.open()));
        final SendRequest request = new SendRequest().opcode(opcode).sge(peer.at(0), 8, peer.lkey());
        assertThat(peer.qp.postSend(request))
            .isEqualTo(opcode == SendOpcode.SEND ? ReturnCode.OK : ReturnCode.UNSUPPORTED);
    }

    @ParameterizedTest
    @EnumSource
    void onlyBindingsNeedTheExtension(final SendOpcode opcode) {
        final Peer peer = Peer.rc(devices.open("extensions=false"));
        peer.connect(Peer.rc(devices.open()));
        assertThat(peer.qp.postSend(new SendRequest().opcode(opcode).sge(peer.at(0), 8, peer.lkey())))
            .isIn(opcode == SendOpcode.BIND_MW ? List.of(ReturnCode.UNSUPPORTED)
                : List.of(ReturnCode.OK, ReturnCode.INVALID_REQUEST));
        assertThat(peer.context.supports(Feature.FAST_REGISTRATION)).isTrue();
        assertThat(peer.context.whyNot(Feature.MEMORY_WINDOWS)).contains("no memory windows");
    }

    @ParameterizedTest
    @CsvSource({"SEND, SEND", "SEND_WITH_IMM, SEND", "SEND_WITH_INV, SEND", "RDMA_WRITE, RDMA_WRITE",
        "RDMA_WRITE_WITH_IMM, RDMA_WRITE", "RDMA_READ, RDMA_READ", "ATOMIC_CMP_AND_SWP, COMP_SWAP",
        "ATOMIC_FETCH_AND_ADD, FETCH_ADD", "RDMA_READ_WITH_INV, RDMA_READ",
        "MASKED_ATOMIC_CMP_AND_SWP, MASKED_COMP_SWAP", "MASKED_ATOMIC_FETCH_AND_ADD, MASKED_FETCH_ADD",
        "LOCAL_INV, LOCAL_INV", "FAST_REG_MR, FAST_REG_MR", "BIND_MW, BIND_MW"})
    void aFlushedOneSaysWhatItWas(final SendOpcode opcode, final WcOpcode expected) {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest request = request(bench, opcode).wrId(31);
        bench.owner.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(bench.owner.qp.postSend(request)).isZero();
        final Completions.Copy flushed = Completions.await(bench.owner.cq, 1).get(0);
        assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(flushed.opcode()).isEqualTo(expected);
        assertThat(flushed.wrId()).isEqualTo(31);
    }

    @Test
    void refusesObjectsThatAreMissingClosedOrOfOthers() {
        final KeyBench bench = new KeyBench(devices);
        final KeyBench other = new KeyBench(devices);
        for (final SendOpcode opcode : ON_KEYS) {
            assertThat(bench.owner.qp.postSend(new SendRequest().opcode(opcode))).as("none of %s", opcode)
                .isEqualTo(ReturnCode.INVALID_REQUEST);
            assertThat(bench.owner.qp.postSend(request(other, opcode))).as("other device's %s", opcode)
                .isEqualTo(ReturnCode.FOREIGN_OBJECT);
            final SendRequest closed = request(bench, opcode);
            if (opcode == SendOpcode.BIND_MW) {
                closed.window().close();
            } else {
                closed.fastRegion().close();
            }
            assertThat(bench.owner.qp.postSend(closed)).as("closed, %s", opcode).isEqualTo(ReturnCode.INVALID_REQUEST);
        }
        Completions.assertNone(bench.owner.cq);
    }

    @Test
    void windowsHaveRemoteRightsOnly() {
        for (final AccessFlag flag : new AccessFlag[] {AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND}) {
            assertThatThrownBy(() -> new SendRequest().bind(null, 0, null, 0, 1, flag))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(flag.name());
        }
    }

    @ParameterizedTest
    @EnumSource
    void printsWhatCountsForIt(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final String text = request(bench, opcode).wrId(77).flags(SendRequest.FENCE | SendRequest.SIGNALED).toString();
        assertThat(text).startsWith("SendRequest[" + opcode + " wrId=77 flags=FENCE|SIGNALED");
        assertThat(text.contains("imm=0x1020304")).as(text).isEqualTo(opcode.name().endsWith("IMM"));
        assertThat(text.contains("invalidate=0x87654321")).as(text).isEqualTo(opcode.name().endsWith("INV"));
        assertThat(text.contains("rkey=0x")).as(text).isEqualTo(opcode.name().startsWith("RDMA")
            || ATOMICS.contains(opcode) || ON_KEYS.contains(opcode));
        assertThat(text.contains("ask=0x") || text.contains("fieldBoundary")).as(text)
            .isEqualTo(opcode.name().startsWith("MASKED"));
        assertThat(text.contains("newKey=0x")).as(text).isEqualTo(ON_KEYS.contains(opcode));
        assertThat(text.contains("access=")).as(text).isEqualTo(ON_KEYS.contains(opcode));
        assertThat(text.contains("sge[0x")).as(text)
            .isEqualTo(!ON_KEYS.contains(opcode) && opcode != SendOpcode.LOCAL_INV);
    }

    @Test
    void aRequestThatChangesWhileItIsPostedHarmsNothing() throws InterruptedException {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest[] shapes = new SendRequest[SendOpcode.values().length];
        for (final SendOpcode opcode : SendOpcode.values()) {
            shapes[opcode.ordinal()] = request(bench, opcode).flags(0);
        }
        final SendRequest shared = new SendRequest(4);
        bench.owner.qp.modify(QpAttributes.to(QpState.ERR));
        final AtomicInteger changes = new AtomicInteger();
        final AtomicBoolean stop = new AtomicBoolean();
        crew.start(() -> {
            while (!stop.get()) {
                change(shared, shapes, changes.get());
                changes.incrementAndGet();
            }
        });
        try {
            postUntilChanged(bench.owner, shared, changes);
        } finally {
            stop.set(true);
            crew.join();
        }
    }

    private static void change(final SendRequest shared, final SendRequest[] shapes, final int round) {
        shared.set(shapes[round % shapes.length]);
        if (round % 5 == 0) {
            shared.bind(null, round, null, 0, 0);
            shared.fastRegister(null, round, 0);
        }
    }

    /** Who has a processor when is not known: it goes on until there were enough of both, valid posts and changes. */
    private void postUntilChanged(final Peer owner, final SendRequest shared, final AtomicInteger changes) {
        final int[] posted = new int[1];
        Crew.await("posts of a request that changes", () -> {
            final int before = changes.get();
            for (int i = 0; i < POSTS_AT_ONCE; i++) {
                posted[0] += post(owner, shared);
            }
            assertThat(crew.hasFailed()).as("the other thread failed").isFalse();
            return posted[0] >= POSTS_AT_ONCE && before >= CHANGES;
        });
    }

    private static int post(final Peer owner, final SendRequest shared) {
        final int code = owner.qp.postSend(shared);
        assertThat(ReturnCode.nameOf(code)).isIn("OK", "INVALID_REQUEST", "QUEUE_FULL");
        if (code != ReturnCode.OK) {
            return 0;
        }
        assertThat(Wqe.last(owner.qp).numSge()).isBetween(0, 4);
        assertThat(Wqe.last(owner.qp).opcode()).isBetween(0, 14);
        assertThat(Completions.await(owner.cq, 1).get(0).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        return 1;
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedByAFullQueue(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final SendRequest request = request(bench, opcode);
        final SendRequest silent = new SendRequest().flags(0);
        for (int i = 0; i < bench.owner.qp.maxSendWr(); i++) {
            assertThat(bench.owner.qp.postSend(silent)).isZero();
        }
        assertThat(bench.owner.qp.postSend(request)).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(bench.owner.qp.postSend(new SendRequest[] {request}, 1)).isEqualTo(ReturnCode.QUEUE_FULL);
    }

    @Test
    void isOfTwoGibibytesAtMost() {
        final Peer peer = Peer.rc(devices.open());
        peer.connect(Peer.rc(devices.open()));
        peer.qp.modify(QpAttributes.to(QpState.ERR));
        final SendRequest request = new SendRequest(2).addSge(peer.at(0), Integer.MAX_VALUE, peer.lkey());
        assertThat(peer.qp.postSend(request.addSge(peer.at(0), 1, peer.lkey()))).as("2^31").isZero();
        request.sges().set(1, peer.at(0), 2, peer.lkey());
        assertThat(peer.qp.postSend(request)).as("2^31 + 1").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(Completions.await(peer.cq, 1).get(0).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void whatWasRemovedFromItDoesNotMakeItTooLong() {
        final Peer peer = Peer.rc(devices.open());
        peer.connect(Peer.rc(devices.open()));
        final SendRequest request = new SendRequest(3);
        for (int i = 0; i < 3; i++) {
            request.addSge(peer.at(0), Integer.MAX_VALUE, peer.lkey());
        }
        assertThat(peer.qp.postSend(request)).isEqualTo(ReturnCode.INVALID_REQUEST);
        request.clearSges().addSge(peer.at(0), 8, peer.lkey()).addSge(peer.at(8), 8, peer.lkey());
        assertThat(peer.qp.postSend(request)).isZero();
    }

    /** A QP can be made so that each of its sends completes, whatever the request says. */
    @Test
    void completesWithoutAskingWhereTheQpWasMadeForThat() {
        final Peer peer = new Peer(devices.open(), new QpOptions().signalAll(true));
        final Peer far = Peer.rc(devices.open());
        peer.connect(far);
        final SendRequest silent = new SendRequest().wrId(8).flags(0);
        final SendTemplate template = peer.qp.prepare(silent);
        for (int i = 0; i < 2; i++) {
            assertThat(far.qp.postReceive(i, far.at(0), 8, far.lkey())).isZero();
        }
        assertThat(peer.qp.postSend(silent)).isZero();
        assertThat(Wqe.last(peer.qp).flags()).as("signaled").isEqualTo(2);
        assertThat(Completions.awaitSuccess(peer.cq).wrId()).isEqualTo(8);
        assertThat(template.post()).isEqualTo(1);
        assertThat(Wqe.last(peer.qp).flags()).as("signaled").isEqualTo(2);
        assertThat(Completions.awaitSuccess(peer.cq).wrId()).isEqualTo(8);
    }
}
