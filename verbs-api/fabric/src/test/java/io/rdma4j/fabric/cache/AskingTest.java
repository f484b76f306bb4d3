/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.PAGE;
import static io.rdma4j.fabric.cache.Bench.RO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Memory;
import io.rdma4j.driver.memory.BufferOwners;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.FabricException;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the monitor is asked whether it is quiet, and for whom that is not needed. */
@Timeout(60)
class AskingTest {
    /** Counts how often it is asked. */
    private static final class Counting extends TestMonitor {
        int asked;

        @Override
        public boolean quiet() {
            asked++;
            return super.quiet();
        }
    }

    @Test
    void onlyHitsOfWatchedMemoryAskTheMonitor() {
        final Counting monitor = new Counting();
        try (Bench bench = new Bench("asking", new CacheAttributes(), monitor)) {
            final Entry watched = bench.use(0, PAGE);
            bench.acquire(2 * PAGE, 3 * PAGE, bench.memory, RO).release();
            bench.cache.adopt(bench.base + 4 * PAGE, PAGE, bench.memory);
            final Entry adopted = bench.use(4 * PAGE, 5 * PAGE);
            monitor.asked = 0;
            assertThat(bench.use(0, PAGE)).isSameAs(watched);
            assertThat(monitor.asked).isEqualTo(1);
            bench.acquire(2 * PAGE, 3 * PAGE, bench.memory, RO).release();
            assertThat(bench.use(4 * PAGE, 5 * PAGE)).isSameAs(adopted);
            assertThat(monitor.asked).as("with an owner, adopted").isEqualTo(1);
            monitor.isQuiet = false;
            assertThat(bench.use(4 * PAGE, 5 * PAGE)).isSameAs(adopted);
            assertThat(bench.cache.statistics().hits()).isEqualTo(4);
        }
    }

    /** What is found before the monitor is asked, and retired by then, is not taken. */
    @Test
    void whatIsToldWhileItIsAskedIsNotTaken() {
        final TestMonitor telling = new TestMonitor() {
            private boolean tells;

            @Override
            public boolean quiet() {
                if (tells) {
                    tells = false;
                    change(0, Long.MAX_VALUE);
                }
                return true;
            }

            @Override
            public boolean subscribe(final long address, final long length) {
                tells = true;
                return super.subscribe(address, length);
            }
        };
        try (Bench bench = new Bench("asking-late", new CacheAttributes(), telling)) {
            final Entry first = bench.use(0, PAGE);
            assertThat(bench.use(0, PAGE)).isNotSameAs(first);
        }
    }

    @Test
    void adoptedByAnotherItIsNotTheFirstOnes() {
        try (Bench bench = Bench.of("asking-adopted")) {
            bench.monitor.watches = false;
            final ByteBuffer first = ByteBuffer.allocateDirect(1);
            final ByteBuffer second = ByteBuffer.allocateDirect(1);
            bench.cache.adopt(bench.base, PAGE, first);
            final Entry ofFirst = bench.use(0, PAGE);
            bench.cache.adopt(bench.base, PAGE, first);
            assertThat(bench.use(0, PAGE)).as("said again").isSameAs(ofFirst);
            bench.cache.adopt(bench.base, PAGE, second);
            assertThat(ofFirst.isRetired()).isTrue();
            final Entry ofSecond = bench.use(0, PAGE);
            assertThat(ofSecond).isNotSameAs(ofFirst);
            assertThat(ofSecond.isOf(second)).isTrue();
            assertThat(first.capacity() + second.capacity()).as("both are still held").isEqualTo(2);
        }
    }

    /** Native code lays buffers over memory that it frees and maps as it likes. */
    @Test
    void aBufferThatOwnsNothingIsNoOwner() {
        try (Bench bench = Bench.of("asking-native"); Memory memory = new Memory(PAGE)) {
            final ByteBuffer laid = memory.getByteBuffer(0, PAGE);
            assertThat(BufferOwners.rootOf(laid.slice())).isNull();
            assertThat(BufferOwners.rootOf(laid.asLongBuffer())).isNull();
            assertThat(BufferOwners.rootOf(bench.memory.slice())).isSameAs(bench.memory);
            assertThat(BufferOwners.rootOf(bench.memory.asReadOnlyBuffer().asLongBuffer())).isSameAs(bench.memory);
            bench.monitor.watches = false;
            final Entry used = (Entry) bench.cache.acquire(BufferUtil.address(laid), 16, laid, RO);
            used.release();
            assertThat(used.region().isClosed()).as("not watched, so not kept").isTrue();
            assertThatThrownBy(() -> bench.cache.adopt(BufferUtil.address(laid), 16, laid))
                .isInstanceOf(FabricException.class).hasMessageContaining("owns no memory");
        }
    }
}
