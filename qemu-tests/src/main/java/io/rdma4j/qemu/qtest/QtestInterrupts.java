/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.MsixTableEntry;
import io.rdma4j.hw.pci.PciConfig;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * MSI-X without an interrupt controller. A vector fires by writing its message data to its message address; here the
 * address is a word of guest RAM, and this side looks at the word: not 0 means fired, and it is set back to 0.
 * Firings between two looks are seen as one, as eventfds and edge-triggered interrupts would coalesce them, too.
 *
 * <p>Thread-safe.
 */
final class QtestInterrupts implements Interrupts {
    /** A word per cache line: the device writes one while this side polls another. */
    static final int WORD_STRIDE = 64;
    /** Not 0, and recognized in a dump of memory. */
    static final int MESSAGE_DATA = 0x4d5358;
    private static final int NONE = 0;
    /** Those that fit behind the header; a longer list runs in a circle. */
    private static final int MOST_CAPABILITIES = (PciConfig.SPACE_LENGTH - PciConfig.LENGTH) / 4;
    private static final int FITTING = 4096 / WORD_STRIDE;
    private static final long PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final ConfigSpace config;
    private final IntFunction<Bar> bars;
    private final UnsafeBuffer words;
    private final long wordsAddress;
    private final int capability;
    private volatile Vector[] enabled = {};

    /**
     * For a function's MSI-X capability.
     *
     * @param config       its configuration space.
     * @param bars         its BARs, for the vector table.
     * @param words        a page of guest RAM.
     * @param wordsAddress where that page is on the bus.
     */
    QtestInterrupts(
        final ConfigSpace config, final IntFunction<Bar> bars, final UnsafeBuffer words, final long wordsAddress) {
        this.config = config;
        this.bars = bars;
        this.words = words;
        this.wordsAddress = wordsAddress;
        this.capability = findCapability(config, MsixCapability.CAP_ID);
    }

    /** Walks the list in place: a copy of all of the configuration space would cost 128 messages. */
    private static int findCapability(final ConfigSpace config, final int id) {
        if ((config.read(PciConfig.STATUS_OFFSET, Short.BYTES) & PciConfig.STATUS_CAP_LIST) == 0) {
            return NONE;
        }
        int at = config.read(PciConfig.CAP_PTR_OFFSET, Byte.BYTES) & ~3;
        for (int steps = 0; at >= PciConfig.LENGTH && steps < MOST_CAPABILITIES; steps++) {
            final int head = config.read(at, Short.BYTES);
            if ((head & 0xff) == id) {
                return at;
            }
            at = head >>> Byte.SIZE & ~3;
        }
        return NONE;
    }

    @Override
    public int available() {
        return capability == NONE ? 0 : MsixCapability.tableSize(control());
    }

    private int control() {
        return config.read(capability + MsixCapability.CONTROL_OFFSET, Short.BYTES);
    }

    private void control(final int value) {
        config.write(capability + MsixCapability.CONTROL_OFFSET, Short.BYTES, value);
    }

    @Override
    public synchronized int enable(final int count) {
        if (count < 1) {
            throw new IllegalArgumentException("at least one vector, not " + count);
        }
        disable();
        final Vector[] vectors = new Vector[Math.min(Math.min(count, available()), FITTING)];
        if (vectors.length == 0) {
            return 0;
        }
        final int table = config.read(capability + MsixCapability.TABLE_OFFSET, Integer.BYTES);
        final Bar bar = bars.apply(MsixCapability.bir(table));
        for (int i = 0; i < vectors.length; i++) {
            final long address = wordsAddress + (long) i * WORD_STRIDE;
            final int entry = MsixCapability.offset(table) + MsixTableEntry.entryOffset(i);
            bar.writeInt(entry + MsixTableEntry.MSG_ADDR_LOW_OFFSET, (int) address);
            bar.writeInt(entry + MsixTableEntry.MSG_ADDR_HIGH_OFFSET, (int) (address >>> Integer.SIZE));
            bar.writeInt(entry + MsixTableEntry.MSG_DATA_OFFSET, MESSAGE_DATA);
            bar.writeInt(entry + MsixTableEntry.VECTOR_CONTROL_OFFSET, 0);
            words.putIntVolatile(i * WORD_STRIDE, 0);
            vectors[i] = new Vector(i);
        }
        enabled = vectors;
        control(control() & ~MsixCapability.FUNCTION_MASK | MsixCapability.ENABLE);
        return vectors.length;
    }

    @Override
    public InterruptVector vector(final int index) {
        final Vector[] vectors = enabled;
        if (index < 0 || index >= vectors.length) {
            throw new IllegalArgumentException(
                "vector " + index + " is not enabled, " + vectors.length + " vectors are");
        }
        return vectors[index];
    }

    @Override
    public synchronized void disable() {
        final Vector[] vectors = enabled;
        if (vectors.length > 0) {
            enabled = new Vector[0];
            for (final Vector vector : vectors) {
                vector.disable();
            }
            control(control() & ~MsixCapability.ENABLE);
        }
    }

    private final class Vector implements InterruptVector {
        private final int index;
        private long fired;
        private long taken;
        private volatile boolean disabled;

        Vector(final int index) {
            this.index = index;
        }

        @Override
        public int index() {
            return index;
        }

        private void look() {
            final int offset = index * WORD_STRIDE;
            if (!disabled && words.getIntVolatile(offset) != 0 && words.getAndSetInt(offset, 0) != 0) {
                fired++;
            }
        }

        @Override
        public synchronized long poll() {
            look();
            final long news = fired - taken;
            taken = fired;
            return news;
        }

        @Override
        public long await(final long timeoutNanos) {
            final long start = System.nanoTime();
            long news = poll();
            while (news == 0 && !disabled && !Thread.currentThread().isInterrupted()
                && System.nanoTime() - start < timeoutNanos) {
                LockSupport.parkNanos(PARK_NANOS);
                news = poll();
            }
            return news;
        }

        @Override
        public synchronized long fired() {
            look();
            return fired;
        }

        /** Not under the lock of a waiting thread: it notices at its next look. */
        void disable() {
            disabled = true;
        }

        @Override
        public String toString() {
            return "vector " + index + " fired " + fired() + (disabled ? " disabled" : "");
        }
    }
}
