/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** What is left of objects that are no more, on the library of stub.c, which takes no completion back. */
@EnabledIf("hasGcc")
class FormerLivesTest {
    private static final int WR = 8;

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
        cq = context.createCq(2048);
        memory = context.allocate(8192);
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        context.close();
        Stub.assertNothingIsLeft();
    }

    private QueuePair ready(final QpOptions options) {
        return Stub.connected(pd.createQp(options.maxSendWr(WR).maxReceiveWr(WR)));
    }

    private static List<String> poll(final CompletionQueue from) {
        final List<String> all = new ArrayList<>();
        from.poll(c -> all.add(c.wrId() + " " + c.opcode() + " " + c.status()), 64);
        return all;
    }

    private void fill(final SharedReceiveQueue srq, final QueuePair qp, final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(srq.postReceive(i, memory.address() + 4096, 4, region.lkey())).as("receive %d", i).isZero();
            assertThat(qp.postSend(i, memory.address(), 4, region.lkey())).isZero();
        }
    }

    /** Addresses are exchanged before anybody connects. */
    @Test
    void inResetTheAddressIsThatOfANewOne() {
        final Gid first = context.queryGid(1, 0);
        final Gid second = context.queryGid(1, 1);
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq));
        QpConnector.connect(qp, qp.localAddress(),
            new QpAttributes().ah(new AhAttributes(second, 1, 64, 0, 0, 0, 1)));
        final QueuePair datagrams = pd.createQp(new QpOptions().type(QpType.UD).cq(cq));
        QpConnector.activate(datagrams, 0x1234);
        assertThat(qp.localAddress().gid()).isEqualTo(second).isNotEqualTo(first);
        assertThat(datagrams.localAddress().qkey()).isEqualTo(0x1234);
        qp.modify(QpAttributes.to(QpState.RESET));
        datagrams.modify(QpAttributes.to(QpState.RESET));
        assertThat(qp.localAddress().gid()).isEqualTo(first);
        assertThat(datagrams.localAddress().qkey()).isZero();
    }

    @Test
    void inResetASharedReceiveOfBeforeIsNotHandedOver() {
        final CompletionQueue received = context.createCq(64);
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final QueuePair qp = ready(new QpOptions().srq(srq).sendCq(cq).receiveCq(received));
        fill(srq, qp, 4);
        qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(poll(received)).isEmpty();
        assertThat(received.dropped()).isEqualTo(4);
        assertThat(srq.postReceive(1, memory.address(), 4, region.lkey())).as("its places can be had again").isZero();
    }

    @Test
    void aClosedQueueGivesThePlacesOfSharedReceivesBack() {
        final CompletionQueue received = context.createCq(64);
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final QueuePair qp = ready(new QpOptions().srq(srq).sendCq(cq).receiveCq(received));
        fill(srq, qp, 4);
        assertThat(received.poll(c -> { }, 1)).isEqualTo(1);
        qp.close();
        received.close();
        for (int i = 0; i < 4; i++) {
            assertThat(srq.postReceive(i, memory.address(), 4, region.lkey())).as("receive %d", i).isZero();
        }
    }

    /** The number of a life has 10 bits. */
    @Test
    void whatTheFirstOfManyQueuePairsLeftIsNotTakenForTheLastOnes() {
        for (int i = 0; i < 1024; i++) {
            final QueuePair qp = ready(new QpOptions().cq(cq));
            assertThat(qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 2))).isZero();
            qp.close();
        }
        final QueuePair last = ready(new QpOptions().cq(cq));
        assertThat(last.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(77).remote(1, 2).flags(0)))
            .isZero();
        assertThat(poll(cq)).as("it is not signaled").isEmpty();
    }

    private WeakReference<ByteBuffer> drop() {
        final RdmaContext lost = Stub.open();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
        lost.allocatePd().register(buffer, AccessFlag.LOCAL_WRITE);
        lastOpened = new WeakReference<>(lost);
        Stub.ask("stub_event", 0L, AsyncEventType.DEVICE_FATAL.ordinal());
        lost.awaitAsyncEvent(Patience.duration()).acknowledge();
        return new WeakReference<>(buffer);
    }

    private WeakReference<RdmaContext> lastOpened;

    /** The kernel has its regions until it is closed. */
    @Test
    void aFailedDeviceThatNobodyHoldsHoldsItsMemory() {
        final WeakReference<ByteBuffer> buffer = drop();
        final long end = System.nanoTime() + Patience.nanos();
        while (Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("rdma4j-async-ibv"))
            .count() > 1) {
            assertThat(System.nanoTime() - end).as("the thread of the failed device has not ended").isNegative();
            Patience.pause();
        }
        final WeakReference<ByteBuffer> nobodys = new WeakReference<>(ByteBuffer.allocateDirect(8192));
        while (nobodys.get() != null) {
            assertThat(System.nanoTime() - end).as("the collector takes nothing").isNegative();
            System.gc();
            Patience.pause();
        }
        assertThat(buffer.get()).isNotNull();
        lastOpened.get().close();
    }
}
