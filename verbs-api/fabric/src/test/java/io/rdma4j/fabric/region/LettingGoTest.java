/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDomain;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A region that is closed lets go of the buffers that it was made of, also if the application keeps the region. */
@Timeout(120)
class LettingGoTest {
    private static final int PAGE = 4096;

    @Test
    void closedRegionsDoNotKeepBuffers() {
        try (TestDomain own = new TestDomain(new Hints().address("emulated:letting-go"))) {
            ByteBuffer buffer = BufferUtil.allocateDirectAligned(PAGE, PAGE);
            ByteBuffer second = BufferUtil.allocateDirectAligned(PAGE, PAGE);
            final WeakReference<ByteBuffer> first = new WeakReference<>(buffer);
            final WeakReference<ByteBuffer> other = new WeakReference<>(second);
            final MemoryRegion one = own.domain.register(
                new MrAttributes().buffer(buffer).access(MrAccess.REMOTE_WRITE).requestedKey(1));
            final MemoryRegion both = own.domain.register(
                new MrAttributes().buffer(buffer).buffer(second).access(MrAccess.SEND));
            final long address = one.address();
            buffer = null;
            second = null;
            System.gc();
            assertThat(first.get()).as("registered").isNotNull();
            one.close();
            System.gc();
            assertThat(first.get()).as("registered in the other one").isNotNull();
            both.close();
            cleared(first);
            cleared(other);
            assertThat(one.address()).isEqualTo(address);
            assertThat(one.length()).isEqualTo(PAGE);
            assertThat(both.length()).isEqualTo(2 * PAGE);
            assertThat(one.access()).containsExactly(MrAccess.REMOTE_WRITE);
            assertThat(one.toString()).contains("closed");
        }
    }

    private static void cleared(final WeakReference<ByteBuffer> held) {
        Await.until(Duration.ofSeconds(60), () -> "it is let go", () -> {
            System.gc();
            return held.get() == null;
        });
    }
}
