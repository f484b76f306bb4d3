/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.Gid;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.zip.CRC32;

/** Plays a script on a device. */
public final class DiffExecutor {
    /** The field that says why a step was left out. */
    public static final String SKIPPED = "skipped";

    private final RawDevice device;
    private final Symbols symbols;
    private final Fitness fitness;
    private final Answers answers;
    private final CommandPlayer commands;
    private final QueuePlayer queues;

    private DiffExecutor(final RawDevice device, final Gid gid, final int patience) {
        this.device = device;
        fitness = new Fitness(device.profile(), device.caps());
        final int gidType = (device.caps().get(Caps.GID_TYPES) & GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2) != 0
            ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2 : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1;
        symbols = new Symbols(Map.of("gid", hex(gid.bytes()), "gid_type", Integer.toString(gidType),
            "uar_pfn", Long.toString(device.uarPfn() + 1)));
        answers = new Answers(symbols, device.version());
        commands = new CommandPlayer(device, symbols, answers);
        queues = new QueuePlayer(device, symbols, commands, answers, patience);
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
        return play(script, pci, gid, patience, DiffExecutor::play);
    }

    /**
     * Plays a script that was made of a trace: steps that the device has no means for, and steps that need what could
     * not be made, are left out.
     *
     * @param script   what to play.
     * @param pci      the device; closed afterwards.
     * @param gid      what {@code $gid} stands for; must be an address of the network behind the device.
     * @param patience factor on all deadlines, for slow machines.
     * @return what the device answered; a step that was left out has the field {@link #SKIPPED} and no other, which
     *         says why.
     * @throws IllegalArgumentException if a step makes no sense.
     * @throws io.rdma4j.RdmaException  if the device does not come up.
     */
    public static DiffRecording playWhatFits(
        final DiffScript script, final PciDevice pci, final Gid gid, final int patience) {
        return play(script, pci, gid, patience, DiffExecutor::playIfFit);
    }

    private static DiffRecording play(
        final DiffScript script, final PciDevice pci, final Gid gid, final int patience,
        final BiFunction<DiffExecutor, DiffStep, Map<String, String>> player) {
        try (RawDevice device = new RawDevice(pci)) {
            final DiffExecutor executor = new DiffExecutor(device, gid, patience);
            final List<DiffRecording.Entry> entries = new ArrayList<>();
            try {
                for (final DiffStep step : script.steps()) {
                    entries.add(new DiffRecording.Entry(step, player.apply(executor, step)));
                }
            } finally {
                executor.commands.destroyLeftOvers();
            }
            return new DiffRecording(pci.address() + " VERSION " + device.version(), entries);
        }
    }

    private Map<String, String> playIfFit(final DiffStep step) {
        final String objection = fitness.objection(step);
        if (objection != null) {
            return Map.of(SKIPPED, objection);
        }
        try {
            final Map<String, String> answer = play(step);
            fitness.played(step, answer);
            return answer;
        } catch (final IllegalArgumentException e) {
            if (e.getCause() instanceof UnknownNameException) {
                final String why = fitness.absence(((UnknownNameException) e.getCause()).name());
                fitness.leftOut(step, why);
                return Map.of(SKIPPED, why);
            }
            throw e;
        }
    }

    private Map<String, String> play(final DiffStep step) {
        try {
            return switch (step.verb()) {
                case "CAPS" -> answers.caps(device.caps().buffer(), device.caps().offset());
                case "MEMORY" -> memory(step);
                case "FREE" -> free(step);
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
        } catch (final IllegalArgumentException | IndexOutOfBoundsException e) {
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

    private Map<String, String> memory(final DiffStep step) {
        final long pages = symbols.number(step.argument("pages"));
        if (pages < 1 || pages > Pdir.MAX_PAGES || step.symbol() == null) {
            throw new IllegalArgumentException("memory has a name and 1 to " + Pdir.MAX_PAGES + " pages");
        }
        final String given = step.arguments().get("order");
        final String backing = step.arguments().get("backing");
        final int real = backing == null ? (int) pages : (int) Math.min(pages, symbols.number(backing));
        final String[] listed = given == null ? null : given.split(",");
        final int[] order = new int[(int) pages];
        for (int i = 0; i < pages; i++) {
            order[i] = listed == null ? i % Math.max(1, real) : Integer.parseInt(listed[i]);
        }
        symbols.add(new Made(step.symbol(), null, new RawPages(device.pci().dma(), order, real)));
        return Map.of();
    }

    private Map<String, String> free(final DiffStep step) {
        final Made memory = symbols.get(step.argument("memory"));
        if (memory.command() != null || !symbols.isLive(memory)) {
            throw new IllegalArgumentException("'" + memory.name() + "' is no memory, or no more");
        }
        symbols.remove(memory);
        memory.free();
        return Map.of();
    }

    private Map<String, String> fill(final DiffStep step) {
        final RawPages pages = symbols.get(step.argument("memory")).pages();
        final int offset = (int) symbols.number(step.argument("offset"));
        final int length = (int) symbols.number(step.argument("length"));
        final int seed = (int) symbols.number(step.argument("seed"));
        for (int i = 0; i < length; i++) {
            pages.buffer().putByte(pages.at(offset + i), (byte) ((seed + i) * 0x9e37_79b1 >> 23));
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
