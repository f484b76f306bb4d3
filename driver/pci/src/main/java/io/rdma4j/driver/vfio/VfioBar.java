/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.pci.Bar;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A base address register's window. What the kernel lets be mapped is reached by loads and stores, the rest by reading
 * and writing the device's file. Thread-safe.
 */
final class VfioBar implements Bar {
    private static final System.Logger LOG = System.getLogger(VfioBar.class.getName());

    private final VfioDevice device;
    private final RegionInfo region;
    private final long busAddress;
    private final BarMapping[] mappings;
    /** Null unless all of the window is mapped, in one piece. */
    private final UnsafeBuffer whole;
    /** Carries what is read and written through the file. */
    private final UnsafeBuffer word = Structs.allocate(Integer.BYTES);
    private volatile boolean closed;

    private VfioBar(
        final VfioDevice device, final RegionInfo region, final long busAddress, final List<BarMapping> mappings) {
        this.device = device;
        this.region = region;
        this.busAddress = busAddress;
        this.mappings = mappings.toArray(new BarMapping[0]);
        this.whole = mappings.size() == 1 && mappings.get(0).buffer().capacity() == region.size()
            ? mappings.get(0).buffer() : null;
    }

    /**
     * Maps what can be mapped of a window.
     *
     * @param device     has it.
     * @param region     the window, which exists.
     * @param busAddress where it is on the bus.
     * @return the window.
     */
    static VfioBar map(final VfioDevice device, final RegionInfo region, final long busAddress) {
        final List<BarMapping> mappings = new ArrayList<>();
        for (final RegionInfo.Area area : region.mappable()) {
            if (BarMapping.fits(region, area) && !tryToMap(mappings, device, region, area)) {
                break;
            }
        }
        return new VfioBar(device, region, busAddress, mappings);
    }

    /** What the kernel does not map although it said it could is reached through the file, only slower. */
    private static boolean tryToMap(
        final List<BarMapping> mappings, final VfioDevice device, final RegionInfo region,
        final RegionInfo.Area area) {
        try {
            mappings.add(BarMapping.map(device, region, area));
            return true;
        } catch (final RdmaException e) {
            LOG.log(System.Logger.Level.WARNING, device.address() + ": BAR" + region.index() + " cannot be mapped at 0x"
                + Long.toHexString(area.offset()) + " and is read and written by system calls, which is slower: "
                + e.getMessage());
            return false;
        }
    }

    @Override
    public int index() {
        return region.index();
    }

    @Override
    public long size() {
        return region.size();
    }

    @Override
    public long busAddress() {
        return busAddress;
    }

    @Override
    public boolean isMapped() {
        return whole != null;
    }

    @Override
    public UnsafeBuffer buffer() {
        requireOpen();
        if (whole == null) {
            throw RdmaException.of("map BAR").device(device.address()).object(this)
                .detail("the kernel maps %s of it", mappings.length == 0 ? "nothing" : "only parts")
                .errno(RdmaException.EOPNOTSUPP).hint("use readInt and writeInt").build();
        }
        return whole;
    }

    @Override
    public int readInt(final int offset) {
        check(offset);
        final BarMapping mapping = mapping(offset);
        final int value = mapping == null ? readFile(offset) : readMapped(mapping, offset);
        // From the device: what it stored before it answered is seen by loads after this one.
        VarHandle.acquireFence();
        return value;
    }

    @Override
    public void writeInt(final int offset, final int value) {
        check(offset);
        // To the device: stores to DMA memory before this one are visible first.
        VarHandle.releaseFence();
        final BarMapping mapping = mapping(offset);
        if (mapping == null) {
            writeFile(offset, value);
        } else {
            writeMapped(mapping, offset, value);
        }
    }

    private int readMapped(final BarMapping mapping, final int offset) {
        try {
            return mapping.buffer().getIntVolatile((int) (offset - mapping.offset()));
        } catch (final InternalError e) {
            throw busError(offset, e);
        }
    }

    private void writeMapped(final BarMapping mapping, final int offset, final int value) {
        try {
            mapping.buffer().putIntVolatile((int) (offset - mapping.offset()), value);
        } catch (final InternalError e) {
            throw busError(offset, e);
        }
    }

    /** The kernel answers an access with SIGBUS while the function decodes no memory; the JVM makes an Error of it. */
    private RdmaException busError(final int offset, final InternalError e) {
        return RdmaException.of("use BAR" + region.index()).device(device.address())
            .detail("a bus error at offset 0x%x: the function does not decode memory (switched off, lost power, or "
                + "gone)", offset).errno(RdmaException.EIO).cause(e)
            .hint("close the device and open it again").build();
    }

    private BarMapping mapping(final int offset) {
        for (final BarMapping mapping : mappings) {
            if (mapping.covers(offset)) {
                return mapping;
            }
        }
        return null;
    }

    private synchronized int readFile(final int offset) {
        device.read(word, Integer.BYTES, region.offset() + offset);
        return word.getInt(0, LITTLE_ENDIAN);
    }

    private synchronized void writeFile(final int offset, final int value) {
        word.putInt(0, value, LITTLE_ENDIAN);
        device.write(word, Integer.BYTES, region.offset() + offset);
    }

    private void check(final int offset) {
        requireOpen();
        if (offset < 0 || offset > region.size() - Integer.BYTES || offset % Integer.BYTES != 0) {
            throw new IllegalArgumentException(String.format(
                "offset 0x%x is not a multiple of 4 below 0x%x (BAR%d)", offset, region.size(), region.index()));
        }
    }

    private void requireOpen() {
        if (closed) {
            throw RdmaException.of("use BAR" + region.index()).device(device.address())
                .detail("the device is closed").errno(RdmaException.EBADFD).build();
        }
    }

    /** The window is this process' own memory from now on. Harmless when called again. */
    void close() {
        if (!closed) {
            closed = true;
            Cleanup.all(Arrays.asList(mappings), BarMapping::replace);
        }
    }

    @Override
    public String toString() {
        return String.format("BAR%d[address=0x%x size=0x%x %s%s]", region.index(), busAddress, region.size(),
            whole != null ? "mapped" : mappings.length > 0 ? "mapped in parts" : "not mapped", closed ? " closed" : "");
    }
}
