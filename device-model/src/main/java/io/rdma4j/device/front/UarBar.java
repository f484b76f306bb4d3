/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.Uar;

/** BAR 2: doorbell pages. A write runs the engine on the writing thread. */
public final class UarBar extends TrapBar {
    private final Engine engine;
    private final Bus bus;
    private final EventRings events;
    private final int readValue;

    /**
     * The doorbells of a device.
     *
     * @param bus     whether they answer.
     * @param engine  run by them.
     * @param events  told of the device's own failures.
     * @param options decide what reads return.
     */
    public UarBar(Bus bus, Engine engine, EventRings events, DeviceOptions options) {
        super(2, bus);
        this.bus = bus;
        this.engine = engine;
        this.events = events;
        this.readValue = options.has(Quirk.PLAIN_REGISTERS) ? -1 : 0;
    }

    /** The doorbell that rings for each message, before all others. */
    @Override
    public void writeInt(int offset, int value) {
        if (offset == Uar.QP_OFFSET && bus.answers()) {
            ringQp(value);
        } else {
            super.writeInt(offset, value);
        }
    }

    private void ringQp(int value) {
        try {
            engine.ringQp(0, value);
        } catch (final RuntimeException | InternalError e) {
            failed(Uar.QP_OFFSET, value, e);
        }
    }

    @Override
    int read(int offset) {
        return readValue;
    }

    @Override
    void write(int offset, int value) {
        try {
            ring(offset >>> Pdir.PAGE_SHIFT, offset & Pdir.PAGE_SIZE - 1, value);
        } catch (final RuntimeException | InternalError e) {
            failed(offset, value, e);
        }
    }

    /** Whatever a driver writes, a doorbell does not throw: a fault of the device itself is the device's death. */
    private void failed(int offset, int value, Throwable fault) {
        bus.counters().record(Counter.INTERNAL_ERRORS, "doorbell 0x%x at 0x%x: %s", value, offset, fault);
        events.async(EventType.PVRDMA_EVENT_DEVICE_FATAL, 0);
    }

    private void ring(int page, int register, int value) {
        switch (register) {
            case Uar.QP_OFFSET:
                engine.ringQp(page, value);
                break;
            case Uar.CQ_OFFSET:
                engine.ringCq(page, value);
                break;
            case Uar.SRQ_OFFSET:
                engine.ringSrq(page, value);
                break;
            default:
                bus.counters().record(Counter.BAD_DOORBELLS, "0x%x at offset 0x%x of page %d", value, register, page);
                break;
        }
    }
}
