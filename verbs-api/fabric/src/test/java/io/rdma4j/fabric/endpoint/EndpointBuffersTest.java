/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.testing.Allocations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;

/** Buffers without descriptors: the cache registers them, once. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndpointBuffersTest {
    private static final int STEPS = 5_000;

    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void everyOperationThatTakesOne() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = b.register(3);
        final UnsafeBuffer mine = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
        final UnsafeBuffer theirs = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
        mine.putLong(8, 1234);
        b.post(() -> b.ep.receive(theirs, 16, 8, 1));
        a.succeeds(() -> a.ep.send(mine, 8, 8, 2));
        assertThat(b.next().length()).isEqualTo(8);
        assertThat(theirs.getLong(16)).isEqualTo(1234);
        a.succeeds(() -> a.ep.write(mine, 8, 8, 64, region.key(), 3));
        assertThat(b.bytes.getLong(64)).isEqualTo(1234);
        a.succeeds(() -> a.ep.read(mine, 4088, 8, 64, region.key(), 4));
        assertThat(mine.getLong(4088)).isEqualTo(1234);
        b.post(() -> b.ep.receive(theirs, 4096, 0, 5));
        a.succeeds(() -> a.ep.send(mine, 4096, 0, 5));
    }

    @Test
    void whatIsNoBufferForADevice() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final UnsafeBuffer direct = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        final UnsafeBuffer heapByteBuffer = new UnsafeBuffer(ByteBuffer.allocate(64));
        final int invalid = -FiErrno.FI_EINVAL;
        assertThat(a.ep.send(null, 0, 8, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(heap, 0, 8, 1)).isEqualTo(invalid);
        assertThat(a.ep.receive(heapByteBuffer, 0, 8, 1)).isEqualTo(invalid);
        assertThat(a.ep.receive(direct, -1, 8, 1)).isEqualTo(invalid);
        assertThat(a.ep.write(direct, 57, 8, 0, 1, 1)).isEqualTo(invalid);
        assertThat(a.ep.write(direct, 0, -8, 0, 1, 1)).isEqualTo(invalid);
        assertThat(a.ep.read(direct, Integer.MAX_VALUE, 8, 0, 1, 1)).isEqualTo(invalid);
        assertThat(a.ep.read(direct, 0, Integer.MIN_VALUE, 0, 1, 1)).isEqualTo(invalid);
    }

    /** Also where the memory is registered for writing already, by a buffer that may be written. */
    @Test
    void aReadOnlyBufferIsSentFromAndNotWritten() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final Side b = both[1];
        final long key = b.register(3).key();
        final ByteBuffer memory = ByteBuffer.allocateDirect(4096);
        final UnsafeBuffer writable = new UnsafeBuffer(memory);
        final UnsafeBuffer view = new UnsafeBuffer(memory.asReadOnlyBuffer());
        for (int i = 0; i < 2; i++) {
            assertThat(a.ep.receive(view, 0, 8, 1)).isEqualTo(-FiErrno.FI_EFAULT);
            assertThat(a.ep.read(view, 8, 8, 64, key, 2)).isEqualTo(-FiErrno.FI_EFAULT);
            a.succeeds(() -> a.ep.read(writable, 8, 8, 64, key, 3));
        }
        a.succeeds(() -> a.ep.write(view, 8, 8, 64, key, 4));
    }

    @Test
    void hitsOfTheCacheAllocateNothing() {
        final Side[] both = sides.pair(Mode.PROV_KEY_OFFSETS::hints);
        final Side a = both[0];
        final MemoryRegion region = both[1].register(0);
        final long key = region.key();
        final UnsafeBuffer mine = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
        final long[] seen = new long[2];
        final CompletionReader count = entry -> seen[1] += entry.isError() ? 0 : 1;
        final double bytes = Allocations.perStep(STEPS, 0.9, () -> {
            seen[0] |= a.ep.write(mine, 0, 64, 0, key, 1);
            while (a.cq.read(count, 1) == 0) {
                Thread.onSpinWait();
            }
        });
        assertThat(seen[0]).isZero();
        assertThat(seen[1]).isGreaterThanOrEqualTo(STEPS);
        assertThat(bytes).as("bytes for each operation").isLessThan(1);
    }
}
