/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A command of rdma4j that is tried on real devices.
 *
 * @param line     what is typed behind {@code ./rdma4j}.
 * @param exitCode which it must have.
 * @param words    what must be in its output.
 */
public record ToolCommand(String line, int exitCode, List<String> words) {
    /** For a user who may not read the process; he must be told so. */
    public static final ToolCommand WITHOUT_RIGHTS = new ToolCommand("qp --pid PID", 1,
        List.of("EACCES", "or as root"));

    private static final String PROCESS = "PID";
    private static final String OF_PROCESS = " --pid " + PROCESS;
    /** What a process shows, and words of it. */
    private static final Map<String, List<String>> SECTIONS = new LinkedHashMap<>();
    private static final ToolCommand STAT = of("stat --once" + OF_PROCESS, "posted sends", "completions");
    /** The last option of an address; below the driver it is none. */
    private static final String GID = "&gid=";

    static {
        SECTIONS.put("dsr", List.of("cmd_slot_dma"));
        SECTIONS.put("caps", List.of("max_qp"));
        SECTIONS.put("cmd", List.of("CREATE_QP", "MODIFY_QP"));
        SECTIONS.put("gid", List.of("ROCE"));
        SECTIONS.put("counters", List.of("commands"));
        SECTIONS.put("errors", List.of());
        SECTIONS.put("qp", List.of("RTS", "send queue", "SEND"));
        SECTIONS.put("cq", List.of("SUCCESS", "RECV"));
        SECTIONS.put("srq", List.of());
        SECTIONS.put("mr", List.of("LOCAL_WRITE", "physical 0x"));
        SECTIONS.put("av", List.of());
        SECTIONS.put("cache", List.of());
    }

    private static ToolCommand of(final String line, final String... words) {
        return new ToolCommand(line, 0, List.of(words));
    }

    /**
     * The command's name.
     *
     * @return the first word of its line.
     */
    public String name() {
        return line.split(" ", 2)[0];
    }

    /**
     * Commands that look at the device alone. Each opens it, which takes its time in a guest within a guest; there the
     * report has the same.
     *
     * @param address of the device.
     * @return in any order.
     */
    public static List<ToolCommand> alone(final String address) {
        final String device = " -d " + address;
        return List.of(
            of("regs" + device, "VERSION"),
            of("config" + device, "15ad", "MSI-X"));
    }

    /**
     * Commands that open the device themselves and do something on it, one after the other.
     *
     * @param address of the device.
     * @param report  name of a file that is written.
     * @return in an order in which each finds what those before it left.
     */
    public static List<ToolCommand> onDevice(final String address, final String report) {
        final String device = " -d " + address;
        return List.of(
            of("dump --all " + report + device + " --sample"),
            of("show " + report, "VERSION", "MSI-X", "max_qp", "CREATE_QP", "posted", "SRQ", "LOCAL_WRITE"),
            of("perf send_lat -s 64 -n 50 --warmup 5 --one-thread -F" + device, "Send Latency Test", "50"));
    }

    /**
     * Commands that record what is exchanged with the device, and play it there again. They are not for a
     * guest within a guest, either.
     *
     * @param address of the device.
     * @param trace   name of a file that is written.
     * @return in this order.
     */
    public static List<ToolCommand> traced(final String address, final String trace) {
        final int gid = address.indexOf(GID);
        final String below = gid < 0 ? address : address.substring(0, gid) + " --gid " + address.substring(
            gid + GID.length());
        return List.of(
            of("pingpong -n 3 -d " + address + " --trace " + trace + " --trace-data", "Data validated: yes"),
            of("replay " + trace + " -d " + below + " --patience 10", "0 unknown differences"));
    }

    /**
     * Commands that look into a process that has a device open and moves data.
     *
     * @return lines with the word PID in place of the process.
     */
    public static List<ToolCommand> onProcess() {
        final List<ToolCommand> commands = new ArrayList<>();
        SECTIONS.forEach((name, words) -> commands.add(new ToolCommand(name + OF_PROCESS, 0, words)));
        commands.add(STAT);
        return commands;
    }

    /**
     * The same sections by one command: to make out which command is meant takes a guest within a guest longer than all
     * that the command does.
     *
     * @return lines with the word PID in place of the process.
     */
    public static List<ToolCommand> onProcessInOne() {
        return List.of(new ToolCommand("dump " + String.join(" ", SECTIONS.keySet()) + OF_PROCESS, 0,
            SECTIONS.values().stream().flatMap(List::stream).toList()), STAT);
    }

    /**
     * Fills a process in.
     *
     * @param line of a command.
     * @param pid  the process that has the device open.
     * @return the line with its number.
     */
    public static String onProcess(final String line, final String pid) {
        return line.replace("--pid " + PROCESS, "--pid " + pid);
    }

    /**
     * What is wrong with an outcome.
     *
     * @param seen what it printed.
     * @return a sentence; empty if it is as it should be.
     */
    public String fault(final Transcript.Entry seen) {
        if (seen.exitCode() != exitCode) {
            return "exit code " + seen.exitCode() + ", expected " + exitCode + ": " + seen.text();
        }
        if (seen.text().contains("\tat ")) {
            return "a stack trace: " + seen.text();
        }
        for (final String word : words) {
            if (!seen.text().contains(word)) {
                return "no '" + word + "' in: " + seen.text();
            }
        }
        return seen.text().isBlank() && exitCode == 0 && !line.startsWith("dump") ? "it printed nothing" : "";
    }
}
