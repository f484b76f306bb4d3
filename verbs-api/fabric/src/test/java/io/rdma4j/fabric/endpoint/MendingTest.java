/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.RmaArrivals;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;
import io.rdma4j.verbs.pvrdma.EmulatedTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a refused access does to whom: an error at its initiator, and nothing else. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MendingTest {
    @RegisterExtension
    final Sides sides = new Sides();

    /** The target's application reads its queue only at the end. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void closedRegionIsAnErrorAtThePeerAlone(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.register(0x77);
        final MemoryRegion kept = b.register(1);
        final MemoryRegion local = b.local();
        b.post(() -> b.ep.receive(b.at(4096), 64, local, 20));
        final long keptKey = mode.key(a, kept);
        for (int round = 0; round < 5; round++) {
            final MemoryRegion region = b.register(2 + round);
            final long key = mode.key(a, region);
            final long there = region.base();
            a.succeeds(() -> a.ep.write(a.at(0), 64, desc, there, key, 1));
            region.close();
            final Done refused = a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 64, desc, there, key, 2));
            assertThat(refused.kind()).isEqualTo(OperationKind.WRITE);
            assertThat(refused.context()).isEqualTo(2);
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.read(a.at(0), 64, desc, there, key, 3));
            a.succeeds(() -> a.ep.write(a.at(0), 64, desc, kept.base(), keptKey, 4));
            assertThat(a.ep.isConnected()).isTrue();
            assertThat(b.ep.isConnected()).isTrue();
            mode.release(a, key);
        }
        a.succeeds(() -> a.ep.send(a.at(0), 64, desc, 5));
        assertThat(b.next().context()).isEqualTo(20);
        final long back = mode.key(b, desc);
        b.succeeds(() -> b.ep.read(b.at(0), 64, local, desc.base(), back, 21));
        mode.release(a, keptKey);
        mode.release(b, back);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whatIsBehindIsCarriedOutInOrder(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion kept = b.register(1);
        final MemoryRegion closed = b.register(2);
        final long good = mode.key(a, kept);
        final long bad = mode.key(a, closed);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, closed.base(), bad, 0));
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, kept.base(), good, 0));
        final long badBase = closed.base();
        closed.close();
        for (int i = 1; i <= 15; i++) {
            final int context = i;
            a.bytes.putLong(8 * i, i);
            final int code = i % 4 == 2 ? a.ep.write(a.at(8 * i), 8, desc, badBase, bad, context)
                : a.ep.writeWithData(a.at(8 * i), 8, desc, i, kept.base() + 1024 + 8L * i, good, context);
            assertThat(code).isZero();
        }
        for (int i = 1; i <= 15; i++) {
            final Done one = a.next();
            assertThat(one.context()).as(one.toString()).isEqualTo(i);
            assertThat(one.errno()).as(one.toString()).isEqualTo(i % 4 == 2 ? FiErrno.FI_EKEYREJECTED : 0);
        }
        for (int i = 1; i <= 15; i++) {
            if (i % 4 != 2) {
                assertThat(b.next().data()).isEqualTo(i);
                assertThat(b.bytes.getLong(1024 + 8 * i)).isEqualTo(i);
            }
        }
        mode.release(a, good);
        mode.release(a, bad);
    }

    @Test
    void aLaneThatIsLostEndsMessages() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion there = b.register(1);
        assertThat(a.ep.receive(a.at(0), 8, desc, 1)).isZero();
        b.ep.close();
        assertThat(a.ep.read(a.at(16), 8, desc, there.base(), there.key(), 2)).isZero();
        final List<Done> ended = List.of(a.nextAfterSilence(), a.nextAfterSilence());
        assertThat(ended).extracting(Done::context).containsExactlyInAnyOrder(1L, 2L);
        assertThat(ended).as("the one that was waited for").filteredOn(done -> done.context() == 1)
            .extracting(Done::error).containsOnly("FI_ECANCELED");
        assertThat(a.ep.receive(a.at(0), 8, desc, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(a.ep.send(a.at(0), 8, desc, 4)).isEqualTo(-FiErrno.FI_ENOTCONN);
    }

    /** The device refuses one of the steps by which messages go on: all of them are over, and told. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void messagesThatCannotGoOnAreOver(final int stepsBefore) {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion gone = a.local();
        final MemoryRegion desc = a.local();
        final MemoryRegion there = b.local();
        for (int context = 100; context <= 101; context++) {
            assertThat(a.ep.receive(a.at(8192), 64, desc, context)).isZero();
        }
        assertThat(a.ep.send(a.at(0), 8, gone, 1)).isZero();
        assertThat(a.ep.send(a.at(0), 8, desc, 2)).isZero();
        gone.close();
        EmulatedCommands.refuseAfter(a.context, Command.MODIFY_QP, stepsBefore);
        assertThat(b.ep.receive(b.at(0), 64, there, 3)).isZero();
        final List<Done> ended = List.of(a.next(), a.next(), a.next(), a.next());
        assertThat(ended).extracting(Done::context).containsExactlyInAnyOrder(1L, 2L, 100L, 101L);
        assertThat(ended).extracting(Done::error).containsExactlyInAnyOrder("FI_EFAULT", "FI_ECANCELED",
            "FI_ECANCELED", "FI_ECANCELED");
        assertThat(a.ep.isConnected()).isFalse();
        assertThat(a.ep.receive(a.at(0), 8, desc, 4)).isEqualTo(-FiErrno.FI_ENOTCONN);
        a.bytes.setMemory(8192, 64, (byte) 0x55);
        assertThat(b.ep.send(b.at(0), 8, there, 5)).isZero();
        for (int i = 0; i < 64; i++) {
            assertThat(a.bytes.getByte(8192 + i)).isEqualTo((byte) 0x55);
        }
    }

    /** Its thread that mends has no processor for longer than all tries take, as on a machine that is too busy. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void aPeerThatMendsLateIsWaitedFor(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion kept = b.register(1);
        final MemoryRegion closed = b.register(2);
        final long good = mode.key(a, kept);
        final long bad = mode.key(a, closed);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, closed.base(), bad, 0));
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, kept.base(), good, 0));
        final long badBase = closed.base();
        closed.close();
        b.bytes.putLong(8, 0);
        final RmaArrivals arrivals = ((FabricCompletionQueue) b.cq).arrivals(0);
        arrivals.hold();
        try {
            assertThat(a.ep.write(a.at(0), 8, desc, badBase, bad, 1)).isZero();
            assertThat(a.ep.fetchAdd(a.at(64), desc, 1, kept.base() + 8, good, 2)).isZero();
            for (int life = 1; life <= 3; life++) {
                final int lives = life;
                a.until(() -> {
                    EmulatedTime.pass(a.context);
                    return ((FabricEndpoint) a.ep).mended() == lives;
                });
            }
        } finally {
            arrivals.letGo();
        }
        final Done refused = a.next();
        assertThat(refused.context()).as(refused.toString()).isEqualTo(1);
        assertThat(refused.error()).isEqualTo(FiErrno.name(FiErrno.FI_EKEYREJECTED));
        final Done added = a.next();
        assertThat(added.context()).as(added.toString()).isEqualTo(2);
        assertThat(added.errno()).as(added.toString()).isZero();
        assertThat(b.bytes.getLong(8)).as("once").isEqualTo(1);
        mode.release(a, good);
        mode.release(a, bad);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aPeerThatNeverMendsIsGivenUp(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion closed = b.register(2);
        final long bad = mode.key(a, closed);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, closed.base(), bad, 0));
        final long badBase = closed.base();
        closed.close();
        final RmaArrivals arrivals = ((FabricCompletionQueue) b.cq).arrivals(0);
        arrivals.hold();
        try {
            assertThat(a.ep.write(a.at(0), 8, desc, badBase, bad, 1)).isZero();
            assertThat(a.nextAfterSilence().errno()).isNotZero();
            a.until(() -> a.ep.write(a.at(0), 8, desc, badBase, bad, 2) == -FiErrno.FI_ENOTCONN);
        } finally {
            arrivals.letGo();
        }
        mode.release(a, bad);
    }

    @Test
    void keyOfANewRegionIsFoundAgain() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        a.bytes.putLong(0, 4711);
        try (PinnedMemory other = b.domain.allocate(8192)) {
            final MemoryRegion first = b.register(5);
            a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 16, 5, 1));
            first.close();
            b.bytes.putLong(16, 0);
            final MemoryRegion second = b.domain.register(new MrAttributes().buffer(other)
                .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(5));
            for (int i = 0; i < 10; i++) {
                final int context = i;
                assertThat(a.ep.write(a.at(0), 8, desc, 16 + 8L * i, 5, context)).isZero();
            }
            for (int i = 0; i < 10; i++) {
                final Done one = a.next();
                assertThat(one.errno()).as(one.toString()).isZero();
                assertThat(one.context()).isEqualTo(i);
                assertThat(other.buffer().getLong(16 + 8 * i)).isEqualTo(4711);
            }
            assertThat(b.bytes.getLong(16)).isZero();
            second.close();
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, 16, 5, 1));
            final MemoryRegion third = b.register(5);
            a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 16, 5, 2));
            assertThat(b.bytes.getLong(16)).isEqualTo(4711);
            third.close();
        }
    }

    /** What an old one would object to is looked up for the operation at hand, however the old one was found. */
    @Test
    void aNewRegionMayHaveMoreThanTheOldOneOfItsKey() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        try (PinnedMemory other = b.domain.allocate(4096)) {
            final MemoryRegion small = b.domain.register(new MrAttributes().buffer(other.address(), 64, other)
                .access(MrAccess.REMOTE_WRITE).requestedKey(5));
            a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 0, 5, 1));
            small.close();
            final MemoryRegion large = b.domain.register(new MrAttributes().buffer(other.address(), 128, other)
                .access(MrAccess.REMOTE_WRITE).requestedKey(5));
            a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 96, 5, 2));
            large.close();
            final MemoryRegion readable = b.domain.register(new MrAttributes().buffer(other.address(), 128, other)
                .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(5));
            a.succeeds(() -> a.ep.read(a.at(0), 8, desc, 96, 5, 3));
            readable.close();
        }
    }

    @Test
    void unknownKeysWrongRightsAndBoundsBreakNothing() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        b.register(1, MrAccess.REMOTE_READ);
        b.register(2, MrAccess.REMOTE_WRITE);
        for (int i = 0; i < 3; i++) {
            final int offset = i;
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, 0, 99, 1));
            a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 8, desc, 0, 1, 2));
            a.fails(FiErrno.FI_EACCES, () -> a.ep.fetchAdd(a.at(0), desc, 1, 0, 1, 2));
            a.fails(FiErrno.FI_EACCES, () -> a.ep.read(a.at(0), 8, desc, 0, 2, 3));
            a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, desc, Side.SIZE - 7 + offset, 2, 4));
            a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, desc, -1, 2, 5));
            a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, desc, Long.MIN_VALUE, 2, 5));
            a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, desc, Long.MAX_VALUE, 2, 5));
            a.succeeds(() -> a.ep.write(a.at(0), 8, desc, Side.SIZE - 8, 2, 6));
            a.succeeds(() -> a.ep.read(a.at(0), 8, desc, Side.SIZE - 8, 1, 7));
        }
        assertThat(((FabricEndpoint) a.ep).mended()).isZero();
        // Failures of looked up keys come in their order, too.
        assertThat(a.ep.read(a.at(0), 8, desc, 0, 1, 1)).isZero();
        a.post(() -> a.ep.read(a.at(0), 8, desc, 0, 98, 2));
        a.post(() -> a.ep.read(a.at(0), 8, desc, 0, 1, 3));
        assertThat(a.next().context()).isEqualTo(1);
        assertThat(a.next().errno()).isEqualTo(FiErrno.FI_EKEYREJECTED);
        assertThat(a.next().context()).isEqualTo(3);
    }

    @Test
    void disabledRegionsCannotBeReachedUntilTheyAreEnabled() {
        final Side[] both = sides.pair(() -> new Hints()
            .capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT)
            .mrMode(MrMode.ALLOCATED, MrMode.RMA_EVENT).demand(MrMode.RMA_EVENT));
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.keep(b.domain.register(new MrAttributes().buffer(b.memory)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(3).flags(MrFlag.RMA_EVENT)));
        assertThat(region.isEnabled()).isFalse();
        final Done refused = a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 8, desc, 0, 3, 1));
        assertThat(refused.text()).contains("disabled");
        region.enable();
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 0, 3, 2));
        assertThat(((FabricEndpoint) a.ep).mended()).isZero();
    }

    /**
     * Operations wait for the peer to read its queue while the memory of some of them goes. Those that use other memory
     * are carried out once each, in order.
     */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void closedLocalRegionFailsOnlyWhatUsesIt(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = b.register(3);
        final long key = mode.key(a, region);
        final long base = region.base();
        final MemoryRegion gone = a.local();
        final MemoryRegion desc = a.local();
        for (int i = -16; i < 0; i++) {
            final int data = i;
            a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, data, base, key, data));
        }
        for (int i = 0; i < 16; i++) {
            final MemoryRegion memory = i % 5 == 2 ? gone : desc;
            assertThat(post(a, i, memory, base, key)).isZero();
        }
        gone.close();
        for (int i = -16; i < 0; i++) {
            assertThat(b.next().data()).isEqualTo(i);
        }
        for (int i = 0; i < 16; i++) {
            final Done one = a.next();
            assertThat(one.context()).as(one.toString()).isEqualTo(i);
            assertThat(FiErrno.name(one.errno())).as(one.toString())
                .isEqualTo(FiErrno.name(i % 5 == 2 ? FiErrno.FI_EFAULT : 0));
            if (i % 5 != 2 && i % 3 == 0) {
                assertThat(b.next().data()).isEqualTo(i);
                assertThat(b.bytes.getLong(1024 + 8 * i)).isEqualTo(i);
            }
        }
        assertThat(b.bytes.getLong(8)).as("1, 4, 10 and 13 add").isEqualTo(4);
        assertThat(a.bytes.getLong(2048 + 8 * 13)).as("before the last one").isEqualTo(3);
        assertThat(((FabricEndpoint) a.ep).mended()).isEqualTo(3);
        assertThat(((FabricEndpoint) b.ep).mended()).isZero();
        mode.release(a, key);
    }

    /** A write with data, an addition, a read, and from the start. */
    private static int post(
        final Side a, final int i, final MemoryRegion memory, final long base, final long key) {
        a.bytes.putLong(1024 + 8 * i, i);
        return switch (i % 3) {
            case 0 -> a.ep.writeWithData(a.at(1024 + 8 * i), 8, memory, i, base + 1024 + 8L * i, key, i);
            case 1 -> a.ep.fetchAdd(a.at(2048 + 8 * i), memory, 1, base + 8, key, i);
            default -> a.ep.read(a.at(4096 + 8 * i), 8, memory, base, key, i);
        };
    }

    /** Sends wait for a receive while the memory of some of them goes; the others arrive once each, in order. */
    @Test
    void closedLocalRegionFailsOnlyTheSendsThatUseIt() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion gone = a.local();
        final MemoryRegion desc = a.local();
        final MemoryRegion there = b.local();
        for (int i = 0; i < 8; i++) {
            final int context = 100 + i;
            a.post(() -> a.ep.receive(a.at(8192 + 64 * context), 64, desc, context));
        }
        for (int i = 0; i < 16; i++) {
            a.bytes.putLong(64 * i, i);
            a.bytes.putLong(64 * i + 32, -i);
            assertThat(send(a, i, i % 5 == 2 ? gone : desc, desc)).isZero();
        }
        gone.close();
        int next = 0;
        for (int i = 0; i < 16; i++) {
            if (i % 5 != 2) {
                final int context = i;
                b.post(() -> b.ep.receive(b.at(64 * context), 64, there, context));
            }
        }
        for (int i = 0; i < 16; i++) {
            if (i % 4 != 3 || i % 5 == 2) {
                final Done one = a.next();
                assertThat(one.context()).as(one.toString()).isEqualTo(i);
                assertThat(FiErrno.name(one.errno())).as(one.toString())
                    .isEqualTo(FiErrno.name(i % 5 == 2 ? FiErrno.FI_EFAULT : 0));
            }
            if (i % 5 != 2) {
                final Done received = b.next();
                assertThat(received.context()).as(received.toString()).isEqualTo(i);
                assertThat(received.length()).isEqualTo(i % 4 == 2 ? 16 : 8);
                assertThat(received.hasData()).isEqualTo(i % 4 == 1);
                assertThat(b.bytes.getLong(64 * i)).isEqualTo(i);
                assertThat(b.bytes.getLong(64 * i + 8)).isEqualTo(i % 4 == 2 ? -i : 0);
                next++;
            }
        }
        assertThat(next).isEqualTo(13);
        assertThat(((FabricEndpoint) a.ep).mended()).isEqualTo(3);
        assertThat(((FabricEndpoint) b.ep).mended()).isZero();
        for (int i = 0; i < 8; i++) {
            final int context = 100 + i;
            b.bytes.putLong(0, context);
            b.succeeds(() -> b.ep.send(b.at(0), 8, there, context));
            assertThat(a.next().context()).as("a receive from before").isEqualTo(context);
            assertThat(a.bytes.getLong(8192 + 64 * context)).isEqualTo(context);
        }
        assertThat(a.ep.isConnected()).isTrue();
    }

    /** Plain, with data, of two buffers, and injected, which uses no region and completes without a word. */
    private static int send(final Side a, final int i, final MemoryRegion memory, final MemoryRegion second) {
        return switch (i % 4) {
            case 0 -> a.ep.send(a.at(64 * i), 8, memory, i);
            case 1 -> a.ep.sendWithData(a.at(64 * i), 8, memory, i, i);
            case 2 -> a.ep.sendMessage(new Message(2).add(a.at(64 * i), 8, memory).add(a.at(64 * i + 32), 8, second)
                .context(i), 0);
            default -> i % 5 == 2 ? a.ep.send(a.at(64 * i), 8, memory, i) : a.ep.inject(a.bytes, 64 * i, 8);
        };
    }

    /** The peer sends while this side's messages are being mended: it gets through. */
    @Test
    void messagesOfThePeerComeThroughAFailureOfThisSide() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion there = b.local();
        for (int round = 1; round <= 5; round++) {
            final MemoryRegion gone = a.local();
            final int n = round;
            a.post(() -> a.ep.receive(a.at(4096), 64, desc, 10));
            a.post(() -> a.ep.receive(a.at(4160), 64, desc, 11));
            b.post(() -> b.ep.send(b.at(0), 8, there, 20));
            assertThat(b.next().errno()).isZero();
            // Waits for a receive, and fails when that is there.
            assertThat(a.ep.send(a.at(0), 8, desc, 1)).isZero();
            assertThat(a.ep.send(a.at(0), 8, gone, 2)).isZero();
            assertThat(a.ep.send(a.at(0), 8, desc, 3)).isZero();
            gone.close();
            b.post(() -> b.ep.receive(b.at(4096), 64, there, 21));
            assertThat(b.next().context()).isEqualTo(21);
            b.bytes.putLong(0, n);
            b.post(() -> b.ep.send(b.at(0), 8, there, 22));
            b.post(() -> b.ep.receive(b.at(4096), 64, there, 23));
            final List<Long> seen = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                final Done one = a.next();
                assertThat(one.errno()).as(one.toString()).isEqualTo(one.context() == 2 ? FiErrno.FI_EFAULT : 0);
                seen.add(one.context());
            }
            assertThat(seen).contains(1L, 2L, 3L, 10L, 11L);
            assertThat(a.bytes.getLong(4160)).isEqualTo(n);
            assertThat(List.of(b.next().context(), b.next().context())).containsExactlyInAnyOrder(22L, 23L);
            assertThat(((FabricEndpoint) a.ep).mended()).isEqualTo(round);
        }
    }

    /** The queue of receives is read first, in which nothing tells why they were flushed. */
    @Test
    void receivesThatWereFlushedStayUntilItIsKnownWhy() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Side b = sides.open(Mode.PROV_KEY_VIRT.hints());
        final MemoryRegion gone = a.local();
        final MemoryRegion desc = a.local();
        final MemoryRegion there = b.local();
        final List<Done> received = new ArrayList<>();
        try (CompletionQueue arrivals = a.domain.openCompletionQueue(64);
            MsgEndpoint ep = a.domain.openEndpoint(
                new EndpointOptions().completionQueues(a.cq, arrivals).sizes(16, 16))) {
            ep.connect(b.ep.name());
            b.ep.connect(ep.name());
            for (int i = 0; i < 3; i++) {
                assertThat(ep.receive(a.at(4096), 64, desc, 10 + i)).isZero();
            }
            assertThat(ep.send(a.at(0), 8, desc, 1)).isZero();
            assertThat(ep.send(a.at(0), 8, gone, 2)).isZero();
            gone.close();
            b.post(() -> b.ep.receive(b.at(0), 64, there, 20));
            assertThat(b.next().context()).isEqualTo(20);
            assertThat(arrivals.read(entry -> received.add(Done.of(entry)), 16)).isZero();
            assertThat(ep.receive(a.at(4096), 64, desc, 14)).as("for a moment").isEqualTo(-FiErrno.FI_EAGAIN);
            assertThat(a.next().errno()).isZero();
            assertThat(a.next().errno()).isEqualTo(FiErrno.FI_EFAULT);
            a.until(() -> ((FabricEndpoint) ep).mended() == 1);
            for (int i = 0; i < 3; i++) {
                final int count = i + 1;
                b.succeeds(() -> b.ep.send(b.at(0), 8, there, 21));
                a.until(() -> {
                    arrivals.read(entry -> received.add(Done.of(entry)), 16);
                    return received.size() == count;
                });
                assertThat(received.get(i).context()).as(received.toString()).isEqualTo(10 + i);
                assertThat(received.get(i).errno()).isZero();
            }
        }
    }

    @Test
    void arrivalsFromBeforeAreNotLost() {
        final Side[] both = sides.pair(Mode.PROV_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion kept = b.register(0);
        int sent = 0;
        for (int round = 0; round < 5; round++) {
            final MemoryRegion closed = b.register(0);
            final long key = closed.key();
            closed.close();
            for (int i = 0; i < 3; i++) {
                final int data = sent++;
                a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, data, 0, kept.key(), 1));
            }
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, 0, key, 1));
        }
        for (int i = 0; i < sent; i++) {
            assertThat(b.next().data()).isEqualTo(i);
        }
        // All receives are there again.
        for (int i = 0; i < 16; i++) {
            final int data = i;
            a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, data, 0, kept.key(), 1));
        }
        b.until(() -> ((FabricEndpoint) b.ep).mended() >= 5); // Counted after it is reachable again.
        assertThat(((FabricEndpoint) b.ep).mended()).isEqualTo(5);
    }

    @Test
    void tooLongAMessageEndsTheMessagesAndNotTheRest() {
        final Side[] both = sides.pair(Mode.PROV_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        final MemoryRegion local = b.local();
        b.post(() -> b.ep.receive(b.at(0), 8, local, 1));
        b.post(() -> b.ep.receive(b.at(8), 8, local, 2));
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.send(a.at(0), 9, desc, 1));
        assertThat(b.next()).as("the device does not tell what it has written")
            .extracting(Done::errno, Done::length, Done::overflow).containsExactly(FiErrno.FI_ETRUNC, 0L, 0L);
        assertThat(b.next().errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(a.ep.isConnected()).isFalse();
        assertThat(b.ep.isConnected()).isFalse();
        assertThat(a.ep.send(a.at(0), 8, desc, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(b.ep.receive(b.at(0), 8, local, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 0, region.key(), 1));
    }

    /** Somebody else hears what the device has to say: the lane of the end that refuses stays broken. */
    @Test
    void withoutAListenerTheRmaIsLostAndMessagesGoOn() {
        final RdmaContext deaf = sides.device("");
        try (AsyncEventSubscription other = deaf.listen(event -> { })) {
            final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
            final Side b = sides.open(deaf, Mode.PROV_KEY_VIRT.hints(), new EndpointOptions().sizes(16, 16));
            Side.connect(a, b);
            final MemoryRegion desc = a.register(0);
            final MemoryRegion region = b.register(0);
            final MemoryRegion closed = b.register(0);
            final long key = closed.key();
            closed.close();
            assertThat(a.ep.write(a.at(0), 8, desc, region.base(), key, 1)).isZero();
            assertThat(a.ep.write(a.at(0), 8, desc, region.base(), region.key(), 2)).isZero();
            assertThat(a.next().errno()).isEqualTo(FiErrno.FI_EACCES);
            final Done behind = a.next();
            assertThat(behind.errno()).isEqualTo(FiErrno.FI_ECANCELED);
            assertThat(behind.text()).contains("cannot be mended");
            assertThat(a.ep.isConnected()).isFalse();
            assertThat(a.ep.write(a.at(0), 8, desc, region.base(), region.key(), 3))
                .isEqualTo(-FiErrno.FI_ENOTCONN);
            b.post(() -> b.ep.receive(b.at(0), 8, null, 4));
            a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 5));
            assertThat(b.next().context()).isEqualTo(4);
            // The other direction has not failed, and is mended by the end that hears.
            b.fails(FiErrno.FI_EKEYREJECTED,
                () -> b.ep.write(b.at(0), 8, null, desc.base(), 0x7fff_fff0L, 6));
            b.succeeds(() -> b.ep.write(b.at(0), 8, null, desc.base(), desc.key(), 7));
            assertThat(other.isClosed()).isFalse();
        }
    }
}
