/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.queues.Padded;

import java.lang.invoke.VarHandle;

import org.agrona.UnsafeApi;

/**
 * The end of a {@linkplain ShmRing ring} at which frames are taken out. It trusts nothing in the ring: where it is it
 * knows by itself, and the word of each record is read once and checked against what is left. One thread at a time.
 */
public final class ShmRingReader extends Padded {
    /** Of {@link #peek}: there is nothing. */
    public static final long EMPTY = 0;
    /** Of {@link #peek}: what is there cannot be. */
    public static final long BROKEN = -1;

    private final long control;
    private final long data;
    private final int size;
    private long position;
    private long released;

    /** Of {@link #peek}: the writer has ended, and all that it sent was taken. */
    public static final long ENDED = -2;

    /**
     * Of a ring from which nothing was taken.
     *
     * @param ring address of its first byte
     * @param size bytes of data, a power of two, as was found out before; it is not read again
     */
    public ShmRingReader(final long ring, final int size) {
        control = ring;
        data = ring + ShmRing.DATA_OFFSET;
        this.size = size;
    }

    /**
     * Looks for a frame.
     *
     * @return its word, above 0, or {@link #EMPTY}, {@link #BROKEN} or {@link #ENDED}
     */
    public long peek() {
        long word = load();
        if (word == ShmRing.PADDING) {
            final int left = left();
            if (left == size || left >= ShmRing.MAX_RECORD) {
                return BROKEN; // Nobody needs it there; and so it cannot go on for ever.
            }
            position += left;
            word = load();
        }
        if (word == EMPTY || ShmRing.isFrame(word, left())) {
            return word;
        }
        return word == ShmRing.END ? ENDED : BROKEN;
    }

    private long load() {
        // Acquire, meets the releases in ShmRingWriter: whoever sees the word sees the frame.
        return UnsafeApi.getLongAcquire(null, data + at());
    }

    /**
     * {@return where the frame is that was found}
     */
    public long address() {
        return data + at() + ShmRing.WORD;
    }

    /**
     * Goes to the next record. The writer does not get the room before {@link #release}.
     *
     * @param word what {@link #peek} returned
     */
    public void advance(final long word) {
        position += ShmRing.record(ShmRing.length(word));
    }

    /**
     * Tells the writer whether frames may refer to memory that it shares.
     *
     * @param follows false at first
     */
    public void follow(final boolean follows) {
        UnsafeApi.putIntRelease(null, control + ShmRing.FOLLOWS_OFFSET, follows ? 1 : 0);
    }

    /**
     * {@return where the writer says up to which position its references count for nothing}
     */
    public long withdrawn() {
        return control + ShmRing.WITHDRAWN_OFFSET;
    }

    /**
     * {@return bytes that were taken since there is the ring}
     */
    public long position() {
        return position;
    }

    /**
     * {@return bytes that were taken and not given back}
     */
    public long owed() {
        return position - released;
    }

    /** Gives the writer all room that was taken. */
    public void release() {
        released = position;
        // Release, meets the acquire in ShmRingWriter.readHead: the records have been read.
        UnsafeApi.putLongRelease(null, control + ShmRing.HEAD_OFFSET, position);
    }

    /**
     * {@return whether the writer wants to be told that there is room; asked after a release, and said once}
     */
    public boolean isWriterWaiting() {
        // Meets the fence in ShmRingWriter.lookForRoom: either the flag is seen here, or the head there.
        VarHandle.fullFence();
        if (UnsafeApi.getInt(control + ShmRing.WAITING_OFFSET) == 0) {
            return false;
        }
        UnsafeApi.putIntVolatile(null, control + ShmRing.WAITING_OFFSET, 0);
        return true;
    }

    /** Has the writer know that nobody reads any more. */
    public void stop() {
        UnsafeApi.putLongRelease(null, control + ShmRing.HEAD_OFFSET, ShmRing.STOPPED);
    }

    private int at() {
        return (int) position & size - 1;
    }

    private int left() {
        return size - at();
    }

    /**
     * {@return where it is, for a person}
     */
    @Override
    public String toString() {
        return "position " + position + ", released " + released + " of " + size;
    }
}
