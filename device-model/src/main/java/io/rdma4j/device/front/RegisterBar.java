/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.hw.pvrdma.Bar1;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** BAR 1: the registers. */
public final class RegisterBar extends TrapBar {
    private final Bus bus;
    private final Controller controller;
    private final InterruptController interrupts;
    private final boolean plain;
    private final int version;
    private final AtomicIntegerArray values = new AtomicIntegerArray(PciConfigSpace.BAR_SIZES[1] / Integer.BYTES);

    /**
     * Registers after power-up.
     *
     * @param bus        whether they answer.
     * @param options    decide on the version and on what can be written.
     * @param controller does what CTL, REQUEST and DSRHIGH ask for.
     * @param interrupts told of the mask register.
     */
    public RegisterBar(Bus bus, DeviceOptions options, Controller controller, InterruptController interrupts) {
        super(1, bus);
        this.bus = bus;
        this.controller = controller;
        this.interrupts = interrupts;
        this.plain = options.has(Quirk.PLAIN_REGISTERS);
        this.version = options.version();
        initialize();
    }

    private void initialize() {
        for (int i = 0; i < values.length(); i++) {
            values.set(i, 0);
        }
        set(Bar1.PVRDMA_REG_VERSION, version);
        set(Bar1.PVRDMA_REG_ERR, plain ? Controller.UNKNOWN : 0);
    }

    private void set(int register, int value) {
        values.set(register / Integer.BYTES, value);
    }

    private int get(int register) {
        return values.get(register / Integer.BYTES);
    }

    @Override
    int read(int offset) {
        return offset == Bar1.PVRDMA_REG_ICR && !plain ? interrupts.takeCauses() : get(offset);
    }

    @Override
    void write(int offset, int value) {
        if (plain) {
            set(offset, value);
        }
        switch (offset) {
            case Bar1.PVRDMA_REG_DSRLOW:
                set(offset, value);
                break;
            case Bar1.PVRDMA_REG_DSRHIGH:
                set(offset, value);
                if (!plain) {
                    // With it a driver begins, and not each predecessor had the time to reset the device.
                    interrupts.forget();
                }
                answer(controller.loadSharedRegion((long) value << 32 | get(Bar1.PVRDMA_REG_DSRLOW) & 0xffff_ffffL));
                break;
            case Bar1.PVRDMA_REG_CTL:
                set(offset, value);
                control(value);
                break;
            case Bar1.PVRDMA_REG_REQUEST:
                request(value);
                break;
            case Bar1.PVRDMA_REG_IMR:
                set(offset, value);
                interrupts.imr(value);
                break;
            default:
                refuse(offset, value);
                break;
        }
    }

    private void answer(int err) {
        if (!plain) {
            set(Bar1.PVRDMA_REG_ERR, err);
        }
    }

    private void control(int value) {
        switch (value) {
            case Bar1.PVRDMA_DEVICE_CTL_ACTIVATE:
                set(Bar1.PVRDMA_REG_ERR, controller.activate());
                break;
            case Bar1.PVRDMA_DEVICE_CTL_UNQUIESCE:
                answer(controller.unquiesce());
                break;
            case Bar1.PVRDMA_DEVICE_CTL_RESET:
                controller.reset();
                if (!plain) {
                    initialize();
                    interrupts.reset();
                }
                break;
            default:
                refuse(Bar1.PVRDMA_REG_CTL, value);
                break;
        }
    }

    private void request(int value) {
        if (value == 0) {
            set(Bar1.PVRDMA_REG_ERR, controller.execute());
        } else {
            refuse(Bar1.PVRDMA_REG_REQUEST, value);
        }
    }

    private void refuse(int offset, int value) {
        if (!plain) {
            bus.counters().record(Counter.BAD_REGISTER_WRITES, "%s = 0x%x", Bar1.name(offset), value);
        }
    }

    /** The function was reset. */
    public void reset() {
        initialize();
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("registers\n");
        for (int offset = 0; offset < Bar1.LENGTH; offset += Integer.BYTES) {
            text.append(String.format("  %-24s 0x%08x%n", Bar1.name(offset), get(offset)));
        }
        return text.toString();
    }
}
