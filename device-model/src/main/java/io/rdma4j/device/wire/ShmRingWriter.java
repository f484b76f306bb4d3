/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.queues.Padded;

import java.lang.invoke.VarHandle;

import org.agrona.UnsafeApi;

/** The end of a {@linkplain ShmRing ring} at which frames are put in. One thread at a time. */
public final class ShmRingWriter extends Padded {
    /** Of {@link #claim}: there is no room now. */
    public static final long FULL = 0;
    /** Of {@link #claim}: the reader has stopped, or wrote a position that cannot be. */
    public static final long BROKEN = -1;

    private final long control;
    private final long data;
    private final int size;
    private long tail;
    /** The reader's position as it was last read; it is asked for again only when there is no room otherwise. */
    private long headSeen;
    private int claimed;
    /** Of the frame that is claimed: whether it refers to something. */
    private long refers;
    /** Behind the last frame that referred to something. */
    private long referred;
    private long references;

    /**
     * Of a ring of zeros that nobody has written to.
     *
     * @param ring address of its first byte
     * @param size bytes of data, a power of two
     */
    public ShmRingWriter(final long ring, final int size) {
        control = ring;
        data = ring + ShmRing.DATA_OFFSET;
        this.size = size;
    }

    /**
     * Asks for room. A claim that is not committed is forgotten with the next one.
     *
     * @param length of the frame
     * @return where it is to be written, or {@link #FULL}, or {@link #BROKEN}
     */
    public long claim(final int length) {
        final int record = ShmRing.record(length);
        final int toEnd = size - at(tail);
        // The word behind the record is zeroed with it, so that has to be the writer's as well.
        final int needed = record + ShmRing.WORD + (toEnd < record ? toEnd : 0);
        if (size - (tail - headSeen) < needed) {
            final long found = lookForRoom(needed);
            if (found != 1) {
                return found;
            }
        }
        if (toEnd < record) {
            UnsafeApi.putLong(data, 0);
            // Release, meets the acquire in ShmRingReader.peek: behind the padding there is a 0, or a frame.
            UnsafeApi.putLongRelease(null, data + at(tail), ShmRing.PADDING);
            tail += toEnd;
        }
        claimed = length;
        refers = 0;
        return data + at(tail) + ShmRing.WORD;
    }

    /**
     * {@return whether the reader follows references}
     */
    public boolean isFollowed() {
        return UnsafeApi.getInt(control + ShmRing.FOLLOWS_OFFSET) == 1;
    }

    /**
     * Asks for room for a frame that refers to its payload; as {@link #claim}.
     *
     * @param headers bytes in front of the payload
     * @param offset  of the payload in the file that the writer shares
     * @param length  of the payload
     * @param packets for how many it stands
     * @return where the headers are to be written, or {@link #FULL}, or {@link #BROKEN}
     */
    public long claimReference(final int headers, final long offset, final int length, final int packets) {
        final long address = claim(headers + ShmRing.REFERENCE);
        if (address > 0) {
            refers = ShmRing.REFERS;
            UnsafeApi.putLong(address + headers, offset);
            UnsafeApi.putInt(address + headers + Long.BYTES, length);
            UnsafeApi.putInt(address + headers + Long.BYTES + Integer.BYTES, packets);
        }
        return address;
    }

    /** Takes back the references that the reader has not gone past: what it read by them counts for nothing. */
    public void withdraw() {
        if (!readHead() || referred > headSeen) {
            UnsafeApi.putLongVolatile(null, control + ShmRing.WITHDRAWN_OFFSET, tail);
            // Meets the fence in Frame.isIntact: what is written to that memory from here on is seen after it.
            VarHandle.fullFence();
        }
    }

    private long lookForRoom(final int needed) {
        if (!readHead()) {
            return BROKEN;
        }
        if (size - (tail - headSeen) < needed) {
            UnsafeApi.putInt(control + ShmRing.WAITING_OFFSET, 1);
            // Meets the fence in ShmRingReader.isWriterWaiting: either the reader sees the flag, or its head is seen.
            VarHandle.fullFence();
            if (!readHead()) {
                return BROKEN;
            }
        }
        return size - (tail - headSeen) < needed ? FULL : 1;
    }

    /** Forwards, by whole words, and not beyond what was written. */
    private boolean readHead() {
        // Acquire, meets the release in ShmRingReader.release: the records have been read before they are written over.
        final long head = UnsafeApi.getLongAcquire(null, control + ShmRing.HEAD_OFFSET);
        if (head < headSeen || head > tail || (head & ShmRing.WORD - 1) != 0) {
            return false;
        }
        headSeen = head;
        return true;
    }

    /**
     * Publishes what was claimed.
     *
     * @param trafficClass of the network header
     * @param flowLabel    of the network header
     * @param hopLimit     of the network header
     */
    public void commit(final int trafficClass, final int flowLabel, final int hopLimit) {
        assert claimed > 0 : "nothing was claimed";
        final long next = tail + ShmRing.record(claimed);
        UnsafeApi.putLong(data + at(next), 0);
        // Release, meets the acquire in ShmRingReader.peek: whoever sees the word sees the frame, and the 0 behind it.
        UnsafeApi.putLongRelease(null, data + at(tail),
            refers | ShmRing.word(claimed, trafficClass, flowLabel, hopLimit));
        tail = next;
        claimed = 0;
        if (refers != 0) {
            referred = next;
            references++;
        }
    }

    /** Tells the reader that nothing comes any more. */
    public void end() {
        UnsafeApi.putLongRelease(null, data + at(tail), ShmRing.END);
    }

    /**
     * {@return whether the reader has cleared the flag that asks it for a wake-up, since the last claim failed}
     */
    public boolean wasToldOfRoom() {
        return UnsafeApi.getIntVolatile(null, control + ShmRing.WAITING_OFFSET) == 0;
    }

    private int at(final long position) {
        return (int) position & size - 1;
    }

    /**
     * {@return where it is, for a person}
     */
    @Override
    public String toString() {
        return "tail " + tail + ", head " + headSeen + " of " + size + ", " + references + " references";
    }
}
