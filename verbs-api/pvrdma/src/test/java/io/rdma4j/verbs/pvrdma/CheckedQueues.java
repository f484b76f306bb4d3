/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.queues.Doorbell;
import io.rdma4j.queues.ReceiveQueue;
import io.rdma4j.queues.SharedReceiveQueue;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.spi.OneThread;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** What {@link OneThreadTest} runs with the checks on: one thread stands still inside of a queue, another one comes. */
final class CheckedQueues {
    private static final long DEADLINE_SECONDS = Patience.duration().toSeconds();
    private static final String VISITOR = "the-one-inside";

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch mayGo = new CountDownLatch(1);

    private CheckedQueues() {
    }

    /**
     * Runs all.
     *
     * @param args none.
     * @throws Exception if something is not found.
     */
    public static void main(final String[] args) throws Exception {
        assertThat(OneThread.CHECKED).isTrue();
        try (PvrdmaContext context = (PvrdmaContext) RdmaDevices.open("emulated:checked")) {
            final Peer a = new Peer(context, new QpOptions().maxInline(64));
            final Peer b = new Peer(context, new QpOptions());
            a.connect(b);
            new CheckedQueues().sendQueue(a, b);
            new CheckedQueues().receiveQueue(a);
            new CheckedQueues().sharedReceiveQueue(a);
            new CheckedQueues().completionQueue(a, b);
            undisturbed(a, b);
        }
    }

    /** Where the thread inside stops. */
    private void stop() {
        inside.countDown();
        try {
            assertThat(mayGo.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private FutureTask<Integer> visit(final IntSupplier call) throws InterruptedException {
        final FutureTask<Integer> visit = new FutureTask<>(call::getAsInt);
        new Thread(visit, VISITOR).start();
        assertThat(inside.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return visit;
    }

    private int end(final FutureTask<Integer> visit) throws Exception {
        mayGo.countDown();
        return visit.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static void assertFound(final String place, final ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessageContaining(place)
            .hasMessageContaining(VISITOR).hasMessageContaining(Thread.currentThread().getName());
    }

    private void sendQueue(final Peer a, final Peer b) throws Exception {
        final SendRequest request = new SendRequest().sge(a.at(0), 8, a.lkey());
        final SendTemplate template = a.qp.prepare(request);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        b.qp.postReceive(2, b.at(0), 8, b.lkey());
        final DirectBuffer slow = slow(new UnsafeBuffer(new byte[8]));
        final FutureTask<Integer> visit = visit(() -> a.qp.postSendInline(1, slow, 0, 8));
        final String place = "the send queue of " + a.qp;
        assertFound(place, () -> a.qp.postSend(1, a.at(0), 8, a.lkey()));
        assertFound(place, () -> a.qp.postSend(request));
        assertFound(place, () -> a.qp.postSend(new SendRequest[] {request}, 1));
        assertFound(place, () -> a.qp.postSendInline(1, new UnsafeBuffer(new byte[8]), 0, 8));
        assertFound(place, template::post);
        assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).as("another queue").isZero();
        assertThat(end(visit)).as("who was first").isZero();
        assertThat(template.post()).as("afterwards").isEqualTo(1);
        Completions.await(a.cq, 2);
        Completions.await(b.cq, 2);
        System.out.println("send queue: found");
    }

    /** A buffer that takes long to tell its size. */
    private DirectBuffer slow(final DirectBuffer buffer) {
        return (DirectBuffer) Proxy.newProxyInstance(DirectBuffer.class.getClassLoader(),
            new Class<?>[] {DirectBuffer.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("capacity")) {
                    stop();
                }
                try {
                    return method.invoke(buffer, arguments);
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    }

    private Doorbell slowDoorbell() {
        return (offset, word) -> {
            if (Thread.currentThread().getName().equals(VISITOR)) {
                stop();
            }
        };
    }

    private static UnsafeBuffer ring() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(2 * 4096).alignedSlice(8));
    }

    private void receiveQueue(final Peer a) throws Exception {
        final ReceivePath path = new ReceivePath(
            new ReceiveQueue(ring(), RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, 8, 1, slowDoorbell(), 1),
            (PvrdmaCq) a.cq);
        path.guardedAs("the receive queue of QP 77");
        path.gate(ReturnCode.OK);
        final ReceiveRequest request = new ReceiveRequest();
        final FutureTask<Integer> visit = visit(() -> path.post(1, 0, 8, 0));
        assertFound("the receive queue of QP 77", () -> path.post(1, 0, 8, 0));
        assertFound("the receive queue of QP 77", () -> path.post(request));
        assertFound("the receive queue of QP 77", () -> path.post(new ReceiveRequest[] {request}, 1));
        assertThat(end(visit)).isZero();
        assertThat(path.post(request)).as("afterwards").isZero();
        System.out.println("receive queue: found");
    }

    private void sharedReceiveQueue(final Peer a) throws Exception {
        final PvrdmaSrq srq = new PvrdmaSrq((PvrdmaPd) a.pd, 5, new SharedReceiveQueue(ring(), RingState.RX_OFFSET,
            RingMemory.ELEMENTS_OFFSET, 8, 1, slowDoorbell(), 5), RingMemory.allocate((PvrdmaContext) a.context, 2),
            ((PvrdmaContext) a.context).device.live().add(SrqKind.KIND, 5));
        final FutureTask<Integer> visit = visit(() -> srq.postReceive(new ReceiveRequest()));
        assertFound("SRQ 5", () -> srq.postReceive(1, 0, 8, 0));
        assertFound("SRQ 5", () -> srq.postReceive(new ReceiveRequest()));
        assertThat(end(visit)).isZero();
        assertThat(srq.postReceive(1, 0, 8, 0)).as("afterwards").isZero();
        System.out.println("shared receive queue: found");
    }

    private void completionQueue(final Peer a, final Peer b) throws Exception {
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        final int[] again = new int[1];
        final FutureTask<Integer> visit = visit(() -> a.cq.poll(completion -> {
            again[0] = a.cq.poll(other -> { }, 1);
            stop();
        }, 1));
        assertFound("the poll of " + a.cq, () -> a.cq.poll(completion -> { }, 1));
        assertThat(b.cq.poll(completion -> { }, 1)).as("another queue").isEqualTo(1);
        assertThat(end(visit)).isEqualTo(1);
        assertThat(again[0]).as("from the handler").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.cq.poll(completion -> { }, 1)).as("afterwards").isZero();
        System.out.println("completion queue: found");
    }

    private static void undisturbed(final Peer a, final Peer b) {
        for (int i = 0; i < 1_000; i++) {
            assertThat(b.qp.postReceive(i, b.at(0), 8, b.lkey())).isZero();
            assertThat(a.qp.postSend(i, a.at(0), 8, a.lkey())).isZero();
            assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(i);
            assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(i);
        }
        a.qp.close();
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.CLOSED);
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).as("a refused post leaves").isEqualTo(ReturnCode.CLOSED);
        System.out.println("traffic by one thread: undisturbed");
    }
}
