/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.PciConfig;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A function of a QEMU machine whose processors are stopped. Its windows are not mapped; its DMA memory is the
 * machine's RAM.
 *
 * <p>Thread-safe. {@link #close()} leaves the function as it was found: no decoding, no bus mastering, no interrupts.
 */
final class QtestPciDevice implements PciDevice {
    private static final int NO_DEVICE = 0xffff;

    private final DeviceAddress address;
    private final String persistentName;
    private final Runnable onClose;
    private final QtestClient client;
    private final MadPeer madPeer;
    private final QtestConfigSpace config;
    private final Bar[] bars = new Bar[PciConfig.BAR_COUNT];
    private final RamDmaDomain dma;
    private final QtestInterrupts interrupts;
    private boolean closed;

    private QtestPciDevice(
        final DeviceAddress address, final QtestOptions options, final QtestClient client, final MadPeer madPeer,
        final Runnable onClose) {
        this.address = address;
        this.persistentName = String.format(Locale.ROOT, "qtest-%s@%x.%d",
            options.socket().toAbsolutePath().normalize(), options.device(), options.function());
        this.onClose = onClose;
        this.client = client;
        this.madPeer = madPeer;
        config = new QtestConfigSpace(client, options.device(), options.function());
        requirePresent(options);
        final GuestRam ram = GuestRam.map(options.ram());
        dma = new RamDmaDomain(address, ram);
        final BarWindows windows = BarWindows.assign(config);
        for (int i = 0; i < bars.length; i++) {
            bars[i] = windows.size(i) == 0 ? null : new QtestBar(client, i, windows.address(i), windows.size(i));
        }
        setCommand(PciConfig.MEMORY | PciConfig.BUS_MASTER, true);
        interrupts = new QtestInterrupts(config, this::bar,
            new UnsafeBuffer(ram.part(GuestRam.INTERRUPT_PAGE, DmaDomain.PAGE_SIZE)), GuestRam.INTERRUPT_PAGE);
    }

    /**
     * Connects, places the BARs, enables memory and bus mastering.
     *
     * @param address names it; kept.
     * @param options the same, read.
     * @param onClose run once when it is closed, or when it cannot be opened.
     * @return the open device.
     * @throws RdmaException if a part is missing; everything done so far is undone.
     */
    static QtestPciDevice open(final DeviceAddress address, final QtestOptions options, final Runnable onClose) {
        QtestClient client = null;
        MadPeer madPeer = null;
        boolean opened = false;
        try {
            Rights.require(address, options, Rights::readableAndWritable);
            client = QtestClient.connect(options.socket(), options.timeout());
            madPeer = options.mad() == null ? null : MadPeer.connect(options.mad());
            final QtestPciDevice device = new QtestPciDevice(address, options, client, madPeer, onClose);
            opened = true;
            return device;
        } finally {
            if (!opened) {
                closeAll(client, madPeer, onClose);
            }
        }
    }

    private static void closeAll(final QtestClient client, final MadPeer madPeer, final Runnable onClose) {
        if (madPeer != null) {
            madPeer.close();
        }
        if (client != null) {
            client.close();
        }
        onClose.run();
    }

    private void requirePresent(final QtestOptions options) {
        if (config.read(PciConfig.VENDOR_ID_OFFSET, Short.BYTES) == NO_DEVICE) {
            throw RdmaException.of("open device").device(address)
                .detail("the machine has no PCI function at 00:%02x.%d", options.device(), options.function())
                .errno(RdmaException.ENODEV)
                .hint("give QEMU -device pvrdma,addr=%x.%d, or name the function with at=DEVICE.FUNCTION",
                    options.device(), options.function()).build();
        }
    }

    private void setCommand(final int bits, final boolean on) {
        final int command = config.read(PciConfig.COMMAND_OFFSET, Short.BYTES);
        config.write(PciConfig.COMMAND_OFFSET, Short.BYTES, on ? command | bits : command & ~bits);
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
        if (isClosed()) {
            throw RdmaException.of("use BAR" + index).device(address).detail("the device is closed")
                .errno(RdmaException.EBADFD).build();
        }
        if (index < 0 || index >= bars.length || bars[index] == null) {
            throw RdmaException.of("use BAR" + index).device(address).detail("the function has no such memory BAR")
                .errno(RdmaException.ENODEV).build();
        }
        return bars[index];
    }

    @Override
    public DmaDomain dma() {
        return dma;
    }

    @Override
    public Interrupts interrupts() {
        return interrupts;
    }

    /** QEMU's devices offer no function-level reset here. */
    @Override
    public boolean reset() {
        return false;
    }

    /** A machine that dies shows in the next access; there is nobody who would tell earlier. */
    @Override
    public void onLoss(final Consumer<String> listener) {
        // Nothing to tell.
    }

    /** QEMU lives on when this process is killed, and its device keeps what it has. */
    @Override
    public Optional<String> persistentName() {
        return Optional.of(persistentName);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try {
            interrupts.disable();
            setCommand(PciConfig.MEMORY | PciConfig.BUS_MASTER, false);
        } catch (final RdmaException ignored) {
            // The connection is gone, and with it most likely QEMU: nothing is left to switch off.
        } finally {
            closeAll(client, madPeer, onClose);
        }
    }

    @Override
    public String toString() {
        return "QtestPciDevice[" + address + ' ' + client + ' ' + dma
            + (madPeer == null ? "" : " madMessages=" + madPeer.answered()) + ']';
    }
}
