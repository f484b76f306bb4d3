/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

/** Posting and polling allocate nothing once they run. */
class AllocationTest {
    private static final int MEASURED = 20_000;
    /** Each wait for nothing may give the processor away, and on a busy machine get it back late. */
    private static final int WAITS_EVERY = 16;

    @RegisterExtension
    final Devices devices = new Devices();

    private final Counter counter = new Counter();

    private static final class Counter implements CompletionHandler {
        private long successes;
        private long sum;

        @Override
        public void onCompletion(final Completion c) {
            if (c.status() == WcStatus.SUCCESS) {
                successes++;
                sum += c.wrId() + c.byteLength() + c.opcode().ordinal() + c.qpNumber();
            }
        }
    }

    private static void poll(final CompletionQueue cq, final CompletionHandler handler, final int count) {
        int left = count;
        while (left > 0) {
            final int polled = cq.poll(handler, left);
            left -= polled;
            if (polled == 0) {
                // Who is awaited may be without a processor.
                Thread.yield();
            }
        }
    }

    /** Bytes that a step allocates, in the mean over many, after as many to warm up. */
    private double measure(final Runnable step) {
        final double least = Allocations.perStep(MEASURED, step);
        assertThat(counter.successes).isGreaterThan(2L * MEASURED);
        return least;
    }

    @Test
    void overAConnection() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final SendRequest send = new SendRequest(2).addSge(a.at(0), 32, a.lkey()).addSge(a.at(64), 32, a.lkey());
        final ReceiveRequest receive =
            new ReceiveRequest(2).addSge(b.at(0), 40, b.lkey()).addSge(b.at(64), 40, b.lkey());
        assertThat(measure(() -> {
            b.qp.postReceive(1, b.at(0), 64, b.lkey());
            b.qp.postReceive(receive.wrId(2));
            a.qp.postSend(3, a.at(0), 64, a.lkey());
            a.qp.postSend(send.wrId(4));
            poll(b.cq, counter, 2);
            poll(a.cq, counter, 2);
            a.cq.poll(counter, 1);
        })).as("bytes").isZero();
    }

    /** The device flushes them, so that what it takes to carry them out does not count. */
    @ParameterizedTest
    @EnumSource(SendOpcode.class)
    void postingAnyOperation(final SendOpcode opcode) {
        final KeyBench bench = new KeyBench(devices);
        final Peer owner = bench.owner;
        final MemoryWindow window = owner.pd.allocateWindow(WindowType.TYPE_2);
        final FastRegion region = owner.pd.allocateFastRegion(4);
        region.map(bench.pages(3, 4), 0, 8192);
        final SendRequest request = new SendRequest().sge(owner.at(0), 8, owner.lkey()).opcode(opcode);
        if (opcode == SendOpcode.BIND_MW) {
            request.bind(window, 0, bench.bindable, owner.at(0), 64, AccessFlag.REMOTE_WRITE);
        } else if (opcode == SendOpcode.FAST_REG_MR) {
            request.fastRegister(region, 0, 0x10_0000, AccessFlag.LOCAL_WRITE);
        } else if (opcode == SendOpcode.LOCAL_INV) {
            request.clearSges();
        }
        owner.qp.modify(QpAttributes.to(QpState.ERR));
        final long[] refused = new long[1];
        assertThat(Allocations.perStep(MEASURED, () -> {
            request.newKey(opcode == SendOpcode.BIND_MW ? window.nextRkey() : region.nextKey());
            refused[0] += owner.qp.postSend(request);
            poll(owner.cq, counter, 1);
        })).as("bytes").isZero();
        assertThat(refused[0]).isZero();
    }

    @Test
    void bindingAWindowByTheVerb() {
        final KeyBench bench = new KeyBench(devices);
        final MemoryWindow window = bench.owner.pd.allocateWindow(WindowType.TYPE_1);
        final AccessFlag[] rights = {AccessFlag.REMOTE_WRITE};
        bench.owner.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(Allocations.perStep(MEASURED, () -> {
            bench.owner.qp.bindWindow(1, window, bench.bindable, bench.owner.at(0), 64, rights);
            poll(bench.owner.cq, counter, 1);
        })).as("bytes").isZero();
    }

    @Test
    void withDatagrams() {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final SendRequest send = new SendRequest()
            .to(a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid())), b.qp.qpNumber(), Peer.QKEY)
            .sge(a.at(0), 64, a.lkey());
        assertThat(measure(() -> {
            b.qp.postReceive(1, b.at(0), 128, b.lkey());
            a.qp.postSend(send);
            poll(b.cq, counter, 1);
            poll(a.cq, counter, 1);
        })).as("bytes").isZero();
    }

    @Test
    void withASharedReceiveQueueAndBatches() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(devices.open());
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(64, 1);
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(b);
        final SendRequest[] sends = new SendRequest[8];
        for (int i = 0; i < 8; i++) {
            sends[i] = new SendRequest().wrId(i).flags(i == 7 ? SendRequest.SIGNALED : 0).sge(a.at(0), 64, a.lkey());
        }
        assertThat(measure(() -> {
            for (int i = 0; i < 8; i++) {
                srq.postReceive(i, b.at(0), 64, b.lkey());
            }
            a.qp.postSend(sends, 8);
            poll(b.cq, counter, 8);
            poll(a.cq, counter, 1);
        })).as("bytes").isZero();
    }

    @Test
    void withTemplatesAndSmallPayloads() {
        final Peer a = new Peer(devices.open(), new QpOptions().maxInline(64).maxSendSge(4));
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        final SendRequest inline = new SendRequest().opcode(SendOpcode.SEND_WITH_IMM).inline(payload, 0, 8);
        final SendTemplate template = a.qp.prepare(new SendRequest().sge(a.at(0), 8, a.lkey()), inline);
        assertThat(measure(() -> {
            for (int i = 0; i < 4; i++) {
                b.qp.postReceive(i, b.at(0), 64, b.lkey());
            }
            a.qp.postSendInline(1, payload, 8, 8);
            a.qp.postSend(inline.inline(payload, 16, 32));
            template.wrId(0, 3).address(0, 0, a.at(64)).length(0, 0, 16).lkey(0, 0, a.lkey()).immData(1, 7)
                .inline(1, payload, 0, 24).post();
            poll(b.cq, counter, 4);
            poll(a.cq, counter, 4);
        })).as("bytes").isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"spinning", "yielding", "backing off"})
    void whileWaitingWithoutBlocking(final String way) {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final CompletionQueue[] both = {a.cq, b.cq};
        final CompletionWaiter one = waiter(way, b.cq);
        final CompletionWaiter any = waiter(way, both);
        final long[] handed = new long[1];
        final long[] steps = new long[1];
        final Duration enough = Patience.duration();
        final Duration tooShort = Duration.ofNanos(1_000);
        assertThat(measure(() -> {
            b.qp.postReceive(1, b.at(0), 64, b.lkey());
            a.qp.postSend(3, a.at(0), 64, a.lkey());
            handed[0] += one.await(counter, 16, enough);
            handed[0] += any.await(counter, 16, enough);
            steps[0]++;
            if (steps[0] % WAITS_EVERY == 0) {
                any.await(counter, 16, tooShort);
            }
        })).as("bytes").isZero();
        assertThat(handed[0]).as("completions of %d sends", steps[0]).isEqualTo(2 * steps[0]);
    }

    private static CompletionWaiter waiter(final String way, final CompletionQueue... cqs) {
        if (way.equals("spinning")) {
            return CompletionWaiter.spinning(cqs);
        }
        return way.equals("yielding") ? CompletionWaiter.yielding(cqs) : CompletionWaiter.backingOff(cqs);
    }

    @Test
    void alsoWhenNothingCanBeDone() {
        final Peer a = Peer.rc(devices.open());
        final QueuePair reset = a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(1).maxReceiveWr(1));
        final SendRequest none = new SendRequest();
        final SendTemplate template = reset.prepare(none);
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        assertThat(measure(() -> {
            reset.postSend(none);
            template.post();
            reset.postSendInline(1, null, 0, 0);
            reset.postReceive(1, 0, 0, 0);
            a.cq.poll(counter, 16);
            b.qp.postReceive(1, b.at(0), 8, b.lkey());
            a.qp.postSend(1, a.at(0), 8, a.lkey());
            poll(a.cq, counter, 1);
            poll(b.cq, counter, 1);
        })).as("bytes").isZero();
    }
}
