/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;

import java.util.Optional;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/** The emulated device, as another platform would present it. */
class OtherPlatform implements PciDevice {
    /** Plain memory in place of the doorbells, where they are mapped. */
    UnsafeBuffer mappedUar;
    /** Not null: what becomes of each doorbell. */
    volatile RdmaException refusedDoorbells;
    volatile int registerReads;
    String persistentName;
    Consumer<String> lossListener;
    private final PciDevice inner;

    OtherPlatform(final PciDevice inner) {
        this.inner = inner;
    }

    /** What the driver is told of what a register says. */
    int told(final int value) {
        return value;
    }

    /** As the system does when a process that has a device open is killed. */
    void kill() {
        inner.config().write(PciConfig.COMMAND_OFFSET, Short.BYTES, 0);
        inner.interrupts().disable();
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
        return new OtherBar(inner.bar(index));
    }

    @Override
    public DmaDomain dma() {
        return inner.dma();
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
        lossListener = listener;
    }

    @Override
    public Optional<String> persistentName() {
        return Optional.ofNullable(persistentName);
    }

    @Override
    public void close() {
        inner.close();
    }

    private final class OtherBar implements Bar {
        private final Bar window;

        OtherBar(final Bar window) {
            this.window = window;
        }

        @Override
        public int index() {
            return window.index();
        }

        @Override
        public long size() {
            return window.size();
        }

        @Override
        public long busAddress() {
            return window.busAddress();
        }

        @Override
        public boolean isMapped() {
            return index() == Bar1.UAR_BAR && mappedUar != null;
        }

        @Override
        public UnsafeBuffer buffer() {
            return isMapped() ? mappedUar : window.buffer();
        }

        @Override
        public int readInt(final int offset) {
            registerReads++;
            return told(window.readInt(offset));
        }

        @Override
        public void writeInt(final int offset, final int value) {
            if (index() == Bar1.UAR_BAR && refusedDoorbells != null) {
                throw refusedDoorbells;
            }
            window.writeInt(offset, value);
        }
    }
}
