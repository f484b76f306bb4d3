/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.testing.Patience;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

class HostMemoryTest {
    private static final int ROOM = 1024;
    private static final long SEED = 4;
    private static final int ROUNDS = 20_000;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(ROOM);
    private final long address = BufferUtil.address(memory);

    /** As a copy by way of a third place, of any length, also where source and target overlap. */
    @Test
    void copiesEveryByteAndNoOther() {
        final Random random = new Random(SEED);
        final byte[] before = new byte[ROOM];
        for (int i = 0; i < ROUNDS; i++) {
            random.nextBytes(before);
            memory.put(0, before);
            final int length = random.nextInt(random.nextBoolean() ? 20 : 300);
            final int from = random.nextInt(ROOM - length);
            final int to = random.nextInt(ROOM - length);
            HostMemory.copy(address + from, address + to, length);
            final byte[] expected = before.clone();
            System.arraycopy(before, from, expected, to, length);
            final byte[] after = new byte[ROOM];
            memory.get(0, after);
            assertThat(after).as("%d bytes from %d to %d", length, from, to).isEqualTo(expected);
        }
    }

    /** Long ones are cut into pieces of 1 MiB. */
    @ParameterizedTest
    @ValueSource(ints = {1 << 20, (1 << 20) + 8, (1 << 20) + 9, (3 << 20) + 5})
    void copiesInPieces(final int length) {
        final byte[] expected = new byte[length];
        new Random(SEED).nextBytes(expected);
        final ByteBuffer source = ByteBuffer.allocateDirect(length).put(0, expected);
        final ByteBuffer target = ByteBuffer.allocateDirect(length + 2);
        HostMemory.copy(BufferUtil.address(source), BufferUtil.address(target) + 1, length);
        final byte[] after = new byte[length];
        target.get(1, after);
        assertThat(Arrays.equals(after, expected)).isTrue();
        assertThat(target.get(0) | target.get(length + 1)).isZero();
    }

    /** Who sees the end of a message sees all of it. */
    @ParameterizedTest
    @ValueSource(ints = {16, 64, 72, 136, 256, 480})
    void theEndComesLast(final int length) throws Exception {
        final UnsafeBuffer target = new UnsafeBuffer(memory, 0, length);
        final UnsafeBuffer source = new UnsafeBuffer(memory, ROOM / 2, length);
        final CompletableFuture<Long> reader = CompletableFuture.supplyAsync(() -> look(target, length));
        for (long n = 1; n <= ROUNDS && !reader.isDone(); n++) {
            for (int at = 0; at < length; at += Long.BYTES) {
                source.putLong(at, n);
            }
            HostMemory.copy(address + ROOM / 2, address, length);
        }
        assertThat(Patience.get(reader)).isEqualTo(ROUNDS);
    }

    /** The last number seen, or one that others of the message were behind. */
    private static long look(final UnsafeBuffer target, final int length) {
        final long deadline = System.nanoTime() + Patience.nanos();
        long end = 0;
        while (end < ROUNDS && System.nanoTime() < deadline) {
            end = target.getLongAcquire(length - Long.BYTES);
            for (int at = 0; at < length - Long.BYTES; at += Long.BYTES) {
                if (target.getLong(at) < end) {
                    return -end;
                }
            }
        }
        return end;
    }
}
