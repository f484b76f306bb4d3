/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.SystemFaults;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.spi.RegionOwner;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Also where it cannot be flushed at last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closedRegionsOfFilesDoNotKeepBuffers(final boolean fails, @TempDir final Path folder) throws IOException {
        try (TestDomain own = new TestDomain(new Hints().address("emulated:letting-go")
            .capabilities(Capability.RMA, Capability.RMA_PMEM));
            FileChannel channel = FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, PAGE);
            final WeakReference<ByteBuffer> held = new WeakReference<>(buffer);
            final MemoryRegion region = own.domain.register(new MrAttributes().buffer(buffer)
                .access(MrAccess.REMOTE_WRITE).flags(MrFlag.RMA_PMEM).requestedKey(1));
            buffer = null;
            if (fails) {
                try (SystemFaults faults = SystemFaults.failing(false, "msync", 1, RdmaException.EIO)) {
                    assertThatThrownBy(region::close).isInstanceOf(FabricException.class);
                    assertThat(faults.hasFailed()).isTrue();
                }
            } else {
                region.close();
            }
            cleared(held);
            assertThat(region.isClosed()).isTrue();
        }
    }

    @Test
    void aClosedRegionForSeveralKeysDoesNotKeepItsBuffer() {
        try (TestDomain own = new TestDomain(new Hints().address("emulated:letting-go")
            .endpointType(EndpointType.RDM).avAuthKeys(true));
            AddressVector keys = own.domain.openAddressVector(new AvAttributes())) {
            keys.insertAuthKey(new byte[] {1}, 0);
            keys.insertAuthKey(new byte[] {2}, 0);
            ByteBuffer buffer = BufferUtil.allocateDirectAligned(PAGE, PAGE);
            final WeakReference<ByteBuffer> held = new WeakReference<>(buffer);
            final MemoryRegion region = own.domain.register(new MrAttributes().buffer(buffer).access(MrAccess.SEND)
                .avAuthKey(keys, FiAddr.NOTAVAIL));
            buffer = null;
            region.close();
            cleared(held);
            assertThat(region.isClosed()).isTrue();
        }
    }

    /** What it does with the region is done already. */
    @Test
    void anOwnerThatIsToldOfTheEndMayCloseTheRegion() {
        try (TestDomain own = new TestDomain(new Hints().address("emulated:letting-go"))) {
            final ByteBuffer buffer = BufferUtil.allocateDirectAligned(PAGE, PAGE);
            final MemoryRegion[] region = new MemoryRegion[1];
            final AtomicInteger told = new AtomicInteger();
            final RegionOwner owner = () -> {
                told.incrementAndGet();
                region[0].close();
            };
            region[0] = own.domain.register(new MrAttributes().buffer(BufferUtil.address(buffer), PAGE, owner)
                .access(MrAccess.SEND));
            region[0].close();
            assertThat(told).hasValue(1);
            assertThat(region[0].isClosed()).isTrue();
        }
    }

    /** Of an asynchronous registration the application has the region, whatever becomes of it. */
    @Test
    void aRegionThatWasNeverRegisteredDoesNotKeepItsBuffer() {
        try (TestDomain own = new TestDomain(new Hints().address("emulated:letting-go"))) {
            final FabricEventQueue queue = (FabricEventQueue) own.fabric.openEventQueue(0);
            Domains.regionsOf(own.domain).bind(queue, () -> new AsyncRegistrar(queue, AsyncTest.idle()));
            ByteBuffer buffer = BufferUtil.allocateDirectAligned(PAGE, PAGE);
            final long address = BufferUtil.address(buffer);
            final WeakReference<ByteBuffer> held = new WeakReference<>(buffer);
            final MemoryRegion region = own.domain.register(new MrAttributes().buffer(buffer).access(MrAccess.SEND));
            buffer = null;
            assertThat(region.address()).as("before its turn").isEqualTo(address);
            region.close();
            cleared(held);
            assertThat(region.isClosed()).isTrue();
            own.domain.close();
            queue.close();
        }
    }

    private static void cleared(final WeakReference<ByteBuffer> held) {
        Await.until(Duration.ofSeconds(60), () -> "it is let go", () -> {
            System.gc();
            return held.get() == null;
        });
    }
}
