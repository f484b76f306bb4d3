/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;

/** Each operation in each mode. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OperationsTest {
    private static final int HERE = 512;
    private static final int THERE = 8192;

    @RegisterExtension
    final Sides sides = new Sides();

    /** A refresh keeps peers out for a while; it ends nothing that this side has posted (fi_mr_refresh). */
    @Test
    void receivesThatWerePostedBeforeARefreshTakeTheirMessages() {
        final Side[] both = sides.pair(() -> new Hints().capabilities(Capability.MSG, Capability.RMA)
            .mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final Side from = both[0];
        final Side to = both[1];
        final MemoryRegion region = to.register(7, MrAccess.RECV, MrAccess.REMOTE_WRITE);
        to.post(() -> to.ep.receive(to.at(0), 64, region, 1));
        region.refresh();
        from.fill(0, 8, 3);
        from.succeeds(() -> from.ep.send(from.at(0), 8, null, 2));
        assertThat(to.next().errno()).isZero();
        to.expect(0, 8, 3);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void rmaAndAtomicsWithDescriptors(final Mode mode) {
        everyRma(mode, true);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void rmaAndAtomicsWithoutDescriptors(final Mode mode) {
        everyRma(mode, false);
    }

    private void everyRma(final Mode mode, final boolean described) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = described ? a.local() : null;
        final MemoryRegion region = b.register(0x1234_5678_9abcL);
        if (mode.hasRequestedKeys() && mode != Mode.RAW_VIRT && mode != Mode.RAW_OFFSETS) {
            assertThat(region.key()).isEqualTo(0x1234_5678_9abcL);
        }
        final long key = mode.key(a, region);
        final long there = region.base() + THERE;

        a.bytes.setMemory(HERE, 256, (byte) 0x5a);
        final Done write = a.succeeds(() -> a.ep.write(a.at(HERE), 256, desc, there, key, 1));
        assertThat(write.kind()).isEqualTo(OperationKind.WRITE);
        assertThat(write.context()).isEqualTo(1);
        assertThat(write.length()).isEqualTo(256);
        assertThat(write.endpoint()).isSameAs(a.ep);
        assertThat(b.bytes.getByte(THERE)).isEqualTo((byte) 0x5a);
        assertThat(b.bytes.getByte(THERE + 255)).isEqualTo((byte) 0x5a);
        assertThat(b.bytes.getByte(THERE + 256)).isZero();
        assertThat(b.bytes.getByte(THERE - 1)).isZero();

        b.bytes.putLong(THERE + 8, 0x1122_3344L);
        final Done read = a.succeeds(() -> a.ep.read(a.at(0), 64, desc, there, key, 2));
        assertThat(read.kind()).isEqualTo(OperationKind.READ);
        assertThat(a.bytes.getLong(8)).isEqualTo(0x1122_3344L);

        final Done withData = a.succeeds(() -> a.ep.writeWithData(a.at(HERE), 32, desc, -7, there + 512, key, 3));
        assertThat(withData.kind()).isEqualTo(OperationKind.WRITE);
        assertThat(withData.hasData()).isFalse();
        final Done arrival = b.next();
        assertThat(arrival.kind()).isEqualTo(OperationKind.REMOTE_WRITE);
        assertThat(arrival.data()).isEqualTo(-7);
        assertThat(arrival.hasData()).isTrue();
        assertThat(arrival.length()).isEqualTo(32);
        assertThat(b.bytes.getByte(THERE + 512 + 31)).isEqualTo((byte) 0x5a);

        b.bytes.putLong(THERE + 1024, 40);
        final Done add = a.succeeds(() -> a.ep.fetchAdd(a.at(16), desc, 2, there + 1024, key, 4));
        assertThat(add.kind()).isEqualTo(OperationKind.ATOMIC);
        assertThat(a.bytes.getLong(16)).isEqualTo(40);
        assertThat(b.bytes.getLong(THERE + 1024)).isEqualTo(42);
        a.succeeds(() -> a.ep.compareSwap(a.at(24), desc, 41, 1, there + 1024, key, 5));
        assertThat(a.bytes.getLong(24)).isEqualTo(42);
        assertThat(b.bytes.getLong(THERE + 1024)).isEqualTo(42);
        a.succeeds(() -> a.ep.compareSwap(a.at(24), desc, 42, 1, there + 1024, key, 6));
        assertThat(b.bytes.getLong(THERE + 1024)).isEqualTo(1);
        a.succeeds(() -> a.ep.write(a.at(HERE), 0, desc, there, key, 7));
        mode.release(a, key);
    }

    @ParameterizedTest
    @CsvSource({"true, 1000", "false, 1000", "true, 0", "false, 0"})
    void messages(final boolean described, final int length) {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion from = described ? a.local() : null;
        final MemoryRegion into = described ? b.local() : null;
        a.bytes.setMemory(HERE, 1000, (byte) 0x33);
        b.post(() -> b.ep.receive(b.at(THERE), length, into, 10));
        b.post(() -> b.ep.receive(b.at(THERE + 2000), 2000, into, 11));
        assertThat(a.succeeds(() -> a.ep.send(a.at(HERE), length, from, 1)).kind()).isEqualTo(OperationKind.SEND);
        a.succeeds(() -> a.ep.sendWithData(a.at(HERE), length, from, 99, 2));
        final Done first = b.next();
        final Done second = b.next();
        assertThat(first.kind()).isEqualTo(OperationKind.RECEIVE);
        assertThat(first.context()).isEqualTo(10);
        assertThat(first.length()).isEqualTo(length);
        assertThat(first.hasData()).isFalse();
        assertThat(second.context()).isEqualTo(11);
        assertThat(second.data()).isEqualTo(99);
        assertThat(second.hasData()).isTrue();
        assertThat(b.bytes.getByte(THERE + 2000)).isEqualTo((byte) (length == 0 ? 0 : 0x33));
    }

    @Test
    void manyInOrderThroughFewSlots() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(7);
        a.others.add(b);
        for (int i = 0; i < 500; i++) {
            final int context = i;
            a.bytes.putLong(HERE, i);
            if (i % 3 == 0) {
                a.post(() -> a.ep.writeWithData(a.at(HERE), 8, desc, context, THERE, 7, context));
            } else {
                a.post(() -> a.ep.read(a.at(0), 8, desc, THERE, 7, context));
            }
        }
        for (int i = 0; i < 500; i++) {
            final Done one = a.next();
            assertThat(one.context()).as(one.toString()).isEqualTo(i);
            assertThat(one.errno()).as(one.toString()).isZero();
        }
        for (int i = 0; i < 500; i += 3) {
            assertThat(b.next().data()).isEqualTo(i);
        }
        assertThat(region.isEnabled()).isTrue();
    }

    @Test
    void bothWaysAndWithItself() {
        final Side a = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        final Side b = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        Side.connect(a, b);
        a.register(1);
        b.register(1);
        a.bytes.putLong(0, 1);
        b.bytes.putLong(0, 2);
        a.succeeds(() -> a.ep.write(a.at(0), 8, null, 64, 1, 1));
        b.succeeds(() -> b.ep.write(b.at(0), 8, null, 64, 1, 1));
        assertThat(b.bytes.getLong(64)).isEqualTo(1);
        assertThat(a.bytes.getLong(64)).isEqualTo(2);
        try (MsgEndpoint c = a.domain.openEndpoint(new io.rdma4j.fabric.EndpointOptions().completionQueue(a.cq));
            MsgEndpoint d = a.domain.openEndpoint(new io.rdma4j.fabric.EndpointOptions().completionQueue(a.cq))) {
            c.connect(d.name());
            d.connect(c.name());
            a.bytes.putLong(0, 3);
            assertThat(a.succeeds(() -> c.write(a.at(0), 8, null, 128, 1, 1)).endpoint()).isSameAs(c);
            assertThat(a.bytes.getLong(128)).isEqualTo(3);
        }
    }
}
