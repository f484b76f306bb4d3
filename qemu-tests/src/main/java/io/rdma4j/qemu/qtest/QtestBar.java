/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.VarHandle;

/**
 * A window whose accesses are qtest commands. Thread-safe.
 */
final class QtestBar implements Bar {
    private final BusAccess bus;
    private final int index;
    private final long address;
    private final long size;

    QtestBar(final BusAccess bus, final int index, final long address, final long size) {
        this.bus = bus;
        this.index = index;
        this.address = address;
        this.size = size;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long busAddress() {
        return address;
    }

    @Override
    public boolean isMapped() {
        return false;
    }

    @Override
    public UnsafeBuffer buffer() {
        throw RdmaException.of("map BAR").object(this)
            .detail("a qtest device is reached by messages, its windows cannot be mapped")
            .errno(RdmaException.EOPNOTSUPP).hint("use readInt and writeInt").build();
    }

    @Override
    public int readInt(final int offset) {
        check(offset);
        final int value = bus.memoryRead(address + offset);
        // From the device: what it stored before it answered is seen by loads after this one.
        VarHandle.acquireFence();
        return value;
    }

    @Override
    public void writeInt(final int offset, final int value) {
        check(offset);
        // To the device: QEMU performs the write after it received the message, and sees the stores before this one.
        VarHandle.releaseFence();
        bus.memoryWrite(address + offset, value);
    }

    private void check(final int offset) {
        if (offset < 0 || offset > size - Integer.BYTES || offset % Integer.BYTES != 0) {
            throw new IllegalArgumentException(String.format(
                "offset 0x%x is not a multiple of 4 below 0x%x (BAR%d)", offset, size, index));
        }
    }

    @Override
    public String toString() {
        return String.format("BAR%d[address=0x%x size=0x%x not mapped]", index, address, size);
    }
}
