/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/**
 * A device that looks for receives only when a queue pair comes to the error state, as SoftRoCE does, and receives that
 * are posted when it is there already: the driver brings it there once more.
 */
@EnabledIf("hasGcc")
class LateReceivesTest {
    private static final String FLUSHED = " RECV WR_FLUSH_ERR";

    private IbvContext context;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private PinnedMemory memory;
    private MemoryRegion region;
    private IbvQp qp;

    static boolean hasGcc() {
        return Stub.isThere();
    }

    @BeforeEach
    void open() {
        context = Stub.openAs("rxe");
        pd = context.allocatePd();
        cq = context.createCq(64);
        memory = context.allocate(4096);
        region = pd.register(memory);
        qp = (IbvQp) Stub.connected(pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8)));
        receive(1);
        receive(2);
    }

    @AfterEach
    void everythingIsGivenBack() {
        Stub.hold(Stub.Place.NONE);
        context.close();
        Stub.assertNothingIsLeft();
    }

    private void receive(final int wrId) {
        assertThat(qp.postReceive(wrId, memory.address(), 8, region.lkey())).isZero();
    }

    /** The device comes to the error state, and flushes what there is. */
    private void fail() {
        Stub.ask("stub_state", qp.pointer, QpState.ERR.ordinal());
    }

    private List<String> poll() {
        final List<String> all = new ArrayList<>();
        cq.poll(c -> all.add(c.wrId() + " " + c.opcode() + " " + c.status()), 64);
        return all;
    }

    @Test
    void oneThatIsPostedWhenTheErrorIsKnownIsFlushed() {
        fail();
        assertThat(poll()).containsExactly(1 + FLUSHED, 2 + FLUSHED);
        receive(3);
        assertThat(poll()).containsExactly(3 + FLUSHED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"completion", "query", "event"})
    void oneThatIsPostedBeforeTheErrorIsKnownIsFlushed(final String teller) {
        fail();
        receive(3);
        if (teller.equals("query")) {
            assertThat(qp.query().state()).isEqualTo(QpState.ERR);
        } else if (teller.equals("event")) {
            Stub.ask("stub_event", qp.pointer, AsyncEventType.QP_FATAL.ordinal());
            context.awaitAsyncEvent(Patience.duration()).acknowledge();
        }
        assertThat(poll()).containsExactly(1 + FLUSHED, 2 + FLUSHED, 3 + FLUSHED);
    }

    /** The usual way: the place of a receive that completed is filled anew, and what was flushed lies behind it. */
    @Test
    void oneThatIsPostedOutOfAHandlerIsFlushed() {
        assertThat(qp.postSend(9, memory.address(), 8, region.lkey())).isZero();
        fail();
        final List<String> all = new ArrayList<>();
        cq.poll(c -> {
            all.add(c.wrId() + " " + c.opcode() + " " + c.status());
            if (c.wrId() == 1) {
                receive(3);
            }
        }, 64);
        assertThat(all).containsExactly("1 RECV SUCCESS", "9 SEND SUCCESS", 2 + FLUSHED, 3 + FLUSHED);
    }

    @Test
    void oneThatIsPostedWhileTheProgramBringsTheQueuePairThereIsFlushed() throws InterruptedException {
        Stub.hold(Stub.Place.MODIFY_QP);
        final Thread modifier = new Thread(() -> qp.modify(QpAttributes.to(QpState.ERR)));
        modifier.start();
        Stub.awaitHeld();
        receive(3);
        assertThat(qp.state()).isEqualTo(QpState.RTS);
        Stub.hold(Stub.Place.NONE);
        Patience.join(modifier);
        assertThat(poll()).containsExactly(1 + FLUSHED, 2 + FLUSHED, 3 + FLUSHED);
    }

    /** The device must not come from RESET to the error state, nor be given a queue pair that is destroyed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void resettingAndClosingWaitForWhoHasThemFlushed(final boolean closes) throws InterruptedException {
        fail();
        receive(3);
        Stub.hold(Stub.Place.MODIFY_QP);
        final Thread poller = new Thread(this::poll);
        poller.start();
        Stub.awaitHeld();
        final Thread ender = new Thread(closes ? qp::close : () -> qp.modify(QpAttributes.to(QpState.RESET)));
        ender.start();
        Stub.awaitBlocked(ender);
        Stub.hold(Stub.Place.NONE);
        Patience.join(poller);
        Patience.join(ender);
        assertThat(qp.isClosed()).isEqualTo(closes);
        assertThat(qp.state()).isEqualTo(closes ? QpState.ERR : QpState.RESET);
    }

    @Test
    void noneIsFlushedOnTheWayToReset() throws InterruptedException {
        fail();
        receive(3);
        Stub.hold(Stub.Place.MODIFY_QP);
        final Thread resetter = new Thread(() -> qp.modify(QpAttributes.to(QpState.RESET)));
        resetter.start();
        Stub.awaitHeld();
        assertThat(poll()).containsExactly(1 + FLUSHED, 2 + FLUSHED);
        Stub.hold(Stub.Place.NONE);
        Patience.join(resetter);
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(Stub.ask("stub_state_now", qp.pointer)).isEqualTo(QpState.RESET.ordinal());
    }
}
