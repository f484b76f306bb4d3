/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.Counters;
import io.rdma4j.hw.pci.PciConfig;

/** Whether the function is there and answers; shared by its windows. */
public final class Bus {
    private final Counters counters;
    private PciConfigSpace config;
    private volatile boolean decodes;
    private volatile boolean removed;

    /**
     * A function that does not decode memory yet.
     *
     * @param counters of the device.
     */
    public Bus(Counters counters) {
        this.counters = counters;
    }

    /**
     * Joins the configuration space; called once, before use.
     *
     * @param space of the function.
     */
    public void config(PciConfigSpace space) {
        this.config = space;
    }

    PciConfigSpace config() {
        return config;
    }

    Counters counters() {
        return counters;
    }

    /**
     * Takes over a new value of the command register.
     *
     * @param command the register.
     */
    public void command(int command) {
        decodes = (command & PciConfig.MEMORY) != 0;
    }

    /** The function is pulled out. */
    public void remove() {
        removed = true;
    }

    /**
     * {@return whether the function was pulled out}
     */
    public boolean isRemoved() {
        return removed;
    }

    boolean answers() {
        return decodes && !removed;
    }
}
