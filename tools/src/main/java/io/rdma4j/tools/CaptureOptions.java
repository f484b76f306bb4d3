/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.DeviceAddress;
import io.rdma4j.tools.traffic.Wires;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.nio.file.Path;

/** What is written down of what goes over the wire of an emulated device. */
final class CaptureOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--pcap", paramLabel = "FILE",
        description = "Write each packet into a new FILE, for Wireshark; of an emulated device only. Within one "
            + "process the device reaches itself by packets then, and each is there once.")
    private Path file;

    /** The device's address, with the capture that is asked for. */
    String of(final String address) {
        if (file == null) {
            return address;
        }
        final DeviceAddress device = DeviceAddress.parse(address);
        if (!device.scheme().equals("emulated")) {
            throw wrong("packets of " + address + " do not pass through this process; Wireshark and tcpdump see those "
                + "of a network device");
        }
        requireWire(device, address);
        if (file.toString().indexOf('&') >= 0) {
            throw wrong("a name with '&', such as " + file + ", ends there in a device's address; take another");
        }
        final String byWire = byWire(device, address, "false");
        return byWire + (byWire.indexOf('?') < 0 ? "?" : "&") + "pcap=" + file;
    }

    /** The address of the other end's device: its answers have to go by packets, too. */
    String ofOther(final String address, final String captured) {
        final DeviceAddress device = file == null ? null : DeviceAddress.parse(address);
        if (device == null || !device.scheme().equals("emulated")) {
            return address;
        }
        requireWire(device, address);
        return byWire(device, address, DeviceAddress.parse(captured).option("shortcut", "false"));
    }

    private static String byWire(final DeviceAddress device, final String address, final String shortcut) {
        return device.options().containsKey("shortcut") ? address
            : address + (device.options().isEmpty() ? "?" : "&") + "shortcut=" + shortcut;
    }

    private void requireWire(final DeviceAddress device, final String address) {
        if (Wires.hasNone(device)) {
            throw wrong(address + " has no wire; leave wire=none and quirks out");
        }
    }

    private ParameterException wrong(final String why) {
        return new ParameterException(spec.commandLine(), "Invalid use of option '--pcap' (FILE): " + why);
    }
}
