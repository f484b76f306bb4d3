/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.hw.pci.PciConfig;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A window whose every access runs the device. While memory decoding is off it reads as all ones and ignores writes.
 */
abstract class TrapBar implements Bar {
    private static final int NOBODY_ANSWERS = -1;

    private final int index;
    private final int size;
    private final Bus bus;

    TrapBar(int index, Bus bus) {
        this.index = index;
        this.size = PciConfigSpace.BAR_SIZES[index];
        this.bus = bus;
    }

    @Override
    public final int index() {
        return index;
    }

    @Override
    public final long size() {
        return size;
    }

    @Override
    public final long busAddress() {
        return bus.config().busAddress(index);
    }

    @Override
    public final boolean isMapped() {
        return false;
    }

    @Override
    public final UnsafeBuffer buffer() {
        throw RdmaException.of("map BAR " + index).errno(RdmaException.EOPNOTSUPP)
            .detail("a device in software has no memory behind its BARs").hint("use readInt and writeInt").build();
    }

    @Override
    public final int readInt(int offset) {
        check(offset);
        return bus.answers() ? read(offset) : ignored();
    }

    @Override
    public void writeInt(int offset, int value) {
        check(offset);
        if (bus.answers()) {
            write(offset, value);
        } else {
            ignored();
        }
    }

    private int ignored() {
        if (!bus.isRemoved()) {
            bus.counters().increment(Counter.BAR_ACCESS_WITHOUT_MEMORY);
        }
        return NOBODY_ANSWERS;
    }

    private void check(int offset) {
        if (offset < 0 || offset >= size || (offset & 3) != 0) {
            throw new IllegalArgumentException("32-bit access to BAR " + index + " at offset " + offset
                + ": must be a multiple of 4 below " + size);
        }
    }

    /** A read of a word inside the window. */
    abstract int read(int offset);

    /** A write of a word inside the window. */
    abstract void write(int offset, int value);

    @Override
    public String toString() {
        return String.format("BAR%d[0x%x bytes at 0x%x, memory decoding %s]", index, size, busAddress(),
            (bus.config().command() & PciConfig.MEMORY) != 0 ? "on" : "off");
    }
}
