/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AtomicAttributes;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.NamedElsewhere;
import io.rdma4j.testing.Allocations;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Atomics by their general form: what the device does itself, and what it is made to do by compare-and-swap. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AtomicsTest {
    private static final int OPERANDS = 256;
    private static final int COMPARE = 512;
    private static final int RESULT = 768;
    private static final int THERE = 8192;

    @RegisterExtension
    final Sides sides = new Sides();

    private Side a;
    private Side b;
    private MemoryRegion region;
    private MemoryRegion local;
    private long key;

    private void open(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        a = both[0];
        b = both[1];
        region = b.register(11);
        local = a.local();
        key = mode.key(a, region);
    }

    private AtomicRequest request(final AtomicOp op, final AtomicType type, final int count, final int at) {
        return new AtomicRequest().operation(op, type).operands(a.at(OPERANDS), count, local)
            .compare(a.at(COMPARE), local).remote(region.base() + at, key).context(7);
    }

    private static long number(final Side from, final AtomicType type, final int at) {
        return switch (type.size()) {
            case 1 -> from.bytes.getByte(at);
            case 2 -> from.bytes.getShort(at);
            case 4 -> from.bytes.getInt(at);
            default -> from.bytes.getLong(at);
        };
    }

    private static long[] numbers(final Side from, final AtomicType type, final int at, final int count) {
        final long[] all = new long[count];
        Arrays.setAll(all, i -> number(from, type, at + i * type.size()));
        return all;
    }

    private static void fill(final Side side, final Random random, final int at, final int bytes) {
        for (int i = 0; i < bytes; i++) {
            side.bytes.putByte(at + i, (byte) (random.nextInt(3) == 0 ? 0 : random.nextInt()));
        }
    }

    /** Numbers before and behind stay as they are, and each becomes what it should. */
    private void tryOne(final Random random, final AtomicOp op, final AtomicType type) {
        final int size = type.size();
        final int count = 1 + random.nextInt(64 / size);
        final int at = THERE + random.nextInt(16 / size) * size;
        final int resultAt = RESULT + random.nextInt(3);
        fill(a, random, OPERANDS, 64);
        fill(a, random, COMPARE, 64);
        fill(a, random, RESULT, 128);
        fill(b, random, THERE - 16, 128);
        if (random.nextBoolean()) {
            // Some that are equal.
            a.bytes.putBytes(COMPARE, b.bytes, at, 64);
        }
        final long[] before = numbers(b, type, at, count);
        final byte[] around = new byte[128];
        b.bytes.getBytes(THERE - 16, around);
        final boolean fetches = op.compares() || op == AtomicOp.ATOMIC_READ || random.nextBoolean();
        final MemoryRegion desc = random.nextBoolean() ? local : null;
        final AtomicRequest request = request(op, type, count, at).operands(a.at(OPERANDS), count, desc);
        if (fetches) {
            request.result(a.at(resultAt), desc);
        }
        final Done done = a.succeeds(() -> a.ep.atomic(request, 0));
        assertThat(done).extracting(Done::kind, Done::context, Done::length).as("%s", done).containsExactly(
            fetches ? OperationKind.ATOMIC : OperationKind.ATOMIC_UPDATE, 7L, (long) count * size);
        final long[] operands = numbers(a, type, OPERANDS, count);
        final long[] compared = numbers(a, type, COMPARE, count);
        for (int i = 0; i < count; i++) {
            final long wanted = AtomicMath.apply(op, type, before[i], operands[i], compared[i]);
            final long got = number(b, type, at + i * size);
            final int unused = Long.SIZE - size * Byte.SIZE;
            assertThat(got << unused).as("%s of number %d of %d %s", op, i, count, type).isEqualTo(wanted << unused);
            if (fetches) {
                assertThat(number(a, type, resultAt + i * size)).as("result of %s %s", op, type)
                    .isEqualTo(before[i]);
            }
        }
        for (int i = 0; i < around.length; i++) {
            final int offset = THERE - 16 + i;
            if (offset < at || offset >= at + count * size) {
                assertThat(b.bytes.getByte(offset)).as("byte %d beside", i).isEqualTo(around[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void eachOperationOfEachTypeInEachMode(final Mode mode) {
        open(mode);
        final Random random = new Random(3);
        for (final AtomicOp op : AtomicOp.values()) {
            for (final AtomicType type : AtomicType.values()) {
                if (op.takes(type)) {
                    tryOne(random, op, type);
                } else {
                    assertThat(a.ep.atomic(request(op, type, 1, THERE).result(a.at(RESULT), local), 0))
                        .isEqualTo(-FiErrno.FI_EOPNOTSUPP);
                }
            }
        }
        mode.release(a, key);
    }

    @Test
    void twoThatWriteTheSameNumbersLoseNothing() throws Exception {
        final Side c = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        a = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        b = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        final MsgEndpoint second = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(16, 16));
        Side.connect(a, b);
        c.ep.connect(second.name());
        second.connect(c.ep.name());
        region = b.register(11);
        key = region.key();
        final int each = 2_000;
        final ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            // The low half by the one, all of it by the other: the sum of 64 bits never carries into the high half.
            final Future<?> one = threads.submit(() -> add(a, AtomicType.UINT32, 1, THERE, each));
            final Future<?> two = threads.submit(() -> add(c, AtomicType.UINT64, 1L << Integer.SIZE, THERE, each));
            while (!one.isDone() || !two.isDone()) {
                b.take();
                Thread.onSpinWait();
            }
            one.get();
            two.get();
        } finally {
            threads.shutdownNow();
        }
        assertThat(b.bytes.getInt(THERE)).isEqualTo(each);
        assertThat(b.bytes.getInt(THERE + 4)).isEqualTo(each);
        second.close();
    }

    private void add(final Side side, final AtomicType type, final long value, final int at, final int times) {
        side.bytes.putLong(OPERANDS, value);
        final AtomicRequest request = new AtomicRequest().operation(AtomicOp.SUM, type)
            .operands(side.at(OPERANDS), 1, null).remote(region.base() + at, key);
        for (int i = 0; i < times; i++) {
            side.succeeds(() -> side.ep.atomic(request, 0));
        }
    }

    @Test
    void nothingOvertakesOneThatTakesSeveralSteps() {
        open(Mode.APPLICATION_KEY_OFFSETS);
        for (int i = 1; i <= 200; i++) {
            final int number = i;
            a.bytes.putLong(OPERANDS, i);
            a.bytes.putLong(0, -i);
            a.post(() -> a.ep.write(a.at(0), 8, local, region.base() + THERE, key, 1));
            a.post(() -> a.ep.atomic(request(AtomicOp.MAX, AtomicType.INT64, 1, THERE), 0));
            a.post(() -> a.ep.read(a.at(RESULT), 8, local, region.base() + THERE, key, 3));
            for (int j = 0; j < 3; j++) {
                assertThat(a.next().errno()).isZero();
            }
            assertThat(a.bytes.getLong(RESULT)).as("the larger one of %d and %d", -i, i).isEqualTo(number);
        }
    }

    @Test
    void aFailureTakesNothingAlong() {
        open(Mode.APPLICATION_KEY_OFFSETS);
        final AtomicRequest one = request(AtomicOp.PROD, AtomicType.INT16, 3, THERE);
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.atomic(one.remote(region.base() + THERE, 999), 0));
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.atomic(one.remote(region.base() + Side.SIZE - 2, key), 0));
        final MemoryRegion readOnly = b.register(12, MrAccess.REMOTE_READ);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.atomic(one.remote(readOnly.base() + THERE, readOnly.key()), 0));
        tryOne(new Random(1), AtomicOp.PROD, AtomicType.INT16);
        tryOne(new Random(1), AtomicOp.SUM, AtomicType.UINT64);
        region.close();
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.atomic(one.remote(region.base() + THERE, key), 0));
        region = b.register(11);
        key = region.key();
        tryOne(new Random(2), AtomicOp.MIN, AtomicType.FLOAT);
    }

    @Test
    void aResultWhoseRegionIsGoneIsNotWritten() {
        open(Mode.APPLICATION_KEY_OFFSETS);
        final MemoryRegion gone = a.register(0, MrAccess.READ);
        final AtomicRequest one = request(AtomicOp.MAX, AtomicType.INT32, 1, THERE).result(a.at(RESULT), gone);
        a.bytes.putInt(RESULT, 4711);
        a.bytes.putInt(OPERANDS, 5);
        a.post(() -> a.ep.atomic(one, 0));
        gone.close();
        assertThat(a.next().errno()).isEqualTo(FiErrno.FI_EFAULT);
        assertThat(a.bytes.getInt(RESULT)).isEqualTo(4711);
        assertThat(a.ep.atomic(one, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        tryOne(new Random(2), AtomicOp.MIN, AtomicType.FLOAT);
    }

    /** Before 1.22 descriptors were ignored (fi_mr): nothing is asked of one that is not valid. */
    @Test
    void oldProgramsMayPassAnyDescriptorForAResult() {
        final Side[] both = sides.pair(() -> Mode.APPLICATION_KEY_OFFSETS.hints().apiVersion(1, 21));
        a = both[0];
        b = both[1];
        region = b.register(11);
        key = region.key();
        final MemoryRegion gone = a.register(0, MrAccess.READ);
        gone.close();
        a.bytes.putInt(OPERANDS, 5);
        b.bytes.putInt(THERE, 3);
        a.succeeds(() -> a.ep.atomic(request(AtomicOp.MAX, AtomicType.INT32, 1, THERE).result(a.at(RESULT), gone), 0));
        assertThat(a.bytes.getInt(RESULT)).isEqualTo(3);
        assertThat(b.bytes.getInt(THERE)).isEqualTo(5);
    }

    @Test
    void theWholeOperationCountsOnce() {
        final Hints hints = new Hints().capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC,
            Capability.RMA_EVENT);
        a = sides.open(hints);
        b = sides.open(new Hints().capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC,
            Capability.RMA_EVENT));
        Side.connect(a, b);
        region = b.register(11);
        local = a.local();
        key = region.key();
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            a.bytes.putLong(OPERANDS, -1);
            a.bytes.putLong(OPERANDS + 8, -1);
            a.succeeds(() -> a.ep.atomic(request(AtomicOp.BXOR, AtomicType.UINT8, 16, THERE + 4), 0));
            assertThat(counter.read()).as("three times 8 bytes").isEqualTo(1);
            a.succeeds(() -> a.ep.atomic(request(AtomicOp.SUM, AtomicType.UINT64, 1, THERE), 0));
            assertThat(counter.read()).isEqualTo(2);
            a.succeeds(() -> a.ep.atomic(
                request(AtomicOp.ATOMIC_READ, AtomicType.UINT8, 3, THERE).result(a.at(RESULT), local), 0));
            assertThat(counter.read()).as("reading changes nothing").isEqualTo(2);
        }
    }

    @Test
    void whatMakesNoSenseIsRefusedAtOnce() {
        open(Mode.APPLICATION_KEY_OFFSETS);
        final AtomicOp min = AtomicOp.MIN;
        final AtomicType type = AtomicType.INT32;
        assertThat(a.ep.atomic(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(null, type, 1, THERE), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(min, null, 1, THERE), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(min, type, 0, THERE), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(min, type, 17, THERE), 0)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.ep.atomic(request(min, type, 1, THERE + 2), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(min, type, 1, THERE).operands(0, 1, null), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(min, type, 1, THERE).operands(8, 1, null), 0)).isEqualTo(-FiErrno.FI_EFAULT);
        assertThat(a.ep.atomic(request(AtomicOp.ATOMIC_READ, type, 1, THERE), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(AtomicOp.CSWAP, type, 1, THERE), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request(min, type, 1, THERE), OpFlags.REMOTE_CQ_DATA))
            .isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(a.ep.atomicAttributes(min, type)).isEqualTo(new AtomicAttributes(16, 4, false));
        assertThat(a.ep.atomicAttributes(AtomicOp.SUM, AtomicType.INT64)).isEqualTo(new AtomicAttributes(8, 8, true));
        assertThat(a.ep.atomicAttributes(AtomicOp.BOR, AtomicType.FLOAT).count()).isZero();
        a.ep.close();
        assertThat(a.ep.atomic(request(min, type, 1, THERE), 0)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void nothingIsAllocated() {
        open(Mode.APPLICATION_KEY_OFFSETS);
        final AtomicRequest looped =
            request(AtomicOp.BXOR, AtomicType.UINT16, 9, THERE).result(a.at(RESULT), local);
        final AtomicRequest plain = request(AtomicOp.SUM, AtomicType.UINT64, 1, THERE);
        a.bytes.putLong(OPERANDS, 5);
        a.succeeds(() -> a.ep.atomic(looped, 0));
        final int[] done = new int[2];
        final CompletionReader reader = entry -> done[0]++;
        assertThat(Allocations.perStep(5_000, () -> {
            done[0] = 0;
            done[1] |= a.ep.atomic(plain, 0);
            done[1] |= a.ep.atomic(looped, 0);
            while (done[0] < 2) {
                a.cq.read(reader, 8);
            }
        })).isZero();
        assertThat(done[1]).isZero();
    }

    @Test
    void numbersOfOneBufferOfARegionOfSeveral() {
        open(Mode.APPLICATION_KEY_OFFSETS);
        final MemoryRegion apart = b.keep(b.domain.register(new MrAttributes().requestedKey(77)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE)
            .buffer(b.at(104), 24, b.memory).buffer(b.at(4096), 24, b.memory)));
        a.bytes.putInt(OPERANDS, 5);
        a.bytes.putInt(OPERANDS + 4, 6);
        final AtomicRequest two = request(AtomicOp.MAX, AtomicType.INT32, 2, 0);
        a.succeeds(() -> a.ep.atomic(two.remote(apart.base() + 24, 77), 0));
        assertThat(b.bytes.getInt(4096)).isEqualTo(5);
        assertThat(b.bytes.getInt(4100)).isEqualTo(6);
        a.succeeds(() -> a.ep.atomic(two.remote(apart.base() + 16, 77), 0));
        assertThat(b.bytes.getInt(120)).isEqualTo(5);
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.atomic(two.remote(apart.base() + 20, 77), 0));
        assertThat(b.bytes.getLong(128)).as("behind the first one").isZero();
        tryOne(new Random(2), AtomicOp.MIN, AtomicType.FLOAT);
    }

    @Test
    void operandsAndResultsAreWhereThisProcessHasThem() {
        open(Mode.values()[0]);
        try (NamedElsewhere here = new NamedElsewhere(a, local)) {
            a.bytes.putInt(OPERANDS, 5);
            a.bytes.putInt(COMPARE, 9);
            b.bytes.putInt(THERE, 9);
            a.succeeds(() -> a.ep.atomic(new AtomicRequest().operation(AtomicOp.CSWAP, AtomicType.INT32)
                .operands(here.at(OPERANDS), 1, here.region).compare(here.at(COMPARE), here.region)
                .result(here.at(RESULT), here.region).remote(region.base() + THERE, key), 0));
            assertThat(b.bytes.getInt(THERE)).isEqualTo(5);
            assertThat(a.bytes.getInt(RESULT)).isEqualTo(9);
            a.bytes.putLong(OPERANDS, 3);
            a.succeeds(() -> a.ep.atomic(new AtomicRequest().operation(AtomicOp.SUM, AtomicType.INT64)
                .operands(here.at(OPERANDS), 1, here.region).result(here.at(RESULT), here.region)
                .remote(region.base() + THERE, key), 0));
            assertThat(b.bytes.getInt(THERE)).isEqualTo(8);
            assertThat(a.bytes.getInt(RESULT)).isEqualTo(5);
            assertThat(here.isUntouched()).isTrue();
        }
    }
}
