/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.spi.RegionOwner;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Regions whose memory the device can still reach after they were closed, because the IOMMU refused to unmap it. */
class StuckRegionTest {
    private final StickyDevice sticky = new StickyDevice(PciDevices.open(DeviceAddress.parse("emulated:sticky")));
    private final PvrdmaContext context = new PvrdmaContext("emulated:sticky", PvrdmaDevice.open(sticky));
    private final PvrdmaPd pd = (PvrdmaPd) context.allocatePd();

    @AfterEach
    void closes() {
        sticky.sticks = false;
        context.close();
        assertThat(context.device.commands().liveObjects()).isZero();
    }

    private void assertSticks(final MemoryRegion region) {
        sticky.sticks = true;
        assertThatThrownBy(region::close).isInstanceOf(IllegalStateException.class).hasMessage("stuck");
        sticky.sticks = false;
        region.close();
        assertThat(region.isClosed()).isTrue();
    }

    @Test
    void doesNotTellTheOwnerThatTheMemoryIsFree() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
        final AtomicInteger calls = new AtomicInteger();
        final RegionOwner owner = calls::incrementAndGet;
        final MemoryRegion stuck =
            pd.register(BufferUtil.address(buffer), 8192, owner, AccessFlag.LOCAL_WRITE);
        final MemoryRegion other =
            pd.register(BufferUtil.address(buffer), 8192, owner, AccessFlag.LOCAL_WRITE);

        assertSticks(stuck);
        assertThat(calls).hasValue(0);
        other.close();
        assertThat(calls).hasValue(1);
    }

    @Test
    void keepsPinnedMemoryInUse() {
        final PinnedMemory memory = context.allocate(4096);
        final MemoryRegion stuck = pd.register(memory, AccessFlag.LOCAL_WRITE);
        assertSticks(stuck);
        assertBusy(memory::close, stuck.toString());
    }

    @Test
    void keepsTheBufferAlive() throws InterruptedException {
        final WeakReference<ByteBuffer> buffer = stick();
        pd.close();
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(buffer.get()).isNotNull();
    }

    private WeakReference<ByteBuffer> stick() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
        assertSticks(pd.register(buffer, AccessFlag.LOCAL_WRITE));
        return new WeakReference<>(buffer);
    }

    /** A device behind an IOMMU that refuses to unmap as long as it is told to. */
    private static final class StickyDevice implements PciDevice, DmaDomain {
        private final PciDevice inner;
        private boolean sticks;

        StickyDevice(final PciDevice inner) {
            this.inner = inner;
        }

        @Override
        public DmaDomain dma() {
            return this;
        }

        @Override
        public DmaMapping map(final long address, final long length, final Object owner) {
            final DmaMapping mapping = inner.dma().map(address, length, owner);
            return new DmaMapping(mapping.pageAddress(), mapping.length(), mapping.iova(), owner, () -> {
                if (sticks) {
                    throw new IllegalStateException("stuck");
                }
                mapping.close();
            });
        }

        @Override
        public DmaMemory allocate(final long length) {
            return inner.dma().allocate(length);
        }

        @Override
        public boolean mapsAnyMemory() {
            return inner.dma().mapsAnyMemory();
        }

        @Override
        public long reachableBytes() {
            return inner.dma().reachableBytes();
        }

        @Override
        public DeviceAddress address() {
            return inner.address();
        }

        @Override
        public ConfigSpace config() {
            return inner.config();
        }

        @Override
        public Bar bar(final int index) {
            return inner.bar(index);
        }

        @Override
        public Interrupts interrupts() {
            return inner.interrupts();
        }

        @Override
        public boolean reset() {
            return inner.reset();
        }

        @Override
        public void onLoss(final Consumer<String> listener) {
            inner.onLoss(listener);
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
