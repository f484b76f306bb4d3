/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Identity;
import io.rdma4j.device.common.InterruptOutput;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.engine.EngineEnvironment;
import io.rdma4j.device.front.Bus;
import io.rdma4j.device.front.CommandChannel;
import io.rdma4j.device.front.Controller;
import io.rdma4j.device.front.EngineCommands;
import io.rdma4j.device.front.EventRings;
import io.rdma4j.device.front.FaultPlan;
import io.rdma4j.device.front.InterruptController;
import io.rdma4j.device.front.MsixBar;
import io.rdma4j.device.front.PciConfigSpace;
import io.rdma4j.device.front.RegisterBar;
import io.rdma4j.device.front.UarBar;
import io.rdma4j.device.link.InProcessLink;
import io.rdma4j.device.link.Link;
import io.rdma4j.device.link.Port;
import io.rdma4j.device.link.WireLink;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.vfiouser.ServedFunction;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.driver.dma.HostMemory;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.dma.IommuDmaDomain;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.dma.IovaPolicy;
import io.rdma4j.driver.dma.PagePins;
import io.rdma4j.driver.dma.PinningIommu;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.EventType;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * A pvrdma device in software. Opened through {@link EmulatedProvider}; tests find the open device by its name to look
 * inside and to have it fail.
 */
public final class EmulatedDevice implements ServedFunction {
    private static final ConcurrentMap<String, EmulatedDevice> OPEN = new ConcurrentHashMap<>();
    /** Bus addresses begin here: no address of the process is near. */
    private static final long FIRST_IOVA = 0x10_0000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final DeviceAddress address;
    private final DeviceOptions options;
    private final Counters counters = new Counters();
    private final FaultPlan faultPlan = new FaultPlan();
    private final Bus bus = new Bus(counters);
    private final EmulatedIommu iommu = new EmulatedIommu(counters);
    private final IommuDmaDomain dma;
    private final InterruptController interrupts;
    private final EventRings events;
    /** Null for a device that reaches only those of its own JVM. */
    private final Carrier carrier;
    private final String whyNoCarrier;
    /** Null if there is no carrier, or those serve it who post, poll and wait. */
    private final WireThread wire;
    private final Gid network;
    private final Link link;
    private final Engine engine;
    private final PciConfigSpace config;
    private final MsixBar msixBar;
    private final RegisterBar registers;
    private final UarBar uar;
    private final Controller controller;
    private final CommandChannel channel;
    private final EmulatedFaults faults;
    private volatile boolean closed;

    private EmulatedDevice(DeviceAddress address, DeviceOptions given, WireOptions wireOptions,
        BiFunction<String, Runnable, Thread> threads) {
        this.address = address;
        Carrier opened = null;
        String whyNot = "it has no wire: add wire=shm or wire=udp at both ends";
        try {
            opened = wireOptions.open(address, counters);
        } catch (final RdmaException e) {
            whyNot = e.getMessage();
            if (!wireOptions.isOptional()) {
                throw e;
            }
        }
        this.carrier = opened;
        try (Undo undo = new Undo()) {
            if (carrier != null) {
                undo.add(carrier::close);
            }
            this.whyNoCarrier = whyNot;
            this.options = carrier == null ? given : given.withMtu(carrier.mtu());
            this.network = carrier == null || carrier.gids().isEmpty() ? null : carrier.gids().get(0);
            this.interrupts = new InterruptController(options, counters, this::service);
            this.config = new PciConfigSpace(options, this::onCommand, interrupts::control);
            bus.config(config);
            this.msixBar = new MsixBar(bus, interrupts);
            interrupts.join(config, msixBar);
            this.events = new EventRings(options, counters, interrupts);
            this.link = carrier == null ? InProcessLink.JVM
                : new WireLink(InProcessLink.JVM, carrier, wireOptions.shortcut(), wireOptions.isOptional());
            this.engine = new Engine(
                new EngineEnvironment(options, counters, iommu, link, events, carrier, wireOptions.polled()));
            this.uar = new UarBar(bus, engine, events, options);
            this.channel = new CommandChannel(options, counters, iommu, interrupts, faultPlan,
                new EngineCommands(options, counters, engine, uar::busAddress));
            this.controller = new Controller(options, counters, iommu, engine, events, channel);
            this.registers = new RegisterBar(bus, options, controller, interrupts);
            this.dma = dma(address, options, iommu, wireOptions.memory());
            this.faults = new EmulatedFaults(this, faultPlan, engine, events);
            iommu.gracePeriod(this::quiesce);
            this.wire = carrier == null || wireOptions.polled() ? null : new WireThread(options.name(), engine, carrier,
                counters, threads);
            undo.forget();
        }
    }

    private static IommuDmaDomain dma(DeviceAddress address, DeviceOptions options, Iommu iommu, HostMemory usual) {
        final IovaAllocator iovas = new IovaAllocator(List.of(
            new IovaAllocator.Range(FIRST_IOVA, (1L << options.iovaBits()) - 1)));
        return new IommuDmaDomain(options.mlock() ? new PinningIommu(iommu, PagePins.process()) : iommu, iovas,
            IovaPolicy.ALLOCATED, options.pages() == null ? usual : new HostMemory(options.pages()), address);
    }

    /**
     * Opens a device.
     *
     * @param address with the scheme {@code emulated}.
     * @return the device.
     * @throws RdmaException EINVAL for unknown options, EBUSY if a device of that name is open.
     */
    static EmulatedDevice open(DeviceAddress address) {
        return open(address, DaemonThreads::of);
    }

    static EmulatedDevice open(DeviceAddress address, BiFunction<String, Runnable, Thread> threads) {
        final DeviceOptions options = DeviceOptions.of(address);
        final EmulatedDevice holder = OPEN.get(options.name());
        final EmulatedDevice device = holder == null ? new EmulatedDevice(address, options,
            WireOptions.of(address, options), threads) : null;
        if (device != null && OPEN.putIfAbsent(options.name(), device) == null) {
            try (Undo undo = new Undo()) {
                undo.add(device::close);
                device.begin();
                undo.forget();
            }
            return device;
        }
        if (device != null) {
            device.close();
        }
        throw isOpen(address, options.name());
    }

    private static RdmaException isOpen(DeviceAddress address, String name) {
        return RdmaException.of("open device").device(address)
            .detail("the emulated device '%s' is open already%s", name,
                OPEN.containsKey(name) ? ", as " + OPEN.get(name).address : "")
            .errno(RdmaException.EBUSY)
            .hint("close it, or give this one another name: emulated:NAME").build();
    }

    private void begin() {
        if (wire != null) {
            wire.start();
        }
    }

    /**
     * Finds an open device.
     *
     * @param name of the device; {@code "0"} for the address {@code emulated:}.
     * @return the device.
     * @throws RdmaException ENODEV if no device of that name is open.
     */
    public static EmulatedDevice lookup(String name) {
        final EmulatedDevice device = OPEN.get(name);
        if (device == null) {
            throw RdmaException.of("look up device").object(name).detail("open devices are %s", OPEN.keySet())
                .errno(RdmaException.ENODEV).build();
        }
        return device;
    }

    private void onCommand(int command) {
        bus.command(command);
        iommu.busMaster((command & PciConfig.BUS_MASTER) != 0 && !bus.isRemoved());
        interrupts.commandChanged();
    }

    @Override
    public long service() {
        return engine.service();
    }

    @Override
    public void mapMemory(long iova, long hostAddress, long length) {
        iommu.mapLasting(iova, hostAddress, length);
    }

    @Override
    public void unmapMemory(long iova, long length) {
        iommu.unmap(iova, length);
    }

    @Override
    public void interruptsTo(InterruptOutput output) {
        interrupts.output(output);
    }

    @Override
    public boolean isLineAsserted() {
        return interrupts.isLineAsserted();
    }

    private void quiesce() {
        engine.quiesce();
        events.quiesce();
        controller.quiesce();
    }

    /**
     * {@return the name that sets this device apart in this JVM}
     */
    public String name() {
        return options.name();
    }

    /**
     * {@return the options that the device was opened with}
     */
    public DeviceOptions options() {
        return options;
    }

    /**
     * {@return MAC address and GUID of the device}
     */
    public Identity identity() {
        return options.identity();
    }

    /**
     * {@return the counters of surprising events}
     */
    public Counters counters() {
        return counters;
    }

    /**
     * {@return how often the driver did something that hangs or crashes QEMU 7.2}
     */
    public long violations() {
        return counters.get(Counter.WOULD_HANG_QEMU);
    }

    /**
     * {@return ways to have this device fail}
     */
    public EmulatedFaults faults() {
        return faults;
    }

    /** The function is pulled out: it answers no more, reaches no memory, and its peers find nobody. */
    void remove() {
        bus.remove();
        config.remove();
        iommu.busMaster(false);
        controller.close();
    }

    /** The device fails as a whole; only a reset helps. */
    void die() {
        events.async(EventType.PVRDMA_EVENT_DEVICE_FATAL, 0);
        controller.die();
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
    public Bar bar(int index) {
        if (closed) {
            throw RdmaException.of("find BAR " + index).device(address).detail("the device is closed")
                .errno(RdmaException.EBADFD).build();
        }
        return switch (index) {
            case 0 -> msixBar;
            case 1 -> registers;
            case 2 -> uar;
            default -> throw RdmaException.of("find BAR "
                + index).device(address).detail("the function has BARs 0 to 2")
                .errno(RdmaException.ENODEV).build();
        };
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
    public synchronized boolean reset() {
        if (closed || options.has(Quirk.WEAK_RESET)) {
            return false;
        }
        controller.close();
        registers.reset();
        interrupts.reset();
        config.write(PciConfig.COMMAND_OFFSET, 2, 0);
        return true;
    }

    @Override
    public synchronized void powerUp() {
        if (!closed) {
            controller.close();
            registers.reset();
            interrupts.powerUp();
            config.powerUp();
        }
    }

    /** Nobody takes a device of this JVM away. */
    @Override
    public void onLoss(Consumer<String> listener) {
        // Nothing to tell.
    }

    @Override
    public String whyUnreachable(long gidHigh, long gidLow) {
        if (link.route(gidHigh, gidLow) != null) {
            return null;
        }
        return carrier == null
            ? "no open device of this process has it, and this device does not reach others: " + whyNoCarrier
            : "nobody has it, as far as " + carrier + " can know";
    }

    @Override
    public boolean isByWire(long gidHigh, long gidLow) {
        final Port port = link.route(gidHigh, gidLow);
        return port == null || port.isRemote();
    }

    @Override
    public byte[] networkAddress() {
        return network == null ? null : ByteBuffer.allocate(2 * Long.BYTES).putLong(network.high())
            .putLong(network.low()).array();
    }

    @Override
    public void publishCounters(LivePublisher live) {
        counters.publish(live);
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            config.write(PciConfig.COMMAND_OFFSET, 2, 0);
            bus.remove();
            controller.close();
            final Cleanup cleanup = new Cleanup();
            if (carrier != null && (wire == null || wire.close()) && engine.endProgress(PATIENCE_NANOS)) {
                cleanup.run(carrier::close);
            }
            cleanup.run(interrupts::disable).run(dma::close).run(iommu::unmapAll);
            OPEN.remove(options.name(), this);
            cleanup.throwIfFailed();
        }
    }

    /**
     * {@return registers, tables, rings and counters, for failure reports}
     */
    public String describe() {
        return this + "\n" + registers + interrupts + channel + events + iommu + engine.describe() + counters;
    }

    @Override
    public String toString() {
        return "EmulatedDevice[" + address + " version " + options.version() + " mac " + identity()
            + (options.quirks().isEmpty() ? "" : " quirks " + options.quirks()) + (closed ? " closed" : "") + "]";
    }
}
