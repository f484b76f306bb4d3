/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Ways in which QEMU 7.2's device differs from what drivers expect; each can be switched on alone, so that a driver's
 * work-around can be tested without QEMU. Its memory faults are not among them: where QEMU would hang or crash, the
 * emulated device counts {@link Counter#WOULD_HANG_QEMU} and goes on.
 */
public enum Quirk {
    /** Subsystem 1af4:1100, VERSION 17, fw_ver 14. */
    IDENTITY,
    /** Registers are plain storage; ERR begins as 0xffff; UNQUIESCE leaves it; UARs read as all ones. */
    PLAIN_REGISTERS,
    /** Many capabilities stay 0 and gid_types is OR-ed onto what the driver left; maxima are advertised too high. */
    ZERO_CAPS,
    /** Every command gets a response and an interrupt, also those without a defined response. */
    ALWAYS_RESPONDS,
    /** Command 18 runs QUERY_SRQ and command 19 MODIFY_SRQ. */
    SRQ_SWAP,
    /** Only ARM and ARM_SOL together arm a CQ, for any completion. */
    ARM_BOTH,
    /** A CQ notification is queued for each completion, armed or not. */
    NOTIFY_ALWAYS,
    /** Every send produces a completion. */
    ALWAYS_SIGNALED,
    /** Every opcode is executed as SEND; regions for fast registration are not offered. */
    ONLY_SEND,
    /** Immediate data is not delivered. */
    NO_IMM,
    /** The rkey of every region is 0xffffffff. */
    NO_RKEY,
    /**
     * A region's page count must be its length in pages, whatever its offset in the first page; flags that ask for
     * other kinds of regions than that of all DMA memory are overlooked.
     */
    WHOLE_PAGES,
    /** A WQE's SGEs are overwritten after the doorbell. */
    SCRIBBLES_SGES,
    /** The consumer index advances at the doorbell, not when the request is done. */
    EARLY_CONS_HEAD,
    /** Going to ERR, SQD or RESET is only remembered: nothing is flushed, and there is no way back. */
    NO_FLUSH,
    /**
     * MODIFY_QP does nothing without a state. With one it takes sgid_index, dgid, dest_qp_num, qkey, rq_psn and sq_psn,
     * whatever the mask says, and has values of its own for the rest: no remote access, P_Key index 0, a path MTU of
     * 1024, one READ or atomic under way, RNR timer 12, timeout 14, 7 retries of both kinds, hop limit 1.
     */
    QP_ATTRS_FORCED,
    /** The asynchronous event ring stays empty. */
    NO_EVENTS,
    /** The port is reported as down. */
    PORT_DOWN,
    /** CQs, SRQs and each queue of a QP have at most 128 pages. */
    FEW_RING_PAGES,
    /** QUERY_QP answers garbage behind byte 35 of the attributes. */
    QUERY_GARBAGE,
    /** Completions of receives tell of a route header on connections too. */
    GRH_ALWAYS,
    /** CTL RESET frees nothing. */
    WEAK_RESET,
    /**
     * Handles count from 0, and a region's is its lkey; destroying an unknown PD, MR or UC succeeds. Regions for fast
     * registration are not offered, as that chooses a part of the lkey, which would become another region's.
     */
    PLAIN_HANDLES,
    /** An interrupt that is masked when it comes is lost. */
    LOST_INTERRUPTS;

    /**
     * Reads the value of the option {@code quirks}.
     *
     * @param text {@code "qemu-7.2"} for all, or quirks separated by commas, such as {@code "srq-swap,no-imm"}.
     * @return the quirks, possibly none.
     * @throws IllegalArgumentException naming the unknown quirk and all that there are.
     */
    public static Set<Quirk> parse(String text) {
        final EnumSet<Quirk> quirks = EnumSet.noneOf(Quirk.class);
        for (String name : text.isEmpty() ? new String[0] : text.split(",")) {
            if ("qemu-7.2".equals(name)) {
                quirks.addAll(EnumSet.allOf(Quirk.class));
            } else {
                quirks.add(named(name));
            }
        }
        return quirks;
    }

    private static Quirk named(String name) {
        for (Quirk quirk : values()) {
            if (quirk.toString().equals(name)) {
                return quirk;
            }
        }
        throw new IllegalArgumentException("unknown quirk '" + name + "'; there are qemu-7.2 (all) and "
            + EnumSet.allOf(Quirk.class));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
