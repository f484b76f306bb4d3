/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.device.wire;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;

/** Both ends of a small ring with one frame that refers to a number; the writer takes that back, and changes it. */
public final class ReferenceRing {
    /** The number that is referred to. */
    public static final int SENT = 1;
    /** What becomes of it. */
    public static final int CHANGED = 2;
    /** What {@link #take} returns if nothing is there. */
    public static final int NOTHING = 0;
    /** What {@link #take} returns if what was read does not count. */
    public static final int WITHDRAWN = -1;

    private static final int SIZE = 128;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(ShmRing.DATA_OFFSET + SIZE + Long.BYTES);
    private final ShmRingWriter writer = new ShmRingWriter(BufferUtil.address(memory), SIZE);
    private final ShmRingReader reader = new ShmRingReader(BufferUtil.address(memory), SIZE);
    private final long payload = BufferUtil.address(memory) + ShmRing.DATA_OFFSET + SIZE;
    private final Frame frame = new Frame();

    /** A ring without frames. */
    public ReferenceRing() {
        UnsafeApi.putLong(payload, SENT);
    }

    /** The writer's end: the memory is its own again after it has taken the reference back. */
    public void sendAndWithdraw() {
        UnsafeApi.putLong(writer.claimReference(Long.BYTES, 0, Long.BYTES, 1), SENT);
        writer.commit(0, 0, 1);
        writer.withdraw();
        UnsafeApi.putLong(payload, CHANGED);
    }

    /**
     * The reader's end.
     *
     * @return the number that was read, {@link #NOTHING} or {@link #WITHDRAWN}.
     */
    public int take() {
        if (reader.peek() == ShmRingReader.EMPTY) {
            return NOTHING;
        }
        frame.referred = Long.BYTES;
        frame.withdrawn = reader.withdrawn();
        frame.position = reader.position();
        final int read = (int) UnsafeApi.getLong(payload);
        return frame.isIntact() ? read : WITHDRAWN;
    }
}
