/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.CutOffFile;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedSendQueue;
import io.rdma4j.verbs.WcOpcode;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;

/** Payloads that the driver copies when they are posted. */
class InlineTest {
    private static final int MAX = 200;
    private static final int ROOM = 256;

    @RegisterExtension
    final Devices devices = new Devices();

    private Peer peer(final String options) {
        return new Peer(devices.open(options), new QpOptions().maxSendWr(4).maxInline(MAX));
    }

    private Peer connected(final Peer a) {
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        return b;
    }

    private static UnsafeBuffer heap(final int length, final int seed) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[length]);
        for (int i = 0; i < length; i++) {
            buffer.putByte(i, Peer.pattern(i, seed));
        }
        return buffer;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 255, ROOM})
    void carriesASmallMessageFromTheHeap(final int length) {
        final Peer a = peer("");
        final Peer b = connected(a);
        b.qp.postReceive(1, b.at(100), 512, b.lkey());
        final UnsafeBuffer source = heap(3 + ROOM, 7);
        source.putBytes(3, heap(length, 9), 0, length);
        assertThat(a.qp.postSendInline(-5, source, 3, length)).isZero();
        source.setMemory(0, source.capacity(), (byte) 0);

        assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(length);
        assertThat(b.firstDifference(100, length, 9)).isEqualTo(-1);
        final Completions.Copy sent = Completions.awaitSuccess(a.cq);
        assertThat(sent.wrId()).isEqualTo(-5);
        assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND);
        assertThat(sent.bytes()).isEqualTo(length);
    }

    @Test
    void theSourceIsFreeBeforeTheMessageLeaves() {
        final Peer a = peer("");
        final Peer b = connected(a);
        final UnsafeBuffer source = heap(MAX, 1);
        final SendRequest request = new SendRequest().inline(source, 0, MAX);
        assertThat(a.qp.postSend(request.wrId(1))).isZero();
        for (int i = 0; i < MAX; i++) {
            source.putByte(i, Peer.pattern(i, 2));
        }
        assertThat(a.qp.postSend(request.wrId(2))).isZero();
        source.setMemory(0, MAX, (byte) 0);
        // Nothing could be delivered until now.
        b.qp.postReceive(1, b.at(0), MAX, b.lkey());
        b.qp.postReceive(2, b.at(MAX), MAX, b.lkey());
        Completions.await(b.cq, 2);
        Completions.await(a.cq, 2);
        assertThat(b.firstDifference(0, MAX, 1)).isEqualTo(-1);
        assertThat(b.firstDifference(MAX, MAX, 2)).isEqualTo(-1);
    }

    /** As many as fit are under way all the time, each with its own payload. */
    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void eachSlotOfTheQueueHasAPayloadOfItsOwn(final String options) {
        final Peer a = peer(options);
        final Peer b = connected(a);
        int received = 0;
        for (int round = 0; round < 25; round++) {
            for (int i = 0; i < 4; i++) {
                assertThat(a.qp.postSendInline(i, heap(MAX, 4 * round + i), 0, MAX)).isZero();
            }
            assertThat(a.qp.postSendInline(4, heap(MAX, 99), 0, MAX)).isEqualTo(ReturnCode.QUEUE_FULL);
            for (int i = 0; i < 4; i++) {
                b.qp.postReceive(i, b.at(i * ROOM), ROOM, b.lkey());
            }
            Completions.await(b.cq, 4);
            Completions.await(a.cq, 4);
            for (int i = 0; i < 4; i++, received++) {
                assertThat(b.firstDifference(i * ROOM, MAX, received)).as("message %d", received).isEqualTo(-1);
            }
        }
    }

    @Test
    void takesAnyKindOfBuffer() {
        final Peer a = peer("");
        final Peer b = connected(a);
        final ExpandableArrayBuffer expandable = new ExpandableArrayBuffer(64);
        expandable.putBytes(0, heap(64, 1), 0, 64);
        final UnsafeBuffer direct = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        direct.putBytes(0, heap(64, 2), 0, 64);
        final DirectBuffer readOnly = new UnsafeBuffer(direct.byteBuffer().asReadOnlyBuffer());
        final DirectBuffer part = new UnsafeBuffer(heap(100, 4), 10, 64);
        int i = 0;
        for (final DirectBuffer source : new DirectBuffer[] {expandable, direct, readOnly, part}) {
            b.qp.postReceive(1, b.at(0), 64, b.lkey());
            assertThat(a.qp.postSend(new SendRequest().inline(source, 0, 64))).as("%s", source).isZero();
            Completions.awaitSuccess(b.cq);
            Completions.awaitSuccess(a.cq);
            for (int k = 0; k < 64; k++) {
                assertThat(b.bytes.getByte(k)).as("source %d byte %d", i, k).isEqualTo(source.getByte(k));
            }
            i++;
        }
    }

    @ParameterizedTest
    @EnumSource(value = SendOpcode.class, names = {"RDMA_WRITE", "RDMA_WRITE_WITH_IMM"})
    void writesToThePeersMemory(final SendOpcode opcode) {
        final Peer a = peer("");
        final Peer b = connected(a);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        final SendRequest write = new SendRequest().opcode(opcode).immData(77).remote(b.at(500), b.region.rkey())
            .inline(heap(MAX, 3), 0, MAX);
        assertThat(a.qp.postSend(write)).isZero();
        assertThat(Completions.awaitSuccess(a.cq).opcode()).isEqualTo(WcOpcode.RDMA_WRITE);
        assertThat(b.firstDifference(500, MAX, 3)).isEqualTo(-1);
        if (opcode == SendOpcode.RDMA_WRITE_WITH_IMM) {
            final Completions.Copy received = Completions.awaitSuccess(b.cq);
            assertThat(received.imm()).isEqualTo(77);
            assertThat(received.bytes()).isEqualTo(MAX);
        }
    }

    @ParameterizedTest
    @EnumSource(value = SendOpcode.class, names = {"SEND", "SEND_WITH_IMM"})
    void carriesADatagram(final SendOpcode opcode) {
        final Peer a = new Peer(devices.open(), new QpOptions().type(QpType.UD).maxInline(MAX));
        QpConnector.activate(a.qp, Peer.QKEY);
        final Peer b = Peer.ud(devices.open());
        b.qp.postReceive(1, b.at(0), 512, b.lkey());
        final SendRequest datagram = new SendRequest().opcode(opcode).immData(5).inline(heap(MAX, 8), 0, MAX)
            .to(a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid())), b.qp.qpNumber(), Peer.QKEY);
        assertThat(a.qp.postSend(datagram)).isZero();
        final Completions.Copy received = Completions.awaitSuccess(b.cq);
        assertThat(received.bytes()).isEqualTo(40 + MAX);
        assertThat(received.hasImm()).isEqualTo(opcode == SendOpcode.SEND_WITH_IMM);
        assertThat(b.firstDifference(40, MAX, 8)).isEqualTo(-1);
        assertThat(a.qp.postSendInline(1, heap(8, 1), 0, 8)).as("no address").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(datagram.to(null, 1, 1))).isEqualTo(ReturnCode.INVALID_REQUEST);
    }

    @Test
    void mixesWithOtherRequestsInOneBatch() {
        final Peer a = peer("");
        final Peer b = connected(a);
        a.fill(0, 64, 1);
        for (int i = 0; i < 3; i++) {
            b.qp.postReceive(i, b.at(i * ROOM), ROOM, b.lkey());
        }
        final SendRequest[] batch = {
            new SendRequest().wrId(0).inline(heap(100, 5), 0, 100),
            new SendRequest().wrId(1).sge(a.at(0), 64, a.lkey()),
            new SendRequest().wrId(2).inline(heap(MAX, 6), 0, MAX)};
        assertThat(a.qp.postSend(batch, 3)).isEqualTo(3);
        assertThat(Completions.await(b.cq, 3)).extracting(Completions.Copy::bytes).containsExactly(100, 64, MAX);
        assertThat(Completions.await(a.cq, 3)).extracting(Completions.Copy::wrId).containsExactly(0L, 1L, 2L);
        assertThat(b.firstDifference(0, 100, 5)).isEqualTo(-1);
        assertThat(b.firstDifference(ROOM, 64, 1)).isEqualTo(-1);
        assertThat(b.firstDifference(2 * ROOM, MAX, 6)).isEqualTo(-1);
    }

    @Test
    void refusesWhatIsNoPayload() {
        final Peer a = peer("");
        final Peer b = connected(a);
        final UnsafeBuffer source = heap(300, 1);
        final SendRequest request = new SendRequest();
        final int[][] ranges = {{0, 257}, {0, -1}, {-1, 1}, {300, 1}, {299, 2}, {301, 0}, {0, Integer.MAX_VALUE},
            {Integer.MAX_VALUE, 1}, {Integer.MIN_VALUE, Integer.MIN_VALUE}, {Integer.MAX_VALUE, Integer.MAX_VALUE}};
        final UnsafeBuffer slots = ((PvrdmaQp) a.qp).sends.slots().bytes();
        for (final int[] range : ranges) {
            assertThat(a.qp.postSendInline(1, source, range[0], range[1])).as("%d + %d", range[0], range[1])
                .isEqualTo(ReturnCode.INVALID_REQUEST);
            assertThat(a.qp.postSend(request.inline(source, range[0], range[1]))).as("%d + %d", range[0], range[1])
                .isEqualTo(ReturnCode.INVALID_REQUEST);
        }
        assertThat(a.qp.postSendInline(1, null, 0, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(request.inline(null, 0, 1))).isEqualTo(ReturnCode.INVALID_REQUEST);
        for (int i = 0; i < slots.capacity(); i++) {
            assertThat(slots.getByte(i)).as("nothing is written").isZero();
        }
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).isZero();
        assertThat(a.qp.postSendInline(1, source, 300, 0)).as("the end of the source").isZero();
        b.qp.postReceive(1, b.at(0), 0, b.lkey());
        Completions.awaitSuccess(a.cq);
    }

    /** Its payload would have to be held until the owner posts it. */
    @Test
    void isNotTakenByASharedSendQueue() {
        final Peer a = peer("");
        connected(a);
        final SharedSendQueue queue = new SharedSendQueue(a.qp, 4, (wrId, code) -> { });
        final SendRequest request = new SendRequest().inline(heap(8, 1), 0, 8);
        assertThat(queue.offer(request)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(queue.offer(request.sge(a.at(0), 8, a.lkey()))).isEqualTo(ReturnCode.OK);
    }

    @ParameterizedTest
    @EnumSource(value = SendOpcode.class,
        names = {"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD", "LOCAL_INV"})
    void isOnlyForOperationsThatSendBytes(final SendOpcode opcode) {
        final Peer a = peer("");
        connected(a);
        assertThat(a.qp.postSend(new SendRequest().opcode(opcode).inline(heap(8, 1), 0, 8)))
            .isIn(ReturnCode.INVALID_REQUEST, ReturnCode.UNSUPPORTED);
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).isZero();
    }

    @Test
    void anOperationThatTheDeviceDoesNotHaveIsToldApart() {
        final Peer a = peer(Devices.QEMU);
        connected(a);
        for (final SendOpcode opcode : new SendOpcode[] {SendOpcode.RDMA_WRITE, SendOpcode.LOCAL_INV}) {
            assertThat(a.qp.postSend(new SendRequest().opcode(opcode).inline(heap(8, 1), 0, 8))).as("%s", opcode)
                .isEqualTo(ReturnCode.UNSUPPORTED);
        }
    }

    @Test
    void needsAQpThatWasCreatedForIt() {
        final Peer a = Peer.rc(devices.open());
        connected(a);
        assertThat(a.qp.maxInline()).isZero();
        assertThat(a.qp.postSendInline(1, heap(8, 1), 0, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(new SendRequest().inline(heap(8, 1), 0, 8))).isEqualTo(ReturnCode.INVALID_REQUEST);
    }

    @Test
    void roundsTheLengthUpAndTellsIt() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final var cq = device.createCq(64);
        final int[][] pairs = {{0, 0}, {1, 64}, {64, 64}, {65, 128}, {1000, 1024}, {1024, 1024}, {4096, 4096}};
        for (final int[] pair : pairs) {
            final QueuePair qp = pd.createQp(new QpOptions().cq(cq).reserveCq(false).maxInline(pair[0]));
            assertThat(qp.maxInline()).as("%d", pair[0]).isEqualTo(pair[1]);
            qp.close();
        }
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxInline(-1)), "maxInline is -1", "0 to 4096");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxInline(4097)), "maxInline is 4097");
        assertThat(device.device.commands().liveObjects()).as("PD and CQ").isEqualTo(2);
    }

    /** On devices that register whole pages a slot must not let them read what belongs to somebody else. */
    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void theRegionIsWholePagesOfItsOwn(final String options) {
        final Peer a = peer(options);
        final InlineSlots slots = ((PvrdmaQp) a.qp).sends.slots();
        assertThat(slots.bytes().addressOffset() % 4096).isZero();
        assertThat(slots.bytes().capacity() % 4096).isZero();
        assertThat(slots.bytes().capacity()).isGreaterThanOrEqualTo(4 * ROOM);
    }

    @Test
    void goesWithTheQp() throws InterruptedException {
        final Peer a = Peer.rc(devices.open());
        final PvrdmaContext device = (PvrdmaContext) a.context;
        final int objects = device.device.commands().liveObjects();
        final int pages = usedPages(device);
        final PvrdmaQp qp = (PvrdmaQp) a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(64).maxInline(4096));
        assertThat(device.device.commands().liveObjects()).as("QP and region").isEqualTo(objects + 2);
        assertThat(device.device.arena().usedPages()).isGreaterThanOrEqualTo(pages + 64);
        qp.sends.queue.beginPost();
        qp.close();
        assertThat(device.device.commands().liveObjects()).as("the region is the device's no more").isEqualTo(objects);
        assertThat(usedPages(device)).as("in the middle of a post").isGreaterThanOrEqualTo(pages + 64);
        qp.sends.queue.endPost();
        assertThat(usedPages(device)).isEqualTo(pages);
        assertThat(qp.postSendInline(1, heap(8, 1), 0, 8)).isEqualTo(ReturnCode.CLOSED);
    }

    private static int usedPages(final PvrdmaContext device) throws InterruptedException {
        Thread.sleep(30);
        device.closedRings.clearOld();
        return device.device.arena().usedPages();
    }

    @Test
    void leavesNothingWhenTheRegionCannotBeHad() throws InterruptedException {
        final PvrdmaContext device = devices.open("max_mr=1");
        final Peer a = new Peer(device, new QpOptions());
        final int objects = device.device.commands().liveObjects();
        final int pages = usedPages(device);
        assertRefused(RdmaException.ENOMEM, () -> a.pd.createQp(new QpOptions().cq(a.cq).maxInline(64)), "max_mr");
        assertThat(device.device.commands().liveObjects()).isEqualTo(objects);
        assertThat(usedPages(device)).isEqualTo(pages);
    }

    @Test
    void goesOnAfterReset() {
        final Peer a = peer("");
        final Peer b = connected(a);
        a.qp.postSendInline(1, heap(MAX, 1), 0, MAX);
        for (final Peer peer : new Peer[] {a, b}) {
            peer.qp.modify(QpAttributes.to(QpState.RESET));
        }
        a.connect(b);
        for (int i = 0; i < 4; i++) {
            b.qp.postReceive(i, b.at(i * ROOM), ROOM, b.lkey());
            assertThat(a.qp.postSendInline(i, heap(MAX, 10 + i), 0, MAX)).isZero();
        }
        Completions.await(b.cq, 4);
        for (int i = 0; i < 4; i++) {
            assertThat(b.firstDifference(i * ROOM, MAX, 10 + i)).isEqualTo(-1);
        }
    }

    /** The driver reads it, not the device. What the JVM would tell at some later moment is told at once. */
    @Test
    void aMappedFileThatWasCutOffIsRefused() {
        final Peer a = peer("");
        final Peer b = connected(a);
        try (CutOffFile file = new CutOffFile(2 * MAX)) {
            final UnsafeBuffer source = new UnsafeBuffer(file.bytes());
            source.putBytes(MAX, heap(MAX, 3), 0, MAX);
            b.qp.postReceive(1, b.at(0), ROOM, b.lkey());
            b.qp.postReceive(2, b.at(ROOM), ROOM, b.lkey());
            final SendTemplate template = a.qp.prepare(new SendRequest().inline(heap(MAX, 4), 0, MAX));
            file.cutOff();
            for (int i = 0; i < 20_000; i++) {
                assertThat(a.qp.postSendInline(5, source, MAX, MAX)).isEqualTo(ReturnCode.INVALID_REQUEST);
                assertThat(a.qp.postSend(new SendRequest().inline(source, 0, MAX)))
                    .isEqualTo(ReturnCode.INVALID_REQUEST);
            }
            assertThatThrownBy(() -> template.inline(0, source, MAX, MAX)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is gone");
            assertThatThrownBy(() -> a.qp.prepare(new SendRequest().inline(source, 0, MAX)))
                .isInstanceOf(RdmaException.class);
            file.growAgain();
            source.putBytes(MAX, heap(MAX, 6), 0, MAX);
            assertThat(a.qp.postSendInline(7, source, MAX, MAX)).isZero();
            assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(7);
            assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(MAX);
            assertThat(b.firstDifference(0, MAX, 6)).isEqualTo(-1);
            assertThat(template.inline(0, source, MAX, MAX).post()).isEqualTo(1);
            assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(MAX);
            assertThat(b.firstDifference(ROOM, MAX, 6)).isEqualTo(-1);
        }
    }

    @Test
    void aFullQueueTakesNoRequestWithAPayload() {
        final Peer a = peer("");
        connected(a);
        for (int i = 0; i < 4; i++) {
            assertThat(a.qp.postSend(new SendRequest().wrId(i).inline(heap(MAX, i), 0, MAX))).isZero();
        }
        final SendRequest fifth = new SendRequest().inline(heap(MAX, 5), 0, MAX);
        assertThat(a.qp.postSend(fifth)).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(a.qp.postSend(fifth.opcode(SendOpcode.RDMA_WRITE))).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).isEqualTo(4);
    }
}
