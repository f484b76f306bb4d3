/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.device.wire;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;

/** Both ends of a small ring of shared memory; each frame is a number, said twice. */
public final class FrameRing {
    /** What {@link #take} returns if nothing is there. */
    public static final int NOTHING = 0;
    /** What {@link #take} returns if there is something that nobody has put in. */
    public static final int WRONG = -1;

    private static final int SIZE = 64;
    private static final int FRAME = 16;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(ShmRing.DATA_OFFSET + SIZE);
    private final ShmRingWriter writer = new ShmRingWriter(BufferUtil.address(memory), SIZE);
    private final ShmRingReader reader = new ShmRingReader(BufferUtil.address(memory), SIZE);

    /** An empty ring, of two frames at the most. */
    public FrameRing() {
        // The fields say so.
    }

    /**
     * The writer's end.
     *
     * @param number above 0.
     * @return whether there was room.
     */
    public boolean put(final int number) {
        final long at = writer.claim(FRAME);
        if (at == ShmRingWriter.BROKEN) {
            throw new IllegalStateException("broken: " + writer);
        }
        if (at == ShmRingWriter.FULL) {
            return false;
        }
        UnsafeApi.putLong(at, number);
        UnsafeApi.putLong(at + Long.BYTES, number);
        writer.commit(0, 0, 1);
        return true;
    }

    /**
     * The reader's end; the room is the writer's again.
     *
     * @return the number, {@link #NOTHING} or {@link #WRONG}.
     */
    public int take() {
        final long word = reader.peek();
        if (word == ShmRingReader.EMPTY) {
            return NOTHING;
        }
        if (word < 0 || ShmRing.length(word) != FRAME) {
            return WRONG;
        }
        final long at = reader.address();
        final long first = UnsafeApi.getLong(at);
        final long second = UnsafeApi.getLong(at + Long.BYTES);
        reader.advance(word);
        reader.release();
        return first == second ? (int) first : WRONG;
    }

    /**
     * What a reader asks that has made room.
     *
     * @return whether the writer wants to be told.
     */
    public boolean isWriterWaiting() {
        return reader.isWriterWaiting();
    }
}
