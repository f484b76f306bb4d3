/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.HostMemory;
import io.rdma4j.driver.dma.IommuDmaDomain;
import io.rdma4j.driver.dma.IovaPolicy;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.hw.pci.PciConfig;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A function that Linux hands to this process through VFIO. Thread-safe.
 */
final class VfioPciDevice implements PciDevice {
    private final DeviceAddress address;
    private final PciFunction function;
    private final GroupSessions.Lease lease;
    private final DeviceInfo info;
    private final VfioConfigSpace config;
    private final VfioBars bars;
    private final VfioInterrupts interrupts;
    private final IommuDmaDomain dma;
    private final LossWatch watch;
    private final Undo close = new Undo();
    private boolean closed;

    private VfioPciDevice(
        final DeviceAddress address, final PciFunction function, final GroupSessions.Lease lease,
        final HostMemory host) {
        this.address = address;
        this.function = function;
        this.lease = lease;
        final VfioDevice device = lease.device();
        info = device.info();
        config = new VfioConfigSpace(device, configRegion(device));
        bars = new VfioBars(device, config);
        dma = new IommuDmaDomain(lease.iommu(), lease.iovas(), IovaPolicy.VIRTUAL_IF_FREE, host, address);
        interrupts = new VfioInterrupts(device);
        watch = LossWatch.start(device);
    }

    /**
     * Sets an opened function up: its windows can be used when this returns. It is no bus master, as VFIO leaves it:
     * what an earlier owner told it may still be in it, so who drives it resets it first.
     *
     * @param address  names it; kept.
     * @param function what it is.
     * @param lease    the open function; closed with the result, or if this fails.
     * @param host     where DMA memory comes from.
     * @return the device.
     * @throws RdmaException if the kernel refuses a step; the steps before it are undone.
     */
    static VfioPciDevice open(
        final DeviceAddress address, final PciFunction function, final GroupSessions.Lease lease,
        final HostMemory host) {
        try (Undo undo = new Undo()) {
            undo.add(lease::close);
            final VfioPciDevice device = new VfioPciDevice(address, function, lease, host);
            device.planClose();
            undo.add(device::close);
            device.config.command(PciConfig.MEMORY, true);
            undo.forget();
            return device;
        }
    }

    private RegionInfo configRegion(final VfioDevice device) {
        final RegionInfo region = info.isPci() && Integer.compareUnsigned(
            info.numRegions(), RegionInfo.VFIO_PCI_CONFIG_REGION_INDEX) > 0
            ? device.region(RegionInfo.VFIO_PCI_CONFIG_REGION_INDEX) : null;
        if (region == null || region.size() < PciConfig.LENGTH || !region.isReadable() || !region.isWritable()) {
            throw RdmaException.of("open device").device(address)
                .detail("it has no configuration space of PCI: %s, %s", info, region)
                .errno(RdmaException.ENODEV).build();
        }
        return region;
    }

    /** From last to first. */
    private void planClose() {
        close.add(lease::close);
        close.add(dma::close);
        close.add(watch::close);
        close.add(bars::close);
        close.add(() -> config.command(PciConfig.BUS_MASTER, false));
        close.add(interrupts::disable);
    }

    @Override
    public DeviceAddress address() {
        return address;
    }

    @Override
    public ConfigSpace config() {
        return config;
    }

    @Override
    public Bar bar(final int index) {
        return bars.get(index);
    }

    @Override
    public DmaDomain dma() {
        return dma;
    }

    @Override
    public Interrupts interrupts() {
        return interrupts;
    }

    @Override
    public boolean reset() {
        if (info.canReset()) {
            lease.device().reset();
        }
        return info.canReset();
    }

    @Override
    public void onLoss(final Consumer<String> listener) {
        watch.listener(listener);
    }

    @Override
    public Optional<String> persistentName() {
        return Optional.of(function.address());
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        close.close();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public String toString() {
        return "VfioPciDevice[" + address + ' ' + function + " group interface " + lease + ' ' + bars + ' ' + interrupts
            + ' ' + dma + ' ' + watch + (isClosed() ? " closed" : "") + ']';
    }
}
