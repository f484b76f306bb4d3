/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.InterruptOutput;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * From causes to vectors. A cause that is masked, or whose vector is not enabled, stays pending and fires when the mask
 * goes away. First the pending bit is set and then the masks are read; unmasking does it the other way round; so one of
 * the two fires.
 */
public final class InterruptController implements Interrupts {
    private final Counters counters;
    private final boolean losesMasked;
    private final LongSupplier service;
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicInteger causes = new AtomicInteger();
    private volatile EmulatedVector[] vectors = new EmulatedVector[0];
    private volatile int imr;
    private volatile int vectorMasks = (1 << Bar1.PVRDMA_MAX_INTERRUPTS) - 1;
    private volatile boolean functionMasked;
    private volatile InterruptOutput output = InterruptOutput.NONE;
    private PciConfigSpace config;
    private MsixBar table;

    /**
     * Without enabled vectors.
     *
     * @param options  decide whether masked interrupts are lost.
     * @param counters of the device.
     * @param service  run by who waits; returns the nanoseconds until it is to be run again.
     */
    public InterruptController(DeviceOptions options, Counters counters, LongSupplier service) {
        this.counters = counters;
        this.losesMasked = options.has(Quirk.LOST_INTERRUPTS);
        this.service = service;
    }

    /**
     * Joins the registers that describe the vectors; called once, before use.
     *
     * @param space  configuration space.
     * @param window BAR 0.
     */
    public void join(PciConfigSpace space, MsixBar window) {
        this.config = space;
        this.table = window;
    }

    /**
     * Says where interrupts go, besides to who waits for them.
     *
     * @param to is told of each from now on.
     */
    public void output(InterruptOutput to) {
        output = to;
    }

    /**
     * {@return whether the interrupt line is asserted: a cause is set that is not masked, and messages are off}
     */
    public boolean isLineAsserted() {
        final boolean masked = losesMasked ? imr != 0 : (causes.get() & ~imr) == 0;
        return vectors.length == 0 && causes.get() != 0 && !masked
            && (config.command() & PciConfig.INTX_DISABLE) == 0;
    }

    /**
     * Something happened that a vector stands for. Any thread, with locks of queues held.
     *
     * @param vector 0 response, 1 asynchronous event, 2 completion.
     */
    public void raise(int vector) {
        // One look: the vectors may be disabled meanwhile.
        final EmulatedVector[] enabled = vectors;
        if (enabled.length == 0) {
            causes.getAndUpdate(old -> old | 1 << vector);
            output.line();
        }
        if (delivers(enabled, vector)) {
            fire(enabled[vector]);
        } else if (losesMasked) {
            counters.increment(Counter.INTERRUPTS_LOST);
        } else {
            pending.getAndUpdate(old -> old | 1 << vector);
            firePending();
        }
    }

    private boolean delivers(EmulatedVector[] enabled, int vector) {
        final boolean registerMasks = losesMasked ? imr != 0 : (imr >>> vector & 1) != 0;
        return vector < enabled.length && !functionMasked && !registerMasks && (vectorMasks >>> vector & 1) == 0;
    }

    private void firePending() {
        for (int vector = 0; vector < Bar1.PVRDMA_MAX_INTERRUPTS && pending.get() != 0; vector++) {
            final int bit = 1 << vector;
            final EmulatedVector[] enabled = vectors;
            if (delivers(enabled, vector) && (pending.getAndUpdate(old -> old & ~bit) & bit) != 0) {
                fire(enabled[vector]);
            }
        }
    }

    private void fire(EmulatedVector vector) {
        vector.fire();
        output.message(vector.index());
    }

    /** Has whoever waits for a vector look again when the device wants to be looked after. */
    void wake() {
        for (EmulatedVector vector : vectors) {
            vector.wake();
        }
        output.attention();
    }

    /** Whether a thread of the device's own looks after it when it is woken. */
    boolean isLookedAfter() {
        return output.isLookedAfter();
    }

    /** The interrupt mask register was written. */
    void imr(int value) {
        imr = value;
        firePending();
        output.line();
    }

    /** The command register was written, which may have kept the line from being asserted (PCI 3.0, 6.2.2). */
    public void commandChanged() {
        output.line();
    }

    /** The interrupt cause register is read, which clears it. */
    int takeCauses() {
        return causes.getAndSet(0);
    }

    /** The mask bits of the MSI-X table changed. */
    void vectorMasks(int masks) {
        vectorMasks = masks;
        firePending();
    }

    /** Vectors whose interrupt waits: the pending bit array. */
    int pending() {
        return pending.get();
    }

    /**
     * The control word of the MSI-X capability was written.
     *
     * @param control its value.
     */
    public void control(int control) {
        functionMasked = (control & MsixCapability.FUNCTION_MASK) != 0;
        firePending();
    }

    @Override
    public int available() {
        return Bar1.PVRDMA_MAX_INTERRUPTS;
    }

    @Override
    public int enable(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("at least one vector is to be enabled, not " + count);
        }
        final EmulatedVector[] enabled = new EmulatedVector[Math.min(count, available())];
        for (int i = 0; i < enabled.length; i++) {
            enabled[i] = new EmulatedVector(i, service);
        }
        config.enableMsix(true);
        table.unmask(enabled.length);
        vectors = enabled;
        firePending();
        return enabled.length;
    }

    @Override
    public InterruptVector vector(int index) {
        final EmulatedVector[] enabled = vectors;
        if (index < 0 || index >= enabled.length) {
            throw new IllegalArgumentException("vector " + index + " is not enabled; enabled are " + enabled.length);
        }
        return enabled[index];
    }

    @Override
    public void disable() {
        final EmulatedVector[] enabled = vectors;
        vectors = new EmulatedVector[0];
        config.enableMsix(false);
        table.maskAll();
        for (EmulatedVector vector : enabled) {
            vector.disable();
        }
    }

    /** No vector is enabled, the table is empty, and nothing is pending or masked by the mask register. */
    public void powerUp() {
        disable();
        table.clear();
        reset();
    }

    /** Forgets what is pending, and what the mask register masked. */
    public void reset() {
        imr = 0;
        forget();
    }

    /** Forgets what is pending, and what has not gone out yet: whoever comes now has asked for none of it. */
    void forget() {
        pending.set(0);
        causes.set(0);
        output.forget();
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("interrupts: imr 0x" + Integer.toHexString(imr) + " pending 0x"
            + Integer.toHexString(pending.get()) + " fired");
        for (EmulatedVector vector : vectors) {
            text.append(' ').append(vector.fired());
        }
        return text.append('\n').toString();
    }
}
