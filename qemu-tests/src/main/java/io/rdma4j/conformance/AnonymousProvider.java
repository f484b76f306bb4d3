/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDeviceProvider;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;

import java.util.List;
import java.util.function.Consumer;

/**
 * The emulated device under subsystem ids that say nothing, so that the driver has to take it for one that it knows
 * only from documents: {@code anonymous:NAME?OPTION=VALUE}. Without extensions, which no other device has.
 */
public final class AnonymousProvider implements PciDeviceProvider {
    /** Scheme of the addresses. */
    public static final String SCHEME = "anonymous";

    /** For {@link java.util.ServiceLoader}. */
    public AnonymousProvider() {
        // Stateless.
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public String usage() {
        return SCHEME + ":NAME?OPTION=VALUE - the emulated device, unknown to the driver; options as for emulated:";
    }

    @Override
    public List<DeviceAddress> list() {
        return List.of();
    }

    @Override
    public PciDevice open(final DeviceAddress address) {
        final String under = address.toString().replaceFirst("^" + SCHEME + ":", "emulated:" + SCHEME + "-");
        return new Anonymous(address, PciDevices.open(DeviceAddress.parse(
            under + (under.indexOf('?') < 0 ? '?' : '&') + "extensions=false")));
    }

    /** The device, with another device's word in one place of its configuration space. */
    private record Anonymous(DeviceAddress address, PciDevice device) implements PciDevice {
        @Override
        public ConfigSpace config() {
            final ConfigSpace under = device.config();
            return new ConfigSpace() {
                @Override
                public int read(final int offset, final int size) {
                    final boolean subsystem = offset >= PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET
                        && offset < PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET + Integer.BYTES;
                    return subsystem ? 0 : under.read(offset, size);
                }

                @Override
                public void write(final int offset, final int size, final int value) {
                    under.write(offset, size, value);
                }
            };
        }

        @Override
        public Bar bar(final int index) {
            return device.bar(index);
        }

        @Override
        public DmaDomain dma() {
            return device.dma();
        }

        @Override
        public Interrupts interrupts() {
            return device.interrupts();
        }

        @Override
        public boolean reset() {
            return device.reset();
        }

        @Override
        public void onLoss(final Consumer<String> listener) {
            device.onLoss(listener);
        }

        @Override
        public void close() {
            device.close();
        }
    }
}
