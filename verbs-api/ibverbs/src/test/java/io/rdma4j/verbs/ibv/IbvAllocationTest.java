/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** Each form of posting and polling, by each way to call the library: no byte for the garbage collector. */
@EnabledIf("hasGcc")
class IbvAllocationTest {
    private static final int STEPS = TestBudget.rounds(4_000, 20_000);
    private static final int WR = 16;
    private static final int BYTES = 48;

    private RdmaContext context;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private PinnedMemory memory;
    private MemoryRegion region;
    private long sum;
    private final CompletionHandler handler = completion -> sum += completion.wrId() + completion.byteLength()
        + completion.status().ordinal() + completion.opcode().ordinal() + completion.qpNumber();

    static boolean hasGcc() {
        return Stub.isThere();
    }

    static Stream<String> calls() {
        return StubDeviceTest.calls().stream();
    }

    private void open(final String calls) {
        System.setProperty("rdma4j.ibv.calls", calls);
        context = new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0"));
        pd = context.allocatePd();
        cq = context.createCq(256);
        memory = context.allocate(8192);
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        System.clearProperty("rdma4j.ibv.calls");
        if (context != null) {
            context.close();
        }
        Stub.assertNothingIsLeft();
    }

    private QueuePair ready(final QpType type, final QpOptions options) {
        final QueuePair qp = pd.createQp(options.type(type).cq(cq).maxSendWr(WR).maxReceiveWr(WR).maxSendSge(2));
        if (type == QpType.UD) {
            qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(7));
            qp.modify(QpAttributes.to(QpState.RTR));
            qp.modify(QpAttributes.to(QpState.RTS).sqPsn(0));
            return qp;
        }
        return Stub.connected(qp);
    }

    /** So many completions each step, after a post that answers so. */
    private void assertNothing(final String what, final int answer, final int completions, final IntSupplier post) {
        final int[] wrong = new int[1];
        final double bytes = Allocations.perStep(STEPS, () -> {
            if (post.getAsInt() != answer || cq.poll(handler, WR) != completions) {
                wrong[0]++;
            }
        });
        assertThat(wrong[0]).as("steps of '%s' that went another way", what).isZero();
        assertThat(bytes).as("bytes for each step of '%s'", what).isZero();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void sends(final String calls) {
        open(calls);
        final QueuePair qp = ready(QpType.RC, new QpOptions().maxInline(64));
        final long at = memory.address();
        final int lkey = region.lkey();
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(at, 8, lkey).remote(1, 2);
        final SendRequest two = new SendRequest(2).opcode(SendOpcode.SEND_WITH_IMM).immData(9)
            .addSge(at, 8, lkey).addSge(at + 64, 8, lkey);
        final SendRequest atomic = new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).sge(at, 8, lkey)
            .remote(8, 2).atomic(1, 0);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[BYTES]);
        final UnsafeBuffer direct = new UnsafeBuffer(ByteBuffer.allocateDirect(BYTES));
        final SendRequest inline = new SendRequest().opcode(SendOpcode.RDMA_WRITE).inline(heap, 0, BYTES).remote(1, 2);
        final SendRequest[] batch = {write, atomic, inline};
        final SendTemplate template = qp.prepare(write, inline);
        assertNothing("send", 0, 1, () -> qp.postSend(1, at, 8, lkey));
        assertNothing("write", 0, 1, () -> qp.postSend(write));
        assertNothing("atomic", 0, 1, () -> qp.postSend(atomic));
        assertNothing("inline, on the heap", 0, 1, () -> qp.postSendInline(1, heap, 0, BYTES));
        assertNothing("inline, outside of it", 0, 1, () -> qp.postSendInline(1, direct, 0, BYTES));
        assertNothing("batch", 3, 3, () -> qp.postSend(batch, 3));
        assertNothing("template", 2, 2, () -> template.wrId(0, 5).post());
        // A message with immediate data takes a receive.
        assertNothing("two elements", 0, 2,
            () -> Math.min(qp.postReceive(1, at, 64, lkey), qp.postSend(two)));
        assertNothing("nothing", 0, 0, () -> 0);
        assertNothing("a queue that is full", 1, WR, () -> fill(qp, write));
        assertThat(sum).isNotZero();
    }

    private static int fill(final QueuePair qp, final SendRequest request) {
        int refused = 0;
        for (int i = 0; i <= WR; i++) {
            refused += qp.postSend(request) == 0 ? 0 : 1;
        }
        return refused;
    }

    @ParameterizedTest
    @MethodSource("calls")
    void receivesAndEvents(final String calls) {
        open(calls);
        final QueuePair qp = ready(QpType.RC, new QpOptions());
        final long at = memory.address() + 4096;
        final int lkey = region.lkey();
        final ReceiveRequest one = new ReceiveRequest().sge(at, 64, lkey);
        final ReceiveRequest[] batch = {one, one};
        assertNothing("receive", 0, 2,
            () -> Math.min(qp.postReceive(1, at, 64, lkey), qp.postSend(2, memory.address(), 8, lkey)));
        assertNothing("receive by request", 0, 2,
            () -> Math.min(qp.postReceive(one), qp.postSend(2, memory.address(), 8, lkey)));
        assertNothing("receives", 2, 4, () -> qp.postReceive(batch, 2)
            + qp.postSend(2, memory.address(), 8, lkey) + qp.postSend(3, memory.address(), 8, lkey));
        assertNothing("asking for an event", 0, 0, () -> cq.requestNotify(false));
        final SharedReceiveQueue srq = pd.createSrq(WR, 1);
        final QueuePair shared = ready(QpType.RC, new QpOptions().srq(srq));
        assertNothing("shared receive", 0, 2,
            () -> Math.min(srq.postReceive(1, at, 64, lkey), shared.postSend(2, memory.address(), 8, lkey)));
        assertNothing("shared receive by request", 0, 2,
            () -> Math.min(srq.postReceive(one), shared.postSend(2, memory.address(), 8, lkey)));
        assertThat(sum).isNotZero();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void datagrams(final String calls) {
        open(calls);
        final QueuePair qp = ready(QpType.UD, new QpOptions());
        final AddressHandle handle = pd.createAh(AhAttributes.to(context.queryGid(1, 0)));
        final SendRequest send = new SendRequest().sge(memory.address(), 8, region.lkey())
            .to(handle, qp.qpNumber(), 7);
        assertNothing("datagram", 0, 2, () ->
            Math.min(qp.postReceive(1, memory.address() + 4096, 64, region.lkey()), qp.postSend(send)));
        assertThat(sum).isNotZero();
    }
}
