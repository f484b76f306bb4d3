/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens beside a change of state: in pollers, posters, and threads that change something else. */
class QpModifyTest {
    private static final QpAttributes INIT = QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of());

    @RegisterExtension
    final Devices devices = new Devices();

    /** Runs something when the device has executed a command, before the caller knows. */
    private static void when(final PvrdmaContext device, final Command command, final Runnable action) {
        device.device.channel().observer((request, err, response) -> {
            if (request.getInt(CommandHeader.CMD.offset()) == command.id()) {
                device.device.channel().observer(null);
                action.run();
            }
        });
    }

    /** Starts a thread, and waits until it can get no further; what it threw comes last. */
    private static Thread startAndBlock(final AtomicReference<Throwable> thrown, final Runnable action) {
        final Thread thread = start(thrown, action);
        await(() -> thread.getState() != Thread.State.RUNNABLE);
        return thread;
    }

    private static Thread start(final AtomicReference<Throwable> thrown, final Runnable action) {
        final Thread thread = new Thread(action);
        thread.setUncaughtExceptionHandler((dead, e) -> thrown.set(e));
        thread.start();
        return thread;
    }

    private static void await(final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Patience.pause();
        }
    }

    @Test
    void keepsAnErrorThatThePollerFindsMeanwhile() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        final Peer u = Peer.ud(device);

        when(device, Command.MODIFY_QP, () -> ((PvrdmaQp) a.qp).failed(true));
        a.qp.modify(QpAttributes.to(QpState.RTS).minRnrTimer(3));
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        when(device, Command.MODIFY_QP, () -> ((PvrdmaQp) u.qp).failed(false));
        u.qp.modify(QpAttributes.to(QpState.RTS).qkey(5));
        assertThat(u.qp.state()).isEqualTo(QpState.SQE);
        when(device, Command.MODIFY_QP, () -> ((PvrdmaQp) a.qp).failed(true));
        a.qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(a.qp.state()).isEqualTo(QpState.RESET);
    }

    @Test
    void sendsAgainThoughFlushesOfBeforeArePolledLater() {
        final Peer u = Peer.ud(devices.open());
        final AddressHandle way = u.pd.createAh(AhAttributes.to(u.context.queryGid(1, 0)));
        final SendRequest bad = new SendRequest().to(way, u.qp.qpNumber(), Peer.QKEY).sge(u.at(0), 8, -1);
        final SendRequest good = new SendRequest().to(way, u.qp.qpNumber(), Peer.QKEY).sge(u.at(0), 8, u.lkey());
        assertThat(u.qp.postSend(new SendRequest[] {bad, good, good}, 3)).isEqualTo(3);
        assertThat(Completions.await(u.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(u.qp.state()).isEqualTo(QpState.SQE);
        u.qp.modify(QpAttributes.to(QpState.RTS));
        assertThat(Completions.await(u.cq, 2)).allMatch(c -> c.status() == WcStatus.WR_FLUSH_ERR);
        assertThat(u.qp.state()).isEqualTo(QpState.RTS);
        assertThat(u.qp.query().state()).isEqualTo(QpState.RTS);
        u.qp.modify(QpAttributes.to(QpState.SQD));
    }

    /** Who asks for the state mends it before anything was polled. */
    @Test
    void sendsAgainThoughTheFailureIsPolledLater() {
        final Peer u = Peer.ud(devices.open());
        final AddressHandle way = u.pd.createAh(AhAttributes.to(u.context.queryGid(1, 0)));
        final SendRequest bad = new SendRequest().to(way, u.qp.qpNumber(), Peer.QKEY).sge(u.at(0), 8, -1);
        final SendRequest good = new SendRequest().to(way, u.qp.qpNumber(), Peer.QKEY).sge(u.at(0), 8, u.lkey());
        assertThat(u.qp.postSend(new SendRequest[] {bad, good}, 2)).isEqualTo(2);
        await(() -> u.qp.query().state() == QpState.SQE);
        u.qp.modify(QpAttributes.to(QpState.RTS));
        assertThat(Completions.await(u.cq, 2)).extracting(Completions.Copy::status)
            .containsExactly(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(u.qp.state()).isEqualTo(QpState.RTS);
        assertThat(u.qp.postSend(bad)).isZero();
        Completions.await(u.cq, 1);
        assertThat(u.qp.state()).as("of a failure that is new").isEqualTo(QpState.SQE);
    }

    /** Also where it goes there by itself, and never came to RTS. */
    @Test
    void inTheErrorStateSendsAreTakenAndFlushed() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        QpConnector.connect(a.qp, b.qp.localAddress());
        b.qp.modify(INIT);
        b.qp.modify(QpAttributes.to(QpState.RTR).ah(AhAttributes.to(a.qp.localAddress().gid()))
            .pathMtu(Mtu.MTU_1024).destQpn(a.qp.qpNumber()).rqPsn(a.qp.localAddress().psn()).maxDestRdAtomic(1)
            .minRnrTimer(12));
        assertThat(b.qp.postSend(1, b.at(0), 8, b.lkey())).isEqualTo(ReturnCode.WRONG_STATE);
        assertThat(b.qp.postReceive(1, b.at(0), 4, b.lkey())).isZero();
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isZero();
        assertThat(Completions.await(b.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_LEN_ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.postSend(2, b.at(0), 8, b.lkey())).isZero();
        assertThat(Completions.await(b.cq, 1).get(0).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    /** A poller finds the error when the state is the new one, and the gates are not open yet. */
    @Test
    void sendsAreTakenThoughItFailsWhileItComesToRtr() throws InterruptedException {
        final Peer b = Peer.rc(devices.open());
        final PvrdmaQp qp = (PvrdmaQp) b.qp;
        final Gid peer = Peer.rc(devices.open()).qp.localAddress().gid();
        qp.modify(INIT);
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread modifying;
        synchronized (qp.sends) {
            modifying = start(thrown, () -> qp.modify(rtr(peer)));
            await(() -> waitsForThisThread(modifying));
            assertThat(qp.state()).isEqualTo(QpState.RTR);
            qp.failed(true);
        }
        Patience.join(modifying);
        assertThat(thrown.get()).isNull();
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(qp.postSend(1, b.at(0), 8, b.lkey())).isZero();
    }

    private static QpAttributes rtr(final Gid peer) {
        return QpAttributes.to(QpState.RTR).ah(AhAttributes.to(peer)).pathMtu(Mtu.MTU_1024).destQpn(17).rqPsn(0)
            .maxDestRdAtomic(1).minRnrTimer(12);
    }

    /** For a monitor that this thread holds. */
    private static boolean waitsForThisThread(final Thread thread) {
        final ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        return info != null && info.getLockOwnerId() == Thread.currentThread().getId();
    }

    /** The device has the QP already: it would refuse to give the queue up, which were closed and there for ever. */
    @Test
    void aSharedQueueStaysOpenForAQpThatIsBeingMade() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(256);
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        when(device, Command.CREATE_QP, () -> startAndBlock(thrown, srq::close));
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).srq(srq));
        await(() -> thrown.get() != null);
        assertThat(thrown.get()).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EBUSY)).hasMessageContaining("is used by");
        assertThat(srq.isClosed()).isFalse();
        qp.close();
        srq.close();
        pd.close();
    }

    @Test
    void refusesPostsWhileItGoesToReset() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        final int[] codes = new int[2];
        when(device, Command.MODIFY_QP, () -> {
            codes[0] = a.qp.postSend(1, a.at(0), 8, a.lkey());
            codes[1] = a.qp.postReceive(1, a.at(0), 8, a.lkey());
        });
        a.qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(codes).containsOnly(ReturnCode.WRONG_STATE);
    }

    @Test
    void takesPostsAgainIfTheDeviceRefusesReset() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        Devices.emulated(device).faults().commands().failNext(Command.MODIFY_QP, -22);
        assertInvalid(() -> a.qp.modify(QpAttributes.to(QpState.RESET)));
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).isZero();
    }

    /** 32 receives, flushed: their completions fill the CQ. */
    private static Peer full(final PvrdmaContext device) {
        final Peer a = new Peer(device, device.allocatePd(), device.createCq(64),
            new QpOptions().maxSendWr(32).maxReceiveWr(32));
        assertThat(a.qp.maxSendWr() + a.qp.maxReceiveWr()).isEqualTo(a.cq.capacity());
        a.qp.modify(INIT);
        for (int i = 0; i < 32; i++) {
            assertThat(a.qp.postReceive(i, a.at(0), 8, a.lkey())).isZero();
        }
        a.qp.modify(QpAttributes.to(QpState.ERR));
        a.qp.modify(QpAttributes.to(QpState.RESET));
        return a;
    }

    @Test
    void staysInResetUntilItsFormerCompletionsMakeRoom() {
        final PvrdmaContext device = devices.open();
        final Peer a = full(device);

        assertBusy(() -> a.qp.modify(INIT), a.qp.toString(), a.cq.toString(), "poll the CQ first");
        assertThat(a.qp.state()).isEqualTo(QpState.RESET);
        assertBusy(a.cq::close, a.qp.toString());
        assertBusy(() -> a.qp.modify(INIT));
        Completions.assertNone(a.cq);
        a.qp.modify(INIT);
        assertThat(a.qp.state()).isEqualTo(QpState.INIT);
        assertInvalid(() -> a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(1).maxReceiveWr(1)), "64 entries");
    }

    @Test
    void givesItsRoomBackAlsoInThatState() {
        final Peer a = full(devices.open());
        assertBusy(() -> a.qp.modify(INIT));
        a.qp.close();
        a.cq.close();
        assertThat(a.cq.isClosed()).isTrue();
    }

    @Test
    void mayBeUsedAgainAtOnceWhereTheCqHasRoom() {
        final Peer a = Peer.rc(devices.open());
        for (int life = 0; life < 2; life++) {
            a.qp.modify(INIT);
            for (int i = 0; i < 100; i++) {
                assertThat(a.qp.postReceive(i, a.at(0), 8, a.lkey())).isZero();
            }
            a.qp.modify(QpAttributes.to(QpState.ERR));
            a.qp.modify(QpAttributes.to(QpState.RESET));
        }
        a.qp.modify(INIT);
    }

    @Test
    void keepsTheGidOfAQpThatIsJustBecomingReady() throws InterruptedException {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final Peer a = Peer.rc(device);
        final QueuePair ud = a.pd.createQp(new QpOptions().type(QpType.UD).cq(a.cq));
        ud.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(1));
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final AtomicReference<Thread> unbinding = new AtomicReference<>();
        when(device, Command.MODIFY_QP, () -> unbinding.set(startAndBlock(thrown, () -> device.unbindGid(0))));

        ud.modify(QpAttributes.to(QpState.RTR));
        Patience.join(unbinding.get());

        assertThat(thrown.get()).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EBUSY)).hasMessageContaining(ud.toString());
        assertThat(device.queryGid(1, 0).isZero()).isFalse();
    }

    /** Who connects and writes for the first time finds that regions say what peers may do. */
    @Test
    void theUsualAttributesLeaveRightsToRegions() {
        assertThat(rightsOf("", new QpAttributes())).containsExactlyInAnyOrder(
            AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        assertThat(rightsOf("quirks=qemu-7.2", new QpAttributes())).as("without RDMA").isEmpty();
        assertThat(rightsOf("", new QpAttributes().accessFlags(Set.of()))).isEmpty();
        assertThat(rightsOf("", new QpAttributes().accessFlags(AccessFlag.REMOTE_READ)))
            .containsExactly(AccessFlag.REMOTE_READ);
    }

    private Set<AccessFlag> rightsOf(final String device, final QpAttributes wished) {
        final QueuePair qp = Peer.rc(devices.open(device)).qp;
        QpConnector.connect(qp, qp.localAddress(), wished);
        return qp.query().accessFlags();
    }

    @Test
    void staysInResetWhenThePeerCannotBeReached() {
        final Peer a = Peer.rc(devices.open());
        final QpAddress self = a.qp.localAddress();
        assertThatNullPointerException().isThrownBy(() -> QpConnector.connect(a.qp, null)).withMessage("remote");
        assertThatNullPointerException().isThrownBy(() -> QpConnector.connect(null, self)).withMessage("qp");
        assertThatNullPointerException().isThrownBy(() -> QpConnector.connect(a.qp, self, null)).withMessage("wished");
        assertThatNullPointerException().isThrownBy(() -> QpConnector.activate(null, 1)).withMessage("qp");
        assertInvalid(() -> QpConnector.connect(a.qp, new QpAddress(Gid.ZERO, 17, 0, 0)), "remote GID", "bound");
        assertInvalid(() -> QpConnector.connect(a.qp, new QpAddress(Gid.parse("ff02::1"), 17, 0, 0)), "ff02::1");
        assertInvalid(() -> QpConnector.connect(a.qp, self, new QpAttributes().ah(null)), "remote GID");
        a.context.unbindGid(0);
        assertInvalid(() -> QpConnector.connect(a.qp, self), "index 0 is unbound");
        a.context.bindGid(0, self.gid());
        assertThat(a.qp.state()).isEqualTo(QpState.RESET);
        QpConnector.connect(a.qp, self);
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void sequenceNumbersAreThoseOfTheAddressesUnlessOthersAreGiven() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        QpConnector.connect(a.qp, b.qp.localAddress());
        assertThat(a.qp.query()).extracting(QpAttributes::sqPsn, QpAttributes::rqPsn)
            .containsExactly(a.qp.localAddress().psn(), b.qp.localAddress().psn());
        QpConnector.connect(b.qp, a.qp.localAddress(), new QpAttributes().sqPsn(0xfffff0).rqPsn(3));
        assertThat(b.qp.query()).extracting(QpAttributes::sqPsn, QpAttributes::rqPsn).containsExactly(0xfffff0, 3);
    }

    @Test
    void namesTheDeviceThatWasClosedMeanwhile() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final AtomicReference<Thread> closing = new AtomicReference<>();
        when(device, Command.CREATE_PD, () -> {
            closing.set(start(thrown, device::close));
            await(() -> device.device.toString().contains("closed"));
        });

        Refusals.assertClosed(device::allocatePd, device + " is closed");
        Patience.join(closing.get());
        assertThat(thrown.get()).isNull();
    }
}
