/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Set;

/** States that a queue pair comes to by itself, on stub.c: what it is then, and what it takes. */
@EnabledIf("hasGcc")
class StubStatesTest {
    private static final int WR = 8;
    private static final int EINVAL = 22;

    private IbvContext context;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private PinnedMemory memory;
    private MemoryRegion region;

    static boolean hasGcc() {
        return Stub.isThere();
    }

    @BeforeEach
    void open() {
        context = Stub.open();
        pd = context.allocatePd();
        cq = context.createCq(64);
        memory = context.allocate(4096);
        region = pd.register(memory);
    }

    @AfterEach
    void everythingIsGivenBack() {
        Stub.ask("stub_status", 0, 0);
        Stub.ask("stub_refuse_states", 0);
        if (context != null) {
            context.close();
        }
        Stub.assertNothingIsLeft();
    }

    private QueuePair unconnected(final QpState last) {
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(WR).maxReceiveWr(WR));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        if (last == QpState.RTR) {
            qp.modify(QpAttributes.to(QpState.RTR).ah(AhAttributes.to(context.queryGid(1, 0))).pathMtu(Mtu.MTU_1024)
                .destQpn(qp.qpNumber()).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12));
        }
        return qp;
    }

    private QueuePair datagrams() {
        final QueuePair qp = pd.createQp(new QpOptions().type(QpType.UD).cq(cq).maxSendWr(WR).maxReceiveWr(WR));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(7));
        qp.modify(QpAttributes.to(QpState.RTR));
        qp.modify(QpAttributes.to(QpState.RTS).sqPsn(0));
        return qp;
    }

    private int post(final QueuePair qp) {
        return qp.postSend(1, memory.address(), 8, region.lkey());
    }

    private void post(final QueuePair qp, final AddressHandle way, final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(qp.postSend(new SendRequest().wrId(i).to(way, 5, 7).sge(memory.address(), 8, region.lkey())))
                .isZero();
        }
    }

    private int poll(final int most) {
        return cq.poll(c -> { }, most);
    }

    private static void become(final QueuePair qp, final QpState told) {
        Stub.ask("stub_state", ((IbvQp) qp).pointer, told.ordinal());
    }

    private void hear(final QueuePair qp) {
        Stub.ask("stub_event", ((IbvQp) qp).pointer, AsyncEventType.QP_ACCESS_ERR.ordinal());
        final AsyncEvent event = context.awaitAsyncEvent(Patience.duration());
        assertThat(event.type()).isEqualTo(AsyncEventType.QP_ACCESS_ERR);
        event.acknowledge();
    }

    @Test
    void aChangeNamesTheStateAlsoIfItStays() {
        final QueuePair qp = unconnected(QpState.INIT);
        assertThatThrownBy(() -> qp.modify(new QpAttributes().accessFlags(Set.of())))
            .hasMessageContainingAll("STATE is missing", "stays", "QpAttributes.to(INIT)", "EINVAL");
        qp.modify(QpAttributes.to(QpState.INIT).accessFlags(Set.of()));
    }

    @Test
    void theSendQueueIsSaidToDrain() {
        final QueuePair qp = Stub.connected(pd.createQp(new QpOptions().cq(cq).maxSendWr(WR).maxReceiveWr(WR)));
        assertThat(qp.query().sqDraining()).isFalse();
        qp.modify(QpAttributes.to(QpState.SQD));
        assertThat(qp.query().sqDraining()).isTrue();
        qp.modify(QpAttributes.to(QpState.RTS));
        assertThat(qp.query().sqDraining()).isFalse();
    }

    /** An event may be of an error that a reset has ended, and come late. */
    @Test
    void anEventOfAnErrorThatIsOverDoesNotEndTheQueuePair() {
        final QueuePair qp =
            Stub.connected(pd.createQp(new QpOptions().cq(cq).maxSendWr(WR).maxReceiveWr(WR)));
        for (final QpState told : new QpState[] {QpState.RTS, QpState.ERR}) {
            become(qp, told);
            hear(qp);
            assertThat(qp.state()).isEqualTo(told);
        }
    }

    /** It may also be handled while a reset ends the error: the device's answer is of before then. */
    @Test
    void anErrorThatEndsWhileItsEventIsHandledDoesNotEndTheQueuePair() {
        final QueuePair qp =
            Stub.connected(pd.createQp(new QpOptions().cq(cq).maxSendWr(WR).maxReceiveWr(WR)));
        become(qp, QpState.ERR);
        Stub.hold(Stub.Place.QUERY_QP);
        try {
            Stub.ask("stub_event", ((IbvQp) qp).pointer, AsyncEventType.QP_FATAL.ordinal());
            Stub.awaitHeld();
            qp.modify(QpAttributes.to(QpState.RESET));
            Stub.connected(qp);
        } finally {
            Stub.hold(Stub.Place.NONE);
        }
        context.awaitAsyncEvent(Patience.duration()).acknowledge();
        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }

    /** In ERR sends are taken, and flushed, also by a queue pair that never came to RTS. */
    @ParameterizedTest
    @ValueSource(strings = {"INIT", "RTR"})
    void sendsAreTakenWhenItIsAskedAfterAnError(final QpState last) {
        final QueuePair qp = unconnected(last);
        assertThat(post(qp)).isEqualTo(ReturnCode.WRONG_STATE);
        become(qp, QpState.ERR);
        assertThat(post(qp)).as("nobody knows yet").isEqualTo(ReturnCode.WRONG_STATE);
        assertThat(qp.query().state()).isEqualTo(QpState.ERR);
        assertThat(post(qp)).isZero();
    }

    @Test
    void sendsAreTakenWhenAnEventTellsOfAnError() {
        final QueuePair qp = unconnected(QpState.RTR);
        become(qp, QpState.ERR);
        hear(qp);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(post(qp)).isZero();
    }

    /** Whoever finds the error while the library empties the queues lets nobody in; a RESET that is refused does. */
    @Test
    void noSendIsTakenOnTheWayToReset() throws Exception {
        final QueuePair qp = unconnected(QpState.RTR);
        become(qp, QpState.ERR);
        Stub.ask("stub_refuse_states", EINVAL);
        Stub.hold(Stub.Place.MODIFY_QP);
        final Throwable[] refusal = new Throwable[1];
        final Thread resetter = new Thread(() -> {
            try {
                qp.modify(QpAttributes.to(QpState.RESET));
            } catch (final RuntimeException e) {
                refusal[0] = e;
            }
        });
        try {
            resetter.start();
            Stub.awaitHeld();
            hear(qp);
            assertThat(qp.state()).isEqualTo(QpState.ERR);
            assertThat(post(qp)).isEqualTo(ReturnCode.WRONG_STATE);
        } finally {
            Stub.hold(Stub.Place.NONE);
            Patience.join(resetter);
        }
        assertThat(refusal[0]).hasMessageContaining("the device refused");
        assertThat(post(qp)).isZero();
        Stub.ask("stub_refuse_states", 0);
        qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(post(qp)).isEqualTo(ReturnCode.WRONG_STATE);
    }

    /** InfiniBand specification, SQE: receiving goes on, and the sends behind the failed one are flushed. */
    @Test
    void aDatagramThatFailsStopsTheSendsAlone() {
        final QueuePair qp = datagrams();
        try (AddressHandle way = pd.createAh(AhAttributes.to(context.queryGid(1, 0)))) {
            Stub.ask("stub_status", WcStatus.LOC_PROT_ERR.ordinal(), WcStatus.WR_FLUSH_ERR.ordinal());
            post(qp, way, 2);
            assertThat(poll(1)).isEqualTo(1);
            assertThat(qp.state()).isEqualTo(QpState.SQE);
            qp.modify(QpAttributes.to(QpState.RTS));
            assertThat(poll(64)).isEqualTo(1);
            assertThat(qp.state()).as("sending goes on").isEqualTo(QpState.RTS);
        }
    }

    /** The device told of it before its completion was polled; what fails after the mend is another matter. */
    @Test
    void aFailureThatWasMendedStopsNothingWhenItIsPolled() {
        final QueuePair qp = datagrams();
        try (AddressHandle way = pd.createAh(AhAttributes.to(context.queryGid(1, 0)))) {
            Stub.ask("stub_status", WcStatus.LOC_PROT_ERR.ordinal(), WcStatus.WR_FLUSH_ERR.ordinal());
            post(qp, way, 2);
            become(qp, QpState.SQE);
            assertThat(qp.query().state()).isEqualTo(QpState.SQE);
            qp.modify(QpAttributes.to(QpState.RTS));
            assertThat(poll(64)).isEqualTo(2);
            assertThat(qp.state()).as("sending goes on").isEqualTo(QpState.RTS);
            Stub.ask("stub_status", WcStatus.LOC_PROT_ERR.ordinal(), WcStatus.WR_FLUSH_ERR.ordinal());
            post(qp, way, 1);
            assertThat(poll(64)).isEqualTo(1);
            assertThat(qp.state()).isEqualTo(QpState.SQE);
        }
    }

    /** The queue pair is in SQE as long as nobody mends it, also if that was tried. */
    @Test
    void aMendThatWasRefusedMendsNothing() {
        final QueuePair qp = datagrams();
        try (AddressHandle way = pd.createAh(AhAttributes.to(context.queryGid(1, 0)))) {
            Stub.ask("stub_status", WcStatus.LOC_PROT_ERR.ordinal(), WcStatus.WR_FLUSH_ERR.ordinal());
            post(qp, way, 1);
            become(qp, QpState.SQE);
            assertThat(qp.query().state()).isEqualTo(QpState.SQE);
            Stub.ask("stub_refuse_states", EINVAL);
            assertThatThrownBy(() -> qp.modify(QpAttributes.to(QpState.RTS))).hasMessageContaining("SQE to RTS");
            assertThat(poll(64)).isEqualTo(1);
            assertThat(qp.state()).isEqualTo(QpState.SQE);
        }
    }
}
