/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.atomic.AtomicReference;

/** Completion and shared receive queues: room, closing, and CQEs that nobody should believe. */
class CqTest {
    private static final int SEND = io.rdma4j.hw.pvrdma.WcOpcode.PVRDMA_WC_SEND;
    private static final int RECV = io.rdma4j.hw.pvrdma.WcOpcode.PVRDMA_WC_RECV;
    private static final int OK = io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;

    @RegisterExtension
    final Devices devices = new Devices();

    @RegisterExtension
    final Crew crew = new Crew();

    @Test
    void reservesRoomForEverythingThatCanComplete() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(32);
        final QpOptions options = new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8);
        final QueuePair first = pd.createQp(options);
        final QueuePair second = pd.createQp(options);
        assertInvalid(() -> pd.createQp(options.maxSendWr(1).maxReceiveWr(1)),
            "32 entries cannot hold 2 more (1 sends, 1 receives) beside 32 reserved for 2 QPs [EINVAL]",
            "reserveCq(false)");
        assertThat(((PvrdmaCq) cq).dump()).endsWith(" 32/32 reserved by [" + first + ", " + second + "]");
        pd.createQp(options.reserveCq(false));
        first.close();
        pd.createQp(options.reserveCq(true).maxSendWr(8).maxReceiveWr(8));
        assertThat(device.device.commands().liveObjects()).isEqualTo(2 + 3);
    }

    @Test
    void reservesInEachCqItsOwnDirection() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue sends = device.createCq(4);
        final CompletionQueue receives = device.createCq(16);
        pd.createQp(new QpOptions().sendCq(sends).receiveCq(receives).maxSendWr(4).maxReceiveWr(16));
        final CompletionQueue more = device.createCq(4);
        final QpOptions options = new QpOptions().sendCq(more).receiveCq(receives).maxSendWr(4).maxReceiveWr(1);
        assertInvalid(() -> pd.createQp(options), receives.toString(), "(0 sends, 1 receives)");
        // The refused one gave back what it had taken in the other CQ.
        more.close();
    }

    @Test
    void countsASharedQueueOncePerCq() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(16, 1);
        final CompletionQueue cq = device.createCq(32);
        final QpOptions options = new QpOptions().cq(cq).srq(srq).maxSendWr(4);
        for (int i = 0; i < 4; i++) {
            pd.createQp(options);
        }
        assertInvalid(() -> pd.createQp(options.maxSendWr(1)), "1 sends, 16 receives of SRQ", "32 reserved for 4 QPs");
    }

    @Test
    void staysOpenWhileQpsUseIt() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(512);
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final QueuePair one = pd.createQp(new QpOptions().cq(cq));
        final QueuePair two = pd.createQp(new QpOptions().cq(cq).srq(srq));
        assertBusy(cq::close, one.toString(), two.toString());
        assertBusy(srq::close, two.toString());
        assertBusy(((PvrdmaCq) cq)::leave, one.toString(), two.toString());
        assertThat(cq.isClosed()).isFalse();
        assertThat(cq.poll(c -> { }, 1)).isZero();
        one.close();
        two.close();
        srq.close();
        srq.close();
        cq.close();
        cq.close();
        assertThat(cq.isClosed() && srq.isClosed()).isTrue();
    }

    @Test
    void answersWithACodeOrAnErrorAfterClosing() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(4);
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        cq.close();
        srq.close();

        assertThat(cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.CLOSED);
        assertThat(cq.requestNotify(true)).isEqualTo(ReturnCode.CLOSED);
        assertClosed(() -> cq.awaitEvent(Patience.duration()), "CQ");
        assertClosed(() -> pd.createQp(new QpOptions().cq(cq)), "CQ");
        assertClosed(() -> ((PvrdmaCq) cq).attach(new CqUse(1, 1, null, true), "test"), "CQ");
        assertThat(cq.capacity()).isEqualTo(4);
        assertThat(srq.postReceive(1, 0, 0, 0)).isEqualTo(ReturnCode.CLOSED);
        assertThat(srq.postReceive(new ReceiveRequest())).isEqualTo(ReturnCode.CLOSED);
        assertClosed(() -> srq.armLimit(1), "SRQ");
        assertClosed(srq::queryLimit);
        assertClosed(() -> pd.createQp(new QpOptions().cq(device.createCq(512)).srq(srq)), "SRQ");
    }

    /** Its handle may be another queue's afterwards. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSharedQueueIsNotClosedWhileTheDeviceIsAskedAboutIt(final boolean arms) throws Exception {
        final PvrdmaContext device = devices.open();
        final SharedReceiveQueue srq = device.allocatePd().createSrq(4, 1);
        final AtomicReference<Boolean> closed = new AtomicReference<>();
        device.device.channel().observer((request, err, response) -> {
            device.device.channel().observer(null);
            final Thread closer = crew.start(srq::close);
            Crew.await("closing waits", () -> closer.getState() == Thread.State.BLOCKED
                || closer.getState() == Thread.State.WAITING);
            closed.set(srq.isClosed());
        });
        if (arms) {
            srq.armLimit(1);
        } else {
            srq.queryLimit();
        }
        assertThat(closed).hasValue(false);
        crew.join();
        assertThat(srq.isClosed()).isTrue();
    }

    @Test
    void theDeviceForgetsAQueueThatIsClosed() {
        final PvrdmaContext device = devices.open();
        final PvrdmaCq closed = (PvrdmaCq) device.createCq(4);
        final PvrdmaCq open = (PvrdmaCq) device.createCq(4);
        closed.close();
        assertThat(device.openCqs()).containsExactly(open);
    }

    @Test
    void refusesBadPolls() {
        final Peer a = Peer.rc(devices.open());
        assertThat(a.cq.poll(null, 1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.cq.poll(c -> { }, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.cq.poll(c -> { }, -5)).isEqualTo(ReturnCode.INVALID_REQUEST);
    }

    @Test
    void refusesToBePolledFromItsHandler() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        final int[] inner = {7};
        assertThat(a.cq.poll(c -> inner[0] = a.cq.poll(d -> { }, 1), 1)).isEqualTo(1);
        assertThat(inner[0]).isEqualTo(ReturnCode.INVALID_REQUEST);
    }

    @Test
    void refusesBadSharedReceives() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final int maxSge = device.attributes().maxSrqSge();
        assertInvalid(() -> pd.createSrq(0, 1), "maxWr is 0");
        assertInvalid(() -> pd.createSrq(1, 0), "maxSge is 0");
        assertInvalid(() -> pd.createSrq(1, maxSge + 1));
        assertInvalid(() -> pd.createSrq(device.attributes().maxSrqWr(1) + 1, 1), "maxWr");
        final SharedReceiveQueue srq = pd.createSrq(3, 1);
        assertThat(srq.maxWr()).isEqualTo(4);
        assertThat(srq.maxSge()).isEqualTo(1);
        assertThat(srq.postReceive(null)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(srq.postReceive(1, 0, -1, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(srq.postReceive(new ReceiveRequest(2).addSge(0, 1, 0).addSge(0, 1, 0)))
            .isEqualTo(ReturnCode.TOO_MANY_SGES);
        assertInvalid(() -> srq.armLimit(0), "limit is 0");
        assertInvalid(() -> srq.armLimit(5));
        for (int i = 0; i < 2; i++) {
            assertThat(srq.postReceive(i, 0, 0, 0)).isZero();
        }
        srq.armLimit(2);
        assertThat(srq.queryLimit()).isEqualTo(2);
    }

    @Test
    void keepsSharedReceivesToOneCqWhereTheDeviceMixesThem() {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(512);
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        assertThat(srq.postReceive(1, 0, 0, 0)).as("before there is a QP").isEqualTo(ReturnCode.WRONG_STATE);
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).srq(srq));
        assertThat(srq.postReceive(1, 0, 0, 0)).isZero();
        assertInvalid(() -> pd.createQp(new QpOptions().sendCq(cq).receiveCq(device.createCq(512)).srq(srq)),
            "all QPs of " + srq + " must have " + cq + " as receive CQ");
        pd.createQp(new QpOptions().cq(cq).srq(srq)).close();
        qp.close();
        assertThat(srq.postReceive(1, 0, 0, 0)).isEqualTo(ReturnCode.WRONG_STATE);
        srq.armLimit(4);
    }

    /** Two threads at once, each of which has looked before the other one's QP is there. */
    @Test
    void keepsSharedReceivesToTheCqOfAQpThatIsBeingMade() {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final ProtectionDomain pd = device.allocatePd();
        final PvrdmaCq cq = (PvrdmaCq) device.createCq(512);
        final PvrdmaCq other = (PvrdmaCq) device.createCq(512);
        final PvrdmaSrq srq = (PvrdmaSrq) pd.createSrq(8, 1);
        srq.coming(cq, "test");
        assertInvalid(() -> srq.coming(other, "test"), "all QPs of " + srq + " must have " + cq);
        srq.coming(cq, "test");
        srq.notComing();
        assertInvalid(() -> srq.coming(other, "test"), "must have " + cq);
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).srq(srq));
        qp.close();
        assertInvalid(() -> srq.coming(other, "test"), "must have " + cq);
        srq.notComing();
        srq.coming(other, "test");
        srq.notComing();
        pd.createQp(new QpOptions().cq(cq).srq(srq));
    }

    @Test
    void dropsCompletionsOfAClosedQpSilently() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final Peer b = new Peer(device, a.pd, a.cq, new QpOptions());
        a.connect(b);
        for (int i = 0; i < 10; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
            a.qp.postSend(100 + i, a.at(0), 8, a.lkey());
        }
        a.qp.close();
        // Only those of the other QP are left.
        assertThat(Completions.await(a.cq, 10)).allMatch(copy -> copy.qp() == b.qp && copy.opcode() == WcOpcode.RECV);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).isZero();
    }

    @Test
    void countsWhatComesLateOrAfterTheQpIsGone() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final Peer b = new Peer(device, a.pd, a.cq, new QpOptions());
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        a.qp.postSend(2, a.at(0), 8, a.lkey());
        final int handle = ((PvrdmaQp) a.qp).handle;
        a.qp.close();
        // The handle may be another QP's by now: only what was there before counts as removed.
        forge((PvrdmaCq) a.cq, ((PvrdmaCq) a.cq).ringBuffer(), handle, 0, 0);
        assertThat(Completions.awaitSuccess(a.cq).opcode()).isEqualTo(WcOpcode.RECV);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).isEqualTo(1);
    }

    @Test
    void countsTheLeftoversOfClosedQpsAsTakenRoom() {
        final PvrdmaContext device = devices.open();
        final Peer far = Peer.rc(devices.open());
        final ProtectionDomain pd = device.allocatePd();
        final Peer a = new Peer(device, pd, device.createCq(16), new QpOptions().maxSendWr(8).maxReceiveWr(8));
        a.connect(far);
        for (int i = 0; i < 8; i++) {
            far.qp.postReceive(i, far.at(0), 8, far.lkey());
            a.qp.postSend(i, a.at(0), 8, a.lkey());
        }
        a.qp.close();
        final QpOptions options = new QpOptions().cq(a.cq).maxSendWr(8).maxReceiveWr(8);
        assertInvalid(() -> pd.createQp(options), "8 left by closed QPs", "poll it");
        assertThat(a.cq.poll(c -> { }, 16)).isZero();
        pd.createQp(options);
    }

    /** Who promised not to overflow it needs no room, also where there is less than none. */
    @Test
    void aQpThatReservesNothingNeedsNoRoom() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(16);
        final QpOptions options = new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(4);
        pd.createQp(options);
        final QueuePair closed = pd.createQp(options.reserveCq(false));
        final Forgery forgery = new Forgery(cq);
        for (int i = 0; i < 8; i++) {
            forgery.write(closed, SEND, OK, 0, i);
        }
        closed.close();
        assertInvalid(() -> pd.createQp(options.reserveCq(true)), "12 reserved for 1 QPs and 8 left by closed QPs");
        pd.createQp(options.reserveCq(false)).close();
    }

    @Test
    void givesBackTheSlotOfASharedReceiveWhoseQpIsGone() {
        final PvrdmaContext device = devices.open();
        final Peer far = Peer.rc(devices.open());
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(far);
        for (int i = 0; i < 4; i++) {
            srq.postReceive(i, a.at(0), 8, a.lkey());
            far.qp.postSend(i, far.at(0), 8, far.lkey());
        }
        Completions.await(far.cq, 4);
        assertThat(srq.postReceive(9, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        a.qp.close();
        Completions.assertNone(a.cq);
        assertThat(srq.postReceive(9, a.at(0), 8, a.lkey())).isZero();
    }

    /** Writes a CQE as a device would that has gone wrong. */
    private static void forge(
        final PvrdmaCq cq, final UnsafeBuffer ring, final long qp, final int opcode, final long id) {
        final int tail = ring.getInt(RingState.RX_OFFSET);
        final int cqe = RingMemory.ELEMENTS_OFFSET + (tail & cq.capacity() - 1) * Cqe.LENGTH;
        Cqe.qp(ring, cqe, qp);
        Cqe.opcode(ring, cqe, opcode);
        Cqe.status(ring, cqe, 0);
        Cqe.wrId(ring, cqe, id);
        ring.putIntRelease(RingState.RX_OFFSET, tail + 1 & 2 * cq.capacity() - 1);
    }

    @Test
    void dropsAndCountsCompletionsThatCannotBe() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final Peer far = Peer.rc(devices.open());
        a.connect(far);
        final PvrdmaCq cq = (PvrdmaCq) a.cq;
        final UnsafeBuffer ring = cq.ringBuffer();
        final int handle = ((PvrdmaQp) a.qp).handle;
        a.qp.postReceive(5, a.at(0), 8, a.lkey());

        forge(cq, ring, handle ^ 0x800000, 128, 0);
        forge(cq, ring, handle, 0, 0);
        forge(cq, ring, handle, 128, 1);
        forge(cq, ring, handle, 128, -1);
        forge(cq, ring, handle, 0x7fffffff, Long.MIN_VALUE);
        Completions.assertNone(cq);
        assertThat(cq.dropped()).isEqualTo(5);

        forge(cq, ring, handle, 128, 0);
        assertThat(Completions.awaitSuccess(cq).wrId()).isEqualTo(5);
        forge(cq, ring, handle, 128, 0);
        Completions.assertNone(cq);
        assertThat(cq.dropped()).as("the same again").isEqualTo(6);
        assertThat(device.isFailed()).isFalse();
    }

    @Test
    void showsNumbersThatAreNoneAsUnknown() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        a.qp.postReceive(5, a.at(0), 8, a.lkey());
        final PvrdmaCq cq = (PvrdmaCq) a.cq;
        final UnsafeBuffer ring = cq.ringBuffer();
        forge(cq, ring, ((PvrdmaQp) a.qp).handle, 200, 0);
        Cqe.status(ring, RingMemory.ELEMENTS_OFFSET, 77);

        final Completions.Copy copy = Completions.await(cq, 1).get(0);
        assertThat(copy.status()).isEqualTo(WcStatus.GENERAL_ERR);
        assertThat(copy.opcode()).isEqualTo(WcOpcode.UNKNOWN);
    }

    @Test
    void givesTheDeviceUpForAnIndexThatCannotBe() {
        for (final int tail : new int[] {3000, -1, 513, 1 << 31}) {
            final PvrdmaContext device = devices.open();
            final Peer a = Peer.rc(device);
            a.connect(Peer.rc(devices.open()));
            ((PvrdmaCq) a.cq).ringBuffer().putIntRelease(RingState.RX_OFFSET, tail);

            assertThat(a.cq.poll(c -> { }, 1)).as("tail %d", tail).isEqualTo(ReturnCode.DEVICE_FAILED);
            assertThat(device.failure()).contains("index that cannot be", "CompletionQueue");
            assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
            device.close();
        }
    }

    @Test
    void givesTheDeviceUpWhenItConsumesWhatWasNeverPosted() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        final SendRequest silent = new SendRequest().flags(0);
        for (int i = 0; i < a.qp.maxSendWr(); i++) {
            assertThat(a.qp.postSend(silent)).isZero();
        }
        assertThat(a.qp.postSend(silent)).isEqualTo(ReturnCode.QUEUE_FULL);
        final UnsafeBuffer ring = ((PvrdmaQp) a.qp).sends.queue.buffer();
        ring.putIntRelease(RingState.TX_OFFSET + RingState.CONS_HEAD_OFFSET, 200);
        assertThat(a.qp.postSend(silent)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(device.failure()).contains("SendQueue");
    }

    /** Who gets nothing asks for an event, and none would come for what lies behind. */
    @Test
    void aPollDoesNotEndWithWhatIsDroppedWhileThereIsMore() {
        final Peer a = Peer.rc(devices.open());
        a.connect(Peer.rc(devices.open()));
        assertThat(a.qp.postReceive(5, a.at(0), 8, a.lkey())).isZero();
        final Forgery device = new Forgery(a.cq);
        for (int i = 0; i < 3; i++) {
            device.write(a.qp, SEND, OK, 0, 0);
        }
        device.write(a.qp, RECV, OK, 8, 0);
        final Completions completions = new Completions();
        assertThat(a.cq.poll(completions, 1)).isEqualTo(1);
        assertThat(completions.list.get(0).wrId()).isEqualTo(5);
        assertThat(a.cq.dropped()).isEqualTo(3);
    }

    @Test
    void aCompletionInTheQueueOfTheOtherDirectionIsDropped() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue sends = device.createCq(256);
        final CompletionQueue receives = device.createCq(256);
        final QueuePair qp = pd.createQp(new QpOptions().sendCq(sends).receiveCq(receives));
        QpConnector.connect(qp, Peer.rc(devices.open()).qp.localAddress());
        assertThat(qp.postSend(1, 0, 0, 0)).isZero();
        assertThat(qp.postReceive(2, 0, 0, 0)).isZero();
        new Forgery(receives).write(qp, SEND, OK, 0, 0);
        new Forgery(sends).write(qp, RECV, OK, 0, 0);
        Completions.assertNone(receives);
        Completions.assertNone(sends);
        assertThat(sends.dropped()).isEqualTo(1);
        assertThat(receives.dropped()).isEqualTo(1);
        new Forgery(sends).write(qp, SEND, OK, 0, 0);
        new Forgery(receives).write(qp, RECV, OK, 0, 0);
        assertThat(Completions.awaitSuccess(sends).wrId()).isEqualTo(1);
        assertThat(Completions.awaitSuccess(receives).wrId()).isEqualTo(2);
    }

    @Test
    void aSharedReceiveThatWasNeverPostedIsDropped() {
        final Peer a = sharing(4);
        new Forgery(a.cq).write(a.qp, RECV, OK, 0, 9);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).isEqualTo(1);
        assertThat(a.qp.srq().postReceive(3, a.at(0), 8, a.lkey())).isZero();
        new Forgery(a.cq).write(a.qp, RECV, OK, 8, 3);
        assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(3);
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aSharedReceiveThatFailsEndsItsQpAndIsTakenAllTheSame() {
        final Peer a = sharing(1);
        assertThat(a.qp.srq().postReceive(3, a.at(0), 8, a.lkey())).isZero();
        assertThat(a.qp.srq().postReceive(4, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        new Forgery(a.cq).write(a.qp, RECV, io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_PROT_ERR, 8, 3);
        final Completions.Copy failed = Completions.await(a.cq, 1).get(0);
        assertThat(failed.status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(failed.wrId()).isEqualTo(3);
        assertThat(failed.bytes()).isZero();
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
    }

    /** A connection whose receives come from a shared queue; the device does not see them as nobody sends. */
    private Peer sharing(final int maxWr) {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(pd.createSrq(maxWr, 1)));
        a.connect(Peer.rc(devices.open()));
        return a;
    }
}
