/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.verbs.RdmaContext;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Operations that wait: for a counter, or for all before them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RdmTriggerTest {
    private static final long ANY = FiAddr.UNSPEC;

    @RegisterExtension
    final World world = new World();

    private Rank a;
    private Rank b;
    private long toB;
    private Counter counter;

    @BeforeEach
    void open() {
        final Rank[] both = world.acquainted(rank(World.options()), rank(World.options()));
        a = both[0];
        b = both[1];
        toB = a.knows(b);
        b.knows(a);
        counter = a.keep(a.domain.openCounter());
    }

    private Rank rank(final EndpointOptions options) {
        final RdmaContext device = world.device("");
        return world.rank(device, World.hints(device).capabilities(Capability.MSG, Capability.TAGGED, Capability.RMA,
            Capability.ATOMIC, Capability.SOURCE, Capability.TRIGGER, Capability.FENCE), options, new AvAttributes());
    }

    private Message message(final int length, final long context) {
        return new Message(1).add(a.at(0), length, a.region).peer(toB).context(context).trigger(counter, 3);
    }

    private void receive(final long context) {
        b.post(() -> b.ep.receive(b.at(0), 1_000, b.region, ANY, context));
    }

    private void nothingHappens() {
        for (int i = 0; i < 20; i++) {
            a.progress();
        }
        assertThat(a.done).isEmpty();
        assertThat(b.done).isEmpty();
    }

    @Test
    void operationsBeginInTheirOrderWhenTheCounterHasCounted() {
        final Message message = message(10, 1);
        receive(7);
        receive(8);
        assertThat(a.ep.sendMessage(message, OpFlags.TRIGGER)).isZero();
        // It was copied.
        message.clear().add(a.at(0), 20, a.region).context(2);
        assertThat(a.ep.sendMessage(message, OpFlags.TRIGGER)).isZero();
        nothingHappens();
        counter.add(2);
        nothingHappens();
        counter.add(1);
        assertThat(a.next().context()).isEqualTo(1);
        assertThat(a.next().context()).isEqualTo(2);
        assertThat(b.next()).extracting(Done::context, Done::length).containsExactly(7L, 10L);
        assertThat(b.next()).extracting(Done::context, Done::length).containsExactly(8L, 20L);
        assertThat(a.ep.sendMessage(message.context(3), OpFlags.TRIGGER)).as("it has counted already").isZero();
        receive(9);
        assertThat(a.next().context()).isEqualTo(3);
        assertThat(b.next().context()).isEqualTo(9);
    }

    /** The counter may have passed several thresholds when somebody looks. */
    @Test
    void operationsBeginInTheOrderOfTheirThresholds() {
        final Counter another = a.keep(a.domain.openCounter());
        final long[] thresholds = {5, 3, 4, -1, 3, 1};
        for (int i = 0; i < thresholds.length; i++) {
            receive(7);
            assertThat(a.ep.sendMessage(message(10 + i, i).trigger(counter, thresholds[i]), OpFlags.TRIGGER)).isZero();
        }
        // What waits for another counter has no part in this order.
        receive(8);
        assertThat(a.ep.sendMessage(message(20, 20).trigger(another, 2), OpFlags.TRIGGER)).isZero();
        nothingHappens();
        counter.set(-1);
        for (final int next : new int[] {5, 1, 4, 2, 0, 3}) {
            assertThat(a.next()).extracting(Done::context, Done::errno).containsExactly((long) next, 0);
            assertThat(b.next()).extracting(Done::context, Done::length).containsExactly(7L, 10L + next);
        }
        nothingHappens();
        another.add(2);
        assertThat(a.next().context()).isEqualTo(20);
        assertThat(b.next()).extracting(Done::context, Done::length).containsExactly(8L, 20L);
    }

    /** It was triggered before the other one was given, whether somebody has looked or not. */
    @Test
    void whatIsDueAlreadyKeepsItsPlace() {
        receive(7);
        receive(8);
        assertThat(a.ep.sendMessage(message(10, 1).trigger(counter, 5), OpFlags.TRIGGER)).isZero();
        counter.add(5);
        assertThat(a.ep.sendMessage(message(20, 2).trigger(counter, 3), OpFlags.TRIGGER)).isZero();
        assertThat(a.next().context()).isEqualTo(1);
        assertThat(a.next().context()).isEqualTo(2);
        assertThat(b.next()).extracting(Done::context, Done::length).containsExactly(7L, 10L);
        assertThat(b.next()).extracting(Done::context, Done::length).containsExactly(8L, 20L);
    }

    @Test
    void everyCallCanWait() {
        final long there = b.region.base();
        final long key = b.region.key();
        a.bytes.putLong(0, 4);
        final Message message = message(8, 1).remote(there + 64, key).tag(5);
        final Message back = new Message(1).add(a.at(200), 100, a.region).context(9).tag(6).trigger(counter, 3);
        assertThat(a.ep.writeMessage(message.context(1), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.readMessage(message.context(2), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.tagged().sendMessage(message.context(3), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.atomic(new AtomicRequest().operation(AtomicOp.SUM, AtomicType.INT32)
            .operands(a.at(0), 1, null).peer(toB).remote(there + 128, key).context(4).trigger(counter, 3),
            OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.receiveMessage(back.context(5), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.tagged().receiveMessage(back.context(6), OpFlags.TRIGGER)).isZero();
        b.post(() -> b.ep.tagged().receive(b.at(500), 8, b.region, ANY, 5, 0, 7));
        nothingHappens();
        counter.add(3);
        for (final OperationKind kind : new OperationKind[] {OperationKind.WRITE, OperationKind.READ,
            OperationKind.TAGGED_SEND, OperationKind.ATOMIC_UPDATE}) {
            assertThat(a.next(done -> done.kind() == kind).errno()).as("%s", kind).isZero();
        }
        assertThat(b.next().context()).isEqualTo(7);
        assertThat(b.bytes.getLong(64)).isEqualTo(4);
        assertThat(b.bytes.getInt(128)).isEqualTo(4);
        final long toA = b.av.insert(a.ep.address());
        b.succeeds(() -> b.ep.send(b.at(0), 8, b.region, toA, 1));
        b.succeeds(() -> b.ep.tagged().send(b.at(0), 8, b.region, toA, 6, 2));
        assertThat(a.next().context()).isEqualTo(5);
        assertThat(a.next().context()).isEqualTo(6);
    }

    @Test
    void whatCannotBeginIsTold() {
        assertThat(a.ep.sendMessage(message(8, 1).peer(77), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.sendMessage(message(8, 2), OpFlags.TRIGGER | 1L << 60)).isZero();
        counter.add(3);
        assertThat(a.next()).extracting(Done::kind, Done::context, Done::errno)
            .containsExactly(OperationKind.SEND, 1L, FiErrno.FI_EINVAL);
        assertThat(a.next()).extracting(Done::context, Done::errno).containsExactly(2L, FiErrno.FI_EBADFLAGS);
        final Counter closed = a.domain.openCounter();
        assertThat(a.ep.sendMessage(message(8, 3).trigger(closed, 1), OpFlags.TRIGGER)).isZero();
        closed.close();
        assertThat(a.next()).extracting(Done::context, Done::errno).containsExactly(3L, FiErrno.FI_ECANCELED);
        assertThat(a.ep.sendMessage(message(8, 3).trigger(closed, 1), OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.sendMessage(message(8, 3).trigger(null, 1), OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.sendMessage(null, OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(null, OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(b.ep.sendMessage(message(8, 3), OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EDOMAIN);
        final Rank other = world.rank(world.device(""), World.options());
        assertThat(other.ep.sendMessage(message(8, 3), OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(other.ep.sendMessage(message(8, 3), OpFlags.FENCE)).isNotZero();
    }

    @Test
    void whatCannotBeginIsCounted() {
        final Counter[] counters = new Counter[2];
        final RdmaContext device = world.device("");
        final Rank c = world.rank(device, World.hints(device).capabilities(Capability.MSG, Capability.TRIGGER),
            World.options(), new AvAttributes(), (rank, own) -> {
                counters[0] = rank.keep(rank.domain.openCounter());
                counters[1] = rank.keep(rank.domain.openCounter());
                own.counter(counters[0], CounterEvent.SEND).counter(counters[1], CounterEvent.RECV);
            });
        final Counter go = c.keep(c.domain.openCounter());
        final Message message = new Message(1).add(c.at(0), 8, c.region).trigger(go, 1);
        assertThat(c.ep.sendMessage(message.peer(77).context(1), OpFlags.TRIGGER)).isZero();
        assertThat(c.ep.receiveMessage(message.context(2), OpFlags.TRIGGER | 1L << 60)).isZero();
        go.add(1);
        assertThat(c.next()).extracting(Done::kind, Done::errno)
            .containsExactly(OperationKind.SEND, FiErrno.FI_EINVAL);
        assertThat(c.next()).extracting(Done::kind, Done::errno)
            .containsExactly(OperationKind.RECEIVE, FiErrno.FI_EBADFLAGS);
        for (final Counter counted : counters) {
            assertThat(counted.readError()).isEqualTo(1);
            assertThat(counted.read()).isZero();
        }
    }

    @Test
    void thresholdsHaveNoSign() {
        receive(7);
        assertThat(a.ep.sendMessage(message(8, 1).trigger(counter, -2), OpFlags.TRIGGER)).isZero();
        counter.set(Long.MAX_VALUE);
        nothingHappens();
        counter.set(-1);
        assertThat(a.next().context()).isEqualTo(1);
        assertThat(b.next().context()).isEqualTo(7);
    }

    @Test
    void onlySoManyWaitAndTheyEndWithTheEndpoint() {
        int waiting = 0;
        while (a.ep.sendMessage(message(8, waiting), OpFlags.TRIGGER) == 0) {
            waiting++;
        }
        assertThat(waiting).isEqualTo(256);
        assertThat(a.ep.sendMessage(message(8, 1), OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EAGAIN);
        a.ep.close();
        assertThat(a.ep.sendMessage(message(8, 1), OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EBADFD);
        for (int i = 0; i < waiting; i++) {
            assertThat(a.next()).extracting(Done::context, Done::errno)
                .containsExactly((long) i, FiErrno.FI_ECANCELED);
        }
    }

    @Test
    void aFenceWaitsForAllBefore() {
        final Message message = new Message(1).add(a.at(0), 64, a.region).peer(toB).context(1);
        a.post(() -> a.ep.sendMessage(message, OpFlags.DELIVERY_COMPLETE));
        nothingHappens();
        assertThat(a.ep.sendMessage(message.context(2), OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EAGAIN);
        message.remote(b.region.base(), b.region.key());
        assertThat(a.ep.writeMessage(message, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EAGAIN);
        final AtomicRequest atomic = new AtomicRequest().operands(a.at(0), 1, null).peer(toB)
            .remote(b.region.base(), b.region.key());
        assertThat(a.ep.atomic(atomic, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EAGAIN);
        receive(5);
        assertThat(a.next().context()).isEqualTo(1);
        a.succeeds(() -> a.ep.writeMessage(message, OpFlags.FENCE));
        a.succeeds(() -> a.ep.atomic(atomic, OpFlags.FENCE));
        receive(6);
        a.succeeds(() -> a.ep.sendMessage(message, OpFlags.FENCE));
    }
}
