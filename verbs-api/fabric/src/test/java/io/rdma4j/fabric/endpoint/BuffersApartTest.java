/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.testing.Done;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;

/** A region of buffers that lie anywhere (checklist 2): the device has it as several, the application as one. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BuffersApartTest {
    private static final MrAccess[] LOCAL = {MrAccess.SEND, MrAccess.RECV, MrAccess.READ, MrAccess.WRITE};
    /** Begin and length; the second and the third share pages, nothing begins or ends at one. */
    private static final int[][] BUFFERS = {{24584, 104}, {8200, 44}, {8400, 3000}, {4104, 16}};

    private static final int LENGTH = 104 + 44 + 3000 + 16;

    @RegisterExtension
    final Sides sides = new Sides();

    private static MrAttributes apart(final Side side) {
        final MrAttributes attributes = new MrAttributes().requestedKey(7);
        for (final int[] buffer : BUFFERS) {
            attributes.buffer(side.at(buffer[0]), buffer[1], side.memory);
        }
        return attributes;
    }

    private static void fill(final Side side, final int offset, final int length) {
        for (int i = 0; i < length; i++) {
            side.bytes.putByte(offset + i, (byte) (i * 7 + 1));
        }
    }

    private static void expect(final Side side, final int offset, final int from, final int length) {
        for (int i = 0; i < length; i++) {
            assertThat(side.bytes.getByte(offset + i)).as("byte %d", from + i).isEqualTo((byte) ((from + i) * 7 + 1));
        }
    }

    @Test
    void eachBufferIsSentReceivedReadAndWrittenByTheOneDescriptor() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion here = a.keep(a.domain.register(apart(a).access(LOCAL)));
        final MemoryRegion there = b.keep(b.domain.register(apart(b).access(LOCAL)));
        final MemoryRegion whole = b.register(9);
        for (final int[] buffer : BUFFERS) {
            final int at = buffer[0];
            final int length = buffer[1];
            fill(a, at, length);
            b.post(() -> b.ep.receive(b.at(at), length, there, 1));
            a.succeeds(() -> a.ep.send(a.at(at), length, here, 2));
            assertThat(b.next().length()).isEqualTo(length);
            expect(b, at, 0, length);
            a.succeeds(() -> a.ep.write(a.at(at), length, here, whole.base() + 40_000, whole.key(), 3));
            expect(b, 40_000, 0, length);
            a.bytes.setMemory(at, length, (byte) 0);
            a.succeeds(() -> a.ep.read(a.at(at), length, here, whole.base() + 40_000, whole.key(), 4));
            expect(a, at, 0, length);
            assertThat(a.ep.send(a.at(at), length + 1, here, 5)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.send(a.at(at - 1), length, here, 5)).isEqualTo(-FiErrno.FI_EINVAL);
        }
    }

    @Test
    void aMessageMayHaveSeveralOfThem() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion here = a.keep(a.domain.register(apart(a).access(LOCAL)));
        final MemoryRegion there = b.keep(b.domain.register(apart(b).access(LOCAL)));
        fill(a, 8200, 40);
        fill(a, 8410, 60);
        b.bytes.setMemory(0, 30_000, (byte) 0);
        b.post(() -> b.ep.receiveMessage(new Message(2).add(b.at(24_600), 50, there).add(b.at(8400), 50, there), 0));
        a.succeeds(() -> a.ep.sendMessage(new Message(2).add(a.at(8200), 40, here).add(a.at(8410), 60, here),
            OpFlags.COMPLETION));
        assertThat(b.next().length()).isEqualTo(100);
        expect(b, 24_600, 0, 40);
        expect(b, 24_640, 0, 10);
        expect(b, 8400, 10, 50);
    }

    private static MemoryRegion lent(final Side side) {
        return side.keep(side.domain.register(apart(side).access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE)));
    }

    private static void expectAll(final Side side) {
        int from = 0;
        for (final int[] buffer : BUFFERS) {
            expect(side, buffer[0], from, buffer[1]);
            assertThat(side.bytes.getByte(buffer[0] - 1)).as("before %d", buffer[0]).isZero();
            assertThat(side.bytes.getByte(buffer[0] + buffer[1])).as("behind %d", buffer[0]).isZero();
            from += buffer[1];
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void peersSeeOneRange(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = lent(b);
        final MemoryRegion desc = a.local();
        final long key = mode.key(a, region);
        final long base = region.base();
        fill(a, 0, LENGTH);
        a.succeeds(() -> a.ep.write(a.at(0), LENGTH, desc, base, key, 1));
        expectAll(b);
        a.succeeds(() -> a.ep.read(a.at(10_000), LENGTH, desc, base, key, 2));
        expect(a, 10_000, 0, LENGTH);
        a.succeeds(() -> a.ep.read(a.at(20_000), 60, desc, base + 90, key, 3));
        expect(a, 20_000, 90, 60);
        b.bytes.setMemory(0, 30_000, (byte) 0);
        assertThat(a.succeeds(() -> a.ep.writeWithData(a.at(0), LENGTH, desc, 77, base, key, 4)).hasData()).isFalse();
        assertThat(b.next().data()).as("once").isEqualTo(77);
        expectAll(b);
        b.bytes.putLong(8200, 40);
        a.succeeds(() -> a.ep.fetchAdd(a.at(40_000), desc, 2, base + 104, key, 5));
        assertThat(b.bytes.getLong(8200)).isEqualTo(42);
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.fetchAdd(a.at(40_000), desc, 2, base + 144, key, 6));
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 2, desc, base + LENGTH - 1, key, 7));
        assertThat(b.done).as("no second event").isEmpty();
        mode.release(a, key);
    }

    @Test
    void buffersOfBothSidesNeedNotMatch() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = lent(b);
        final MemoryRegion desc = a.local();
        fill(a, 0, LENGTH);
        a.bytes.putBytes(50_000, a.bytes, 120, LENGTH - 120);
        a.succeeds(() -> a.ep.writeMessage(new Message(2).add(a.at(0), 120, desc)
            .add(a.at(50_000), LENGTH - 120, desc).remote(region.base(), region.key()), OpFlags.COMPLETION));
        expectAll(b);
        a.succeeds(() -> a.ep.readMessage(new Message(2).add(a.at(30_000), 3000, desc)
            .add(a.at(20_000), LENGTH - 3000, desc).remote(region.base(), region.key()), OpFlags.COMPLETION));
        expect(a, 30_000, 0, 3000);
        expect(a, 20_000, 3000, LENGTH - 3000);
    }

    @Test
    void moreThanTheQueueHoldsAtOnceWaitsAndMoreThanItEverHoldsIsRefused() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MrAttributes attributes = new MrAttributes().access(MrAccess.REMOTE_WRITE).requestedKey(3);
        for (int i = 0; i < 100; i++) {
            attributes.buffer(b.at(i * 100 + 8), 16, b.memory);
        }
        final MemoryRegion region = b.keep(b.domain.register(attributes));
        fill(a, 0, 1600);
        for (int i = 0; i < 10; i++) {
            final int from = i * 16;
            a.post(() -> a.ep.write(a.at(from), 40 * 16, desc, region.base() + from, region.key(), 1));
            a.post(() -> a.ep.write(a.at(from), 1, desc, region.base() + from, region.key(), 2));
        }
        for (int i = 0; i < 20; i++) {
            final Done done = a.next();
            assertThat(done.errno()).as(done.toString()).isZero();
            assertThat(done.context()).isEqualTo(1 + i % 2);
        }
        for (int i = 0; i < 49; i++) {
            expect(b, i * 100 + 8, i * 16, 16);
        }
        assertThat(a.ep.write(a.at(0), 1600, desc, region.base(), region.key(), 3)).isEqualTo(-FiErrno.FI_EMSGSIZE);
    }

    /** The peer's table is looked up again, and operations behind the refused one are posted again. */
    @Test
    void aRegionThatWasReplacedIsFoundAgain() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        a.others.add(b);
        final MemoryRegion desc = a.local();
        final MemoryRegion first = lent(b);
        fill(a, 0, LENGTH);
        a.succeeds(() -> a.ep.write(a.at(0), LENGTH, desc, 0, 7, 1));
        first.close();
        b.bytes.setMemory(0, 60_000, (byte) 0);
        b.keep(b.domain.register(new MrAttributes().access(MrAccess.REMOTE_WRITE).requestedKey(7)
            .buffer(b.at(40_001), 1000).buffer(b.at(50_001), LENGTH - 1000)));
        for (int i = 0; i < 3; i++) {
            a.post(() -> a.ep.write(a.at(0), LENGTH, desc, 0, 7, 1));
        }
        for (int i = 0; i < 3; i++) {
            final Done done = a.next();
            assertThat(done.errno()).as(done.toString()).isZero();
        }
        expect(b, 40_001, 0, 1000);
        expect(b, 50_001, 1000, LENGTH - 1000);
        assertThat(b.bytes.getByte(BUFFERS[0][0])).as("where the first region was").isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"PROV_KEY_OFFSETS", "APPLICATION_KEY_OFFSETS", "RAW_OFFSETS"})
    void aWriteIntoAllOfThemIsCountedOnce(final Mode mode) {
        final Side[] both = sides.pair(() -> mode.hints().capabilities(Capability.MSG, Capability.RMA,
            Capability.ATOMIC, Capability.RMA_EVENT));
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = lent(b);
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            final MemoryRegion desc = a.local();
            final long key = mode.key(a, region);
            fill(a, 0, LENGTH);
            a.succeeds(() -> a.ep.write(a.at(0), LENGTH, desc, 0, key, 1));
            expectAll(b);
            assertThat(counter.read()).isEqualTo(1);
            a.succeeds(() -> a.ep.read(a.at(0), LENGTH, desc, 0, key, 2));
            a.succeeds(() -> a.ep.write(a.at(0), 0, desc, 0, key, 3));
            assertThat(counter.read()).as("neither has changed anything").isEqualTo(1);
            mode.release(a, key);
        }
    }

    @Test
    void aRefreshedRegionIsReachedInAllOfThem() {
        final Side[] both = sides.pair(() -> Mode.APPLICATION_KEY_OFFSETS.hints().mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = lent(b);
        fill(a, 0, LENGTH);
        a.succeeds(() -> a.ep.write(a.at(0), LENGTH, desc, region.base(), region.key(), 1));
        region.refresh();
        b.bytes.setMemory(0, 30_000, (byte) 0);
        a.succeeds(() -> a.ep.write(a.at(0), LENGTH, desc, region.base(), region.key(), 2));
        expectAll(b);
    }

    @Test
    void aRegionThatIsEnabledLateIsReachedInAllOfThem() {
        final Side[] both = sides.pair(() -> new Hints()
            .capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT)
            .mrMode(MrMode.ALLOCATED, MrMode.RMA_EVENT).demand(MrMode.RMA_EVENT));
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.keep(b.domain.register(
            apart(b).access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).flags(MrFlag.RMA_EVENT)));
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            region.enable();
            fill(a, 0, LENGTH);
            a.succeeds(() -> a.ep.write(a.at(0), LENGTH, desc, region.base(), region.key(), 1));
            expectAll(b);
            assertThat(counter.read()).isEqualTo(1);
        }
    }

    @Test
    void aRawKeyOfARegionThatIsGoneIsRefused() {
        final Side[] both = sides.pair(Mode.RAW_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        a.others.add(b);
        final MemoryRegion desc = a.local();
        final MemoryRegion region = lent(b);
        final long key = Mode.RAW_OFFSETS.key(a, region);
        region.close();
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 10, desc, 0, key, 1));
        Mode.RAW_OFFSETS.release(a, key);
    }
}
