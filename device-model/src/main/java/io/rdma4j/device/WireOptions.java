/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.LossOptions;
import io.rdma4j.device.wire.LossyCarrier;
import io.rdma4j.device.wire.PcapCarrier;
import io.rdma4j.device.wire.ShmCarrier;
import io.rdma4j.device.wire.UdpCarrier;
import io.rdma4j.driver.dma.HostMemory;
import io.rdma4j.driver.libc.NetNamespace;
import io.rdma4j.hw.roce.Icrc;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * How a device reaches those of other processes and hosts, as its address says. Immutable.
 *
 * @param kind      the carrier.
 * @param addresses of this host, for UDP: a text, as what it means depends on the network namespace.
 * @param port      of UDP.
 * @param netns     the network namespace with the addresses; null for that of the process.
 * @param shortcut  whether devices of this JVM are reached directly.
 * @param polled    whether who posts, polls or waits serves the wire; else a thread of its own does.
 * @param loss      what happens to frames on purpose; null for nothing.
 * @param pcap      file for what goes over the wire; null for none.
 */
record WireOptions(Kind kind, String addresses, int port, String netns, boolean shortcut,
                   boolean polled, LossOptions loss, Path pcap) {
    private static final String OPEN = "open device";
    private static final int MAX_PORT = 0xffff;
    private static final List<String> OF_UDP = List.of("address", "port", "netns");
    /** Who gives one of these wants a wire. */
    private static final List<String> OF_FRAMES = List.of("shortcut", "loss", "pcap", "progress");

    /** What carries frames. */
    enum Kind {
        /** Nothing: the device reaches those of its JVM. */
        NONE,
        /** As SHM where that is possible, else as NONE. */
        AUTO,
        /** RoCEv2 over UDP sockets. */
        UDP,
        /** Shared memory of processes of one user on one host. */
        SHM
    }

    /**
     * Reads an address.
     *
     * @param address {@code emulated:name?wire=udp&address=192.0.2.1}.
     * @param device  its other options.
     * @return the options.
     * @throws RdmaException EINVAL for values that make no sense.
     */
    static WireOptions of(DeviceAddress address, DeviceOptions device) {
        final Kind kind = kind(address, device);
        if (kind == Kind.NONE) {
            refuseWithout(address);
        } else if (!device.quirks().isEmpty()) {
            throw refused(address, "option wire with quirks " + device.quirks(),
                "a device that behaves as another one has that one's wire");
        }
        for (String name : OF_UDP) {
            if (kind != Kind.UDP && address.options().containsKey(name)) {
                throw refused(address, "option " + name + " is of wire=udp", "leave it out");
            }
        }
        return new WireOptions(kind, address.option("address", ""),
            (int) address.option("port", Icrc.PORT, 1, MAX_PORT), address.options().get("netns"),
            isFirst(address, "shortcut", "true", "false", "true"),
            isFirst(address, "progress", "poll", "thread", "thread"),
            loss(address), pcap(address));
    }

    private static void refuseWithout(DeviceAddress address) {
        for (String name : address.options().keySet()) {
            if (OF_FRAMES.contains(name) || OF_UDP.contains(name)) {
                throw refused(address, "option " + name + " without a wire", "add wire=udp or wire=shm");
            }
        }
    }

    /** A device that behaves as another one has no wire unless it is asked for, which is refused. */
    private static Kind kind(DeviceAddress address, DeviceOptions device) {
        final String text = address.option("wire", device.quirks().isEmpty() ? "auto" : "none");
        if (text.equals("auto") && address.options().keySet().stream().anyMatch(OF_FRAMES::contains)) {
            return Kind.SHM;
        }
        for (Kind each : Kind.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(text)) {
                return each;
            }
        }
        throw refused(address, "option wire=" + text, "use udp, shm, auto or none");
    }

    private static boolean isFirst(DeviceAddress address, String name, String first, String second, String usual) {
        final String text = address.option(name, usual);
        if (!text.equals(first) && !text.equals(second)) {
            throw refused(address, "option " + name + "=" + text, "use " + first + " or " + second);
        }
        return text.equals(first);
    }

    private static LossOptions loss(DeviceAddress address) {
        final String text = address.options().get("loss");
        return text == null ? null : LossOptions.parse(text);
    }

    private static Path pcap(DeviceAddress address) {
        final String text = address.options().get("pcap");
        try {
            return text == null ? null : Path.of(text);
        } catch (final InvalidPathException e) {
            throw refused(address, "option pcap: " + e.getMessage(), "name a file that does not exist yet");
        }
    }

    private static RdmaException refused(DeviceAddress address, String detail, String hint) {
        return RdmaException.of(OPEN).device(address).detail(detail).errno(RdmaException.EINVAL).hint(hint).build();
    }

    /**
     * Opens what carries frames.
     *
     * @param address  of the device, for errors.
     * @param counters of the device.
     * @return the carrier; null if there is none.
     */
    Carrier open(DeviceAddress address, Counters counters) {
        if (kind == Kind.NONE) {
            return null;
        }
        final Carrier bare = isShm() ? ShmCarrier.open(pcap == null && loss == null, HostMemory::sharedDescriptor)
            : netns == null ? openUdp(counters) : NetNamespace.call(netns, () -> openUdp(counters));
        try (Undo undo = new Undo()) {
            undo.add(bare::close);
            final Carrier captured = pcap == null ? bare : PcapCarrier.wrap(bare, pcap, counters);
            // With its file; the carrier below is closed once, however often that is asked for.
            undo.add(captured::close);
            final Carrier carrier = loss == null ? captured : LossyCarrier.wrap(captured, loss);
            undo.forget();
            return carrier;
        }
    }

    private boolean isShm() {
        return kind == Kind.SHM || kind == Kind.AUTO;
    }

    /** What the device's memory is made of: peers of this host read long payloads where they are. */
    HostMemory memory() {
        return isShm() ? HostMemory.ofJvmShared() : HostMemory.ofJvm();
    }

    /** Whether a device does without, where there is no way to others: nobody asked for one. */
    boolean isOptional() {
        return kind == Kind.AUTO;
    }

    private Carrier openUdp(Counters counters) {
        return UdpCarrier.open(UdpCarrier.parseAddresses(addresses), port, counters);
    }
}
