/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.hw.roce.Icrc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.agrona.BufferUtil;

/** Room for a frame and its check sum, off-heap. Whoever holds it may write. */
final class FrameSlot {
    private static final int ALIGNMENT = 64;

    private final ByteBuffer bytes;
    private final long address;

    private FrameSlot(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
        this.address = BufferUtil.address(bytes);
    }

    /** Makes some, each with room for a frame of that length. */
    static FrameSlot[] allocate(int count, int maxFrame) {
        final int each = maxFrame + Icrc.LENGTH + ALIGNMENT - 1 & -ALIGNMENT;
        final ByteBuffer all = ByteBuffer.allocateDirect(count * each + ALIGNMENT).alignedSlice(ALIGNMENT);
        final FrameSlot[] slots = new FrameSlot[count];
        for (int i = 0; i < count; i++) {
            slots[i] = new FrameSlot(all.slice(i * each, each));
        }
        return slots;
    }

    long address() {
        return address;
    }

    /** {@return the bytes from the beginning to a length, to be read} */
    ByteBuffer upTo(int length) {
        return bytes.limit(length).position(0);
    }

    int checkSum(int length) {
        bytes.limit(length + Icrc.LENGTH);
        return bytes.getInt(length);
    }

    void checkSum(int length, int value) {
        bytes.limit(length + Icrc.LENGTH);
        bytes.putInt(length, value);
    }

    void turn(int bit) {
        final int at = bit / Byte.SIZE;
        bytes.put(at, (byte) (bytes.get(at) ^ 1 << bit % Byte.SIZE));
    }
}
