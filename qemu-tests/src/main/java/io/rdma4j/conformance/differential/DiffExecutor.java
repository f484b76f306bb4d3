/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.Gid;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** Plays a script on a device. */
public final class DiffExecutor {
    private final RawDevice device;
    private final Symbols symbols;
    private final CommandPlayer commands;
    private final QueuePlayer queues;

    private DiffExecutor(final RawDevice device, final Gid gid, final int patience) {
        this.device = device;
        final int gidType = (device.caps().gidTypes() & GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2) != 0
            ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2 : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1;
        symbols = new Symbols(Map.of("gid", hex(gid.bytes()), "gid_type", Integer.toString(gidType),
            "uar_pfn", Long.toString(device.uarPfn() + 1)));
        commands = new CommandPlayer(device, symbols);
        queues = new QueuePlayer(device, symbols, commands, patience);
    }

    /**
     * Plays a script.
     *
     * @param script   what to play.
     * @param pci      the device; closed afterwards.
     * @param gid      what {@code $gid} stands for; must be an address of the network behind the device.
     * @param patience factor on all deadlines, for slow machines.
     * @return what the device answered.
     * @throws IllegalArgumentException if a step makes no sense.
     * @throws io.rdma4j.RdmaException  if the device does not come up.
     */
    public static DiffRecording play(
        final DiffScript script, final PciDevice pci, final Gid gid, final int patience) {
        try (RawDevice device = new RawDevice(pci)) {
            final DiffExecutor executor = new DiffExecutor(device, gid, patience);
            final List<DiffRecording.Entry> entries = new ArrayList<>();
            try {
                for (final DiffStep step : script.steps()) {
                    entries.add(new DiffRecording.Entry(step, executor.play(step)));
                }
            } finally {
                executor.commands.destroyLeftOvers();
            }
            return new DiffRecording(pci.address() + " VERSION " + device.version(), entries);
        }
    }

    private Map<String, String> play(final DiffStep step) {
        try {
            return switch (step.verb()) {
                case "CAPS" -> caps();
                case "MEMORY" -> memory(step);
                case "FILL" -> fill(step);
                case "SUM" -> sum(step);
                case "POST_SEND" -> queues.postSend(step);
                case "POST_RECV" -> queues.postReceive(step);
                case "POST_SRQ" -> queues.postShared(step);
                case "POLL_CQ" -> queues.poll(step);
                case "ARM_CQ" -> queues.arm(step);
                case "VECTOR" -> queues.vector(step);
                case "RING" -> queues.ring(step);
                case "SGES" -> queues.sgesLeftAlone(step);
                case "COMMAND" -> commands.playNumber((int) symbols.number(step.argument("id")));
                default -> commands.play(command(step), step);
            };
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("line " + step.line() + ": " + step + ": " + e.getMessage(), e);
        }
    }

    private static Command command(final DiffStep step) {
        for (final Command command : Command.values()) {
            if (command.name().equals(step.verb())) {
                return command;
            }
        }
        throw new IllegalArgumentException("no such verb");
    }

    private Map<String, String> caps() {
        final Map<String, String> answer = new LinkedHashMap<>();
        answer.put("version", Integer.toString(device.version()));
        final Caps caps = device.caps();
        for (final Layout.Field field : Caps.LAYOUT.fields()) {
            // Every device has a GUID of its own.
            if (field.kind() != Kind.RESERVED && !field.name().equals("node_guid")) {
                answer.put(field.name(), FieldText.text(caps.buffer(), caps.offset(), field));
            }
        }
        return answer;
    }

    private Map<String, String> memory(final DiffStep step) {
        final int pages = (int) symbols.number(step.argument("pages"));
        final String given = step.arguments().get("order");
        final int[] order = new int[pages];
        for (int i = 0; i < pages; i++) {
            order[i] = given == null ? i : Integer.parseInt(given.split(",")[i]);
        }
        symbols.add(new Made(step.symbol(), null, new RawPages(device.pci().dma(), order)));
        return Map.of();
    }

    private Map<String, String> fill(final DiffStep step) {
        final RawPages pages = symbols.get(step.argument("memory")).pages();
        final int offset = (int) symbols.number(step.argument("offset"));
        final int length = (int) symbols.number(step.argument("length"));
        final int seed = (int) symbols.number(step.argument("seed"));
        for (int i = 0; i < length; i++) {
            pages.buffer().putByte(pages.at(offset + i), (byte) ((seed + i) * 0x9e37_79b1 >>> 23));
        }
        return Map.of();
    }

    private Map<String, String> sum(final DiffStep step) {
        final RawPages pages = symbols.get(step.argument("memory")).pages();
        final int offset = (int) symbols.number(step.argument("offset"));
        final int length = (int) symbols.number(step.argument("length"));
        final CRC32 crc = new CRC32();
        for (int i = 0; i < length; i++) {
            crc.update(pages.buffer().getByte(pages.at(offset + i)));
        }
        return Map.of("crc32", FieldText.hex(crc.getValue()));
    }

    private static String hex(final byte[] bytes) {
        final StringBuilder text = new StringBuilder();
        for (final byte octet : bytes) {
            text.append(String.format("%02x", octet));
        }
        return text.toString();
    }
}
