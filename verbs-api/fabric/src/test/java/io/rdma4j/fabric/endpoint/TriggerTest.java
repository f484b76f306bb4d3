/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connected endpoints: operations that wait for a counter or for all before them, writes that are proven. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TriggerTest {
    @RegisterExtension
    final Sides sides = new Sides();

    private Side a;
    private Side b;
    private MemoryRegion region;
    private MemoryRegion local;

    private static Hints hints() {
        return new Hints().capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.TRIGGER,
            Capability.FENCE);
    }

    @BeforeEach
    void open() {
        final Side[] both = sides.pair(TriggerTest::hints);
        a = both[0];
        b = both[1];
        region = b.register(11);
        local = a.local();
    }

    private Message message(final int length) {
        return new Message(1).add(a.at(0), length, local).context(1).remote(region.base() + 64, region.key());
    }

    @Test
    void sendsWritesAndAtomicsWaitForACounter() {
        final Counter counter = a.keep(a.domain.openCounter());
        a.bytes.putLong(0, 5);
        b.post(() -> b.ep.receive(b.at(1_000), 8, region, 7));
        assertThat(a.ep.sendMessage(message(8).trigger(counter, 1), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.writeMessage(message(8).trigger(counter, 2), OpFlags.TRIGGER)).isZero();
        assertThat(a.ep.atomic(new AtomicRequest().operation(AtomicOp.MAX, AtomicType.INT8).operands(a.at(0), 1, null)
            .remote(region.base() + 80, region.key()).trigger(counter, 2), OpFlags.TRIGGER)).isZero();
        for (int i = 0; i < 20; i++) {
            a.progress();
        }
        assertThat(a.done).isEmpty();
        counter.add(1);
        assertThat(a.next().kind()).isEqualTo(OperationKind.SEND);
        assertThat(b.next().context()).isEqualTo(7);
        assertThat(b.bytes.getLong(64)).isZero();
        counter.add(1);
        assertThat(a.next().kind()).isEqualTo(OperationKind.WRITE);
        assertThat(a.next().kind()).isEqualTo(OperationKind.ATOMIC_UPDATE);
        assertThat(b.bytes.getLong(64)).isEqualTo(5);
        assertThat(b.bytes.getByte(80)).isEqualTo((byte) 5);
        assertThat(a.ep.receiveMessage(message(8).trigger(counter, 9), OpFlags.TRIGGER)).isZero();
        a.ep.close();
        assertThat(a.next()).extracting(Done::kind, Done::errno)
            .containsExactly(OperationKind.RECEIVE, FiErrno.FI_ECANCELED);
    }

    /** The buffers would have to be copied now, and are read when it begins. */
    @Test
    void nothingIsInjectedLater() {
        final Counter counter = a.keep(a.domain.openCounter());
        final long flags = OpFlags.TRIGGER | OpFlags.INJECT;
        assertThat(a.ep.sendMessage(message(8).trigger(counter, 1), flags)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(a.ep.writeMessage(message(8).trigger(counter, 1), flags)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(a.ep.atomic(new AtomicRequest().operation(AtomicOp.MAX, AtomicType.INT8).operands(a.at(0), 1, null)
            .remote(region.base() + 80, region.key()).trigger(counter, 1), flags)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        counter.add(1);
        a.succeeds(() -> a.ep.writeMessage(message(8), OpFlags.INJECT));
        assertThat(a.done).isEmpty();
    }

    /** The first one of those that are due waits for a receive of the peer; a write could go on, and is behind it. */
    @Test
    void whatIsDueKeepsItsOrderBehindAFence() {
        final Counter counter = a.keep(a.domain.openCounter());
        a.post(() -> a.ep.send(a.at(0), 8, local, 1));
        final Message fenced = message(8).context(2).trigger(counter, 1);
        assertThat(a.ep.sendMessage(fenced, OpFlags.TRIGGER | OpFlags.FENCE)).isZero();
        assertThat(a.ep.writeMessage(message(8).context(3).trigger(counter, 1), OpFlags.TRIGGER)).isZero();
        counter.add(1);
        for (int i = 0; i < 20; i++) {
            a.progress();
        }
        assertThat(a.done).isEmpty();
        b.post(() -> b.ep.receive(b.at(1_000), 8, region, 7));
        b.post(() -> b.ep.receive(b.at(1_000), 8, region, 8));
        for (long context = 1; context <= 3; context++) {
            assertThat(a.next().context()).isEqualTo(context);
        }
    }

    @Test
    void aFenceWaitsForSendsAndWrites() {
        b.post(() -> b.ep.receive(b.at(1_000), 8, region, 7));
        final Message message = message(8);
        a.post(() -> a.ep.writeMessage(message, 0));
        // Nobody has read that it is over, so it is under way here.
        assertThat(a.ep.sendMessage(message, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(a.ep.readMessage(message, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(a.next().kind()).isEqualTo(OperationKind.WRITE);
        assertThat(a.succeeds(() -> a.ep.sendMessage(message, OpFlags.FENCE)).kind()).isEqualTo(OperationKind.SEND);
        assertThat(a.succeeds(() -> a.ep.readMessage(message, OpFlags.FENCE)).kind()).isEqualTo(OperationKind.READ);
        assertThat(a.ep.receiveMessage(message, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EBADFLAGS);
    }

    @Test
    void whatWasNotNegotiatedIsRefused() {
        final Side[] others = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Message message = new Message(1).add(others[0].at(0), 8, null);
        assertThat(others[0].ep.sendMessage(message, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(others[0].ep.writeMessage(message, OpFlags.FENCE)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(others[0].ep.sendMessage(message, OpFlags.TRIGGER)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(others[0].ep.sendMessage(message, OpFlags.DELIVERY_COMPLETE)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
    }

    @Test
    void aWriteThatIsDeliveredIsReadBack() {
        a.fill(0, 9_000, 3);
        for (final int length : new int[] {9_000, 1, 0}) {
            final Done done = a.succeeds(() -> a.ep.writeMessage(message(length), OpFlags.DELIVERY_COMPLETE));
            assertThat(done).extracting(Done::kind, Done::length)
                .containsExactly(OperationKind.WRITE, (long) length);
            b.expect(64, length, 3);
        }
        final MemoryRegion writeOnly = b.register(12, MrAccess.REMOTE_WRITE);
        final Message refused = message(100).remote(writeOnly.base() + 20_000, writeOnly.key());
        a.fails(FiErrno.FI_EACCES, () -> a.ep.writeMessage(refused, OpFlags.DELIVERY_COMPLETE));
        a.succeeds(() -> a.ep.writeMessage(refused, 0));
        b.expect(20_000, 100, 3);
        a.succeeds(() -> a.ep.writeMessage(message(9_000), OpFlags.DELIVERY_COMPLETE));
        assertThat(a.ep.writeMessage(message(8), OpFlags.DELIVERY_COMPLETE | 1L << 60))
            .isEqualTo(-FiErrno.FI_EBADFLAGS);
    }
}
