/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_CTL;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_DSRHIGH;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_DSRLOW;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_ERR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_ICR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_IMR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_MACH;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_MACL;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_REQUEST;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_VERSION;

import com.google.gson.JsonElement;
import io.rdma4j.RdmaException;
import io.rdma4j.hw.layout.Names;
import io.rdma4j.hw.pvrdma.Bar1;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The registers of BAR1: what may be done to each, and what its values mean. */
public enum Register {
    /** Version of the device. */
    VERSION(PVRDMA_REG_VERSION, Access.READ_ONLY, ""),
    /** Where the shared region is, low half. */
    DSRLOW(PVRDMA_REG_DSRLOW, Access.WRITE_ONLY,
        "the next write to DSRHIGH makes the device use a shared region at another address"),
    /** Where the shared region is, high half. */
    DSRHIGH(PVRDMA_REG_DSRHIGH, Access.WRITE_ONLY,
        "the device reads a shared region from the address in DSRHIGH and DSRLOW, and writes its capabilities there: "
            + "it may overwrite any memory that it reaches, and fail"),
    /** Control. */
    CTL(PVRDMA_REG_CTL, Access.WRITE_ONLY,
        "2 (RESET) makes the device forget all queues, regions and windows: transfers end, and the driver is not told"),
    /** Executes a command. */
    REQUEST(PVRDMA_REG_REQUEST, Access.WRITE_ONLY,
        "0 executes what is in the command slot once more: an object may be made twice or destroyed"),
    /** Result of the last command. */
    ERR(PVRDMA_REG_ERR, Access.READ_ONLY, ""),
    /** Interrupt causes. */
    ICR(PVRDMA_REG_ICR, Access.READ_CLEARS, ""),
    /** Interrupt mask. */
    IMR(PVRDMA_REG_IMR, Access.READ_WRITE,
        "a masked interrupt does not come: who waits for a response or an event waits until its deadline"),
    /** MAC address, low part. */
    MACL(PVRDMA_REG_MACL, Access.READ_WRITE, "the port may be unreachable under its address"),
    /** MAC address, high part. */
    MACH(PVRDMA_REG_MACH, Access.READ_WRITE, "the port may be unreachable under its address");

    private static final int ERR_NO_HANDLER = 0xffff;
    private static final int MAX_ERRNO = 4095;
    private static final int INTERRUPTS = 0b111;

    private final int offset;
    private final Access access;
    private final String risk;

    Register(final int offset, final Access access, final String risk) {
        this.offset = offset;
        this.access = access;
        this.risk = risk;
    }

    /** What the interface allows. */
    public enum Access {
        /** Writes are ignored, or worse. */
        READ_ONLY("ro"),
        /** What is read back is not defined; many a device returns what was written. */
        WRITE_ONLY("wo"),
        /** Both. */
        READ_WRITE("rw"),
        /** Reading may clear it. */
        READ_CLEARS("rc");

        private final String code;

        Access(final String code) {
            this.code = code;
        }

        @Override
        public String toString() {
            return code;
        }
    }

    /**
     * Where it is.
     *
     * @return offset in BAR1.
     */
    public int offset() {
        return offset;
    }

    /**
     * What may be done to it.
     *
     * @return never null.
     */
    public Access access() {
        return access;
    }

    /**
     * What writing to it may break.
     *
     * @return a sentence without a full stop; empty if it cannot be written.
     */
    public String risk() {
        return risk;
    }

    /**
     * Finds one by its name.
     *
     * @param name in upper or lower case.
     * @return the register; null if there is none.
     */
    public static Register of(final String name) {
        return Stream.of(values()).filter(one -> one.name().equals(name.toUpperCase(Locale.ROOT))).findAny()
            .orElse(null);
    }

    /**
     * Those that can be written.
     *
     * @return their names.
     */
    public static List<String> writable() {
        return Stream.of(values()).filter(one -> !one.risk.isEmpty()).map(Enum::name).toList();
    }

    /**
     * A value of the register.
     *
     * @param value as read.
     * @return hexadecimal; with its name if it has one, and invalid if it cannot be.
     */
    JsonElement decode(final int value) {
        return switch (this) {
            case VERSION -> version(value);
            case CTL -> withName(value, Bar1.CTL_NAMES);
            case ERR -> withName(value, Register::errName);
            case ICR -> causes(value);
            case IMR -> withName(value, Register::maskName);
            default -> Fields.hex(Integer.toUnsignedLong(value));
        };
    }

    private static JsonElement version(final int value) {
        final JsonElement version = Fields.unsigned(value);
        return value >= Bar1.PVRDMA_ROCEV1_VERSION && value <= Bar1.PVRDMA_QPHANDLE_VERSION ? version
            : Fields.invalid(version, String.format("this driver knows %d to %d", Bar1.PVRDMA_ROCEV1_VERSION,
                Bar1.PVRDMA_QPHANDLE_VERSION));
    }

    private static JsonElement withName(final int value, final Names names) {
        return Fields.named(Fields.hex(Integer.toUnsignedLong(value)), value, names);
    }

    private static JsonElement causes(final int value) {
        final JsonElement json = withName(value, bits -> bits == 0 ? "none" : Bar1.CAUSE_NAMES.of(bits));
        return (value & ~INTERRUPTS) == 0 ? json : Fields.invalid(json, "bits of no interrupt cause are set");
    }

    private static String maskName(final int value) {
        return switch (value) {
            case Bar1.IMR_NONE_MASKED -> "none masked";
            case Bar1.IMR_ALL_MASKED -> "all masked";
            default -> Bar1.CAUSE_NAMES.of(value) + " masked";
        };
    }

    /** Devices write -errno, a few handlers +errno. */
    private static String errName(final int value) {
        if (value == 0) {
            return "success";
        }
        if (value == ERR_NO_HANDLER) {
            return "no command was executed yet, or the device does not know it";
        }
        final long magnitude = Math.abs((long) value);
        return magnitude <= MAX_ERRNO ? RdmaException.errnoName((int) magnitude) : null;
    }
}
