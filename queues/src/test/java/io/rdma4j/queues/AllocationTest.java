/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.testing.Allocations;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The garbage collector has nothing to do with a work request, at either end. */
class AllocationTest {
    private static final int COUNT = 16;
    private static final int OPERATIONS = 50_000;

    private final RingMemory qp = RingMemory.plain(COUNT, SqWqe.stride(1));
    private final RingMemory rq = RingMemory.plain(COUNT, RqWqe.stride(1));
    private final RingMemory cq = RingMemory.plain(COUNT, Cqe.LENGTH);
    private final Doorbell doorbell = new MappedDoorbell(new UnsafeBuffer(RingMemory.allocate(1)));
    private final SendQueue sends = new SendQueue(qp.driver, 0, 4096, COUNT, 1, doorbell, 1);
    private final ReceiveQueue receives = new ReceiveQueue(rq.driver, 8, 4096, COUNT, 1, doorbell, 1);
    private final CompletionQueue completions = new CompletionQueue(cq.driver, 8, 4096, COUNT, doorbell, 1);
    private final WqeConsumer sendConsumer = qp.sendConsumer(COUNT, 1);
    private final WqeConsumer receiveConsumer = rq.receiveConsumer(COUNT, 1);
    private final CqeProducer producer = cq.cqeProducer(COUNT);

    @Test
    void postingExecutingAndPollingAllocateNothing() {
        assertThat(Allocations.perStep(1, OPERATIONS / 20, this::run))
            .as("bytes in %d operations", OPERATIONS).isLessThan(OPERATIONS / 10);
    }

    private void run() {
        for (int i = 0; i < OPERATIONS; i++) {
            send(i);
            receive(i);
            complete(sendConsumer);
            complete(receiveConsumer);
            poll(sends);
            poll(receives);
        }
        assertThat(sends.outstanding() + receives.outstanding()).isZero();
    }

    private void send(final int i) {
        final int wqe = sends.claim(i, 1);
        Sge.set(sends.buffer(), SqWqe.sgeOffset(wqe, 0), i, 64, 1);
        sends.commit();
        sends.publish();
        sends.ringDoorbell();
    }

    private void receive(final int i) {
        final int wqe = receives.claim(i);
        Sge.set(receives.buffer(), RqWqe.sgeOffset(wqe, 0), i, 64, 1);
        receives.commit();
        receives.publish();
        receives.ringDoorbell();
    }

    private void complete(final WqeConsumer consumer) {
        consumer.peek();
        producer.claim();
        Cqe.wrId(producer.page(), producer.offset(), SqWqe.wrId(consumer.page(), consumer.offset()));
        consumer.advance();
        producer.publish();
    }

    private void poll(final SequencedQueue queue) {
        if (completions.available(1) < 1) {
            completions.poke();
        }
        queue.retireThrough(Cqe.wrId(completions.buffer(), completions.cqeOffset(0)));
        completions.consume(1);
    }
}
