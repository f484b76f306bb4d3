/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.pvrdma.device.DeviceProfile;
import io.rdma4j.verbs.pvrdma.device.Quirk;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which steps of a trace a device can be asked to play: those it has no means for are left out with the reason, so that
 * what is compared is what both devices can do, and so that a device which hangs on something is not asked for it.
 */
final class Fitness {
    private final DeviceProfile profile;
    private final Caps caps;
    private final Set<String> skippedRequests = new HashSet<>();
    private final Map<String, String> absent = new HashMap<>();
    private boolean gidBound;

    Fitness(final DeviceProfile profile, final Caps caps) {
        this.profile = profile;
        this.caps = caps;
    }

    /** Why a step is left out; null if it is played. */
    String objection(final DiffStep step) {
        final String objection = switch (step.verb()) {
            case "POST_SEND" -> send(step);
            case "POLL_CQ" -> skippedRequests.contains(request(step, step.arguments().getOrDefault("side", "")))
                ? "the request of the completion was left out" : null;
            case "CREATE_MW", "DESTROY_MW" -> extension(ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS);
            case "RESIZE_CQ_RING" -> extension(ExtensionFlags.RDMA4J_EXT_CQ_RESIZE);
            case "CREATE_SRQ" -> caps.get(Caps.MAX_SRQ) == 0 ? "the device has no shared receive queues" : null;
            default -> null;
        };
        if (objection != null) {
            leftOut(step, objection);
        }
        return objection;
    }

    private String send(final DiffStep step) {
        final String given = step.arguments().getOrDefault("opcode", "0");
        final int opcode = given.matches("0x[0-9a-f]{1,7}|\\d{1,8}") ? Integer.decode(given) : -1;
        final boolean send = opcode == WrOpcode.PVRDMA_WR_SEND || opcode == WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
        if (!send && profile.has(Quirk.SEND_ONLY)) {
            return "SEND_ONLY: the device " + Quirk.SEND_ONLY.description();
        }
        if (!gidBound && profile.has(Quirk.BAD_WQE_LOOPS)) {
            return "BAD_WQE_LOOPS: no GID could be bound (see --gid), and the device "
                + Quirk.BAD_WQE_LOOPS.description();
        }
        return isAtomic(opcode) && caps.get(Caps.ATOMIC_OPS) == 0 ? "the device has no atomics" : null;
    }

    private static boolean isAtomic(final int opcode) {
        return switch (opcode) {
            case WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP, WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD,
                WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP, WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD -> true;
            default -> false;
        };
    }

    private String extension(final int flag) {
        return profile.hasExtensions() && (caps.get(Caps.DEVICE_CAP_FLAGS2) & flag) != 0 ? null
            : "the device has no extension " + ExtensionFlags.NAMES.of(flag);
    }

    /** A step was not played. */
    void leftOut(final DiffStep step, final String why) {
        if (step.verb().equals("POST_SEND")) {
            skippedRequests.add(request(step, "send"));
        } else if (step.verb().equals("POST_RECV")) {
            skippedRequests.add(request(step, "receive"));
        }
        if (step.symbol() != null) {
            absent.putIfAbsent(step.symbol(), why);
        }
    }

    private static String request(final DiffStep step, final String side) {
        return step.arguments().get("qp") + " " + side + " " + step.arguments().getOrDefault("wr_id", "0x0");
    }

    /** A step was played. */
    void played(final DiffStep step, final Map<String, String> answer) {
        final boolean refused = !answer.getOrDefault("err", "0x0").equals("0x0");
        if (refused && step.symbol() != null) {
            absent.putIfAbsent(step.symbol(), "the device refused " + step.verb());
        }
        gidBound |= !refused && step.verb().equals(Command.CREATE_BIND.name());
    }

    /** Why something that a step names is not there. */
    String absence(final String name) {
        return "needs what is not there: " + absent.getOrDefault(name, "'" + name + "' was not made");
    }
}
