/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.hw.pci.PciConfig;

import org.agrona.MutableDirectBuffer;

/**
 * The BARs and the configuration space, as the client reaches them: each access is a message. BARs take whole words,
 * as the seam below does; what is longer is several accesses in turn, and what is shorter is refused, as devices do.
 */
final class Regions {
    private final ServedFunction device;
    private final Bar[] bars = new Bar[Protocol.BARS];

    Regions(ServedFunction device) {
        this.device = device;
        for (int i = 0; i < bars.length; i++) {
            bars[i] = bar(device, i);
        }
    }

    private static Bar bar(ServedFunction device, int index) {
        try {
            return device.bar(index);
        } catch (final RdmaException e) {
            if (e.errno() == RdmaException.ENODEV) {
                return null;
            }
            throw e;
        }
    }

    /** Bytes; 0 for a region that there is not. */
    long size(int index) {
        if (index == Protocol.CONFIG_REGION) {
            return PciConfig.SPACE_LENGTH;
        }
        return index >= 0 && index < bars.length && bars[index] != null ? bars[index].size() : 0;
    }

    /** Whether it is the BAR that is called mappable, though no part of it is: see {@link Connection}. */
    boolean stopsPosting(int index) {
        for (int i = 0; i < bars.length; i++) {
            if (bars[i] != null) {
                return i == index;
            }
        }
        return false;
    }

    private void check(int index, long offset, int count) {
        final long size = size(index);
        final boolean words = index == Protocol.CONFIG_REGION || ((offset | count) & 3) == 0;
        if (count <= 0 || offset < 0 || offset > size - count || !words) {
            throw RdmaException.of("access region").object(index).detail("%d bytes at 0x%x: it has 0x%x%s", count,
                offset, size, words ? "" : ", and takes whole words").errno(RdmaException.EINVAL).build();
        }
    }

    void read(int index, long offset, int count, MutableDirectBuffer to, int at) {
        check(index, offset, count);
        for (int done = 0; done < count;) {
            final int from = (int) offset + done;
            if (index != Protocol.CONFIG_REGION) {
                to.putInt(at + done, bars[index].readInt(from), LITTLE_ENDIAN);
                done += Integer.BYTES;
            } else {
                final int size = unit(from, count - done);
                put(to, at + done, size, device.config().read(from, size));
                done += size;
            }
        }
    }

    void write(int index, long offset, int count, MutableDirectBuffer from, int at) {
        check(index, offset, count);
        for (int done = 0; done < count;) {
            final int to = (int) offset + done;
            if (index != Protocol.CONFIG_REGION) {
                bars[index].writeInt(to, from.getInt(at + done, LITTLE_ENDIAN));
                done += Integer.BYTES;
            } else {
                final int size = unit(to, count - done);
                device.config().write(to, size, get(from, at + done, size));
                done += size;
            }
        }
    }

    /** The largest aligned access that fits. */
    private static int unit(int offset, int left) {
        final int aligned = (offset & 1) != 0 ? 1 : (offset & 2) != 0 ? 2 : 4;
        return left >= aligned ? aligned : left >= 2 && aligned >= 2 ? 2 : 1;
    }

    private static void put(MutableDirectBuffer to, int at, int size, int value) {
        for (int i = 0; i < size; i++) {
            to.putByte(at + i, (byte) (value >> 8 * i));
        }
    }

    private static int get(MutableDirectBuffer from, int at, int size) {
        int value = 0;
        for (int i = 0; i < size; i++) {
            value |= (from.getByte(at + i) & 0xff) << 8 * i;
        }
        return value;
    }
}
