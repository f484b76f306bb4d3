/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import java.lang.invoke.VarHandle;

import org.agrona.UnsafeApi;

/**
 * A frame that has come, and what the network said of it. Belongs to the carrier, which fills it again for the next
 * one. Fields are open because this is a message on the data path, not an object with a behaviour.
 *
 * <p>It has two addresses, because memory that the peer can still write to must not be judged, and need not be copied
 * twice. <b>Headers</b> are read at {@link #address}: the first {@link #OWN} bytes of the frame are there, or all of a
 * shorter one, and they are this device's alone. <b>Payload</b> is copied from {@link #body}, where the whole frame is,
 * headers included: until {@link FrameReceiver#onFrame} returns the peer may change any byte of it at any time, to any
 * value, also between two reads. So it is copied to where payload goes, and nothing is decided by it; a peer that
 * changes it gets other bytes to where it may write any. The length is not read from there, and does not change.
 * Carriers of other kinds have the same address in both.
 *
 * <p>A frame may <b>refer</b> to its payload, which then lies in memory of the peer until it was copied from there. It
 * is as long as several packets; and it counts only if {@link #isIntact} says so afterwards.
 */
public final class Frame {
    /** Bytes at {@link #address}: more than all headers of a packet have together. */
    public static final int OWN = 64;

    /** Where its first {@link #OWN} bytes are in this process, aligned to 4. The peer cannot change them any more. */
    public long address;
    /** Where all of it is, aligned to 4. The peer may change what it reads as at any time; only to be copied. */
    public long body;
    /** Bytes from the transport header to the pad; a multiple of 4, unless it refers to its payload. */
    public int length;
    /** How many of them are in memory of the peer, all behind the headers; 0 if the frame carries everything. */
    public int referred;
    /** For how many packets a frame that refers to its payload stands, as the peer counts them. */
    public int packets;
    /** Where the peer says up to which position what it referred to is withdrawn. */
    long withdrawn;
    /** Of a frame that refers to something: where it stood. */
    long position;
    /** GID of the peer, first half, big endian. */
    public long sourceGidHigh;
    /** GID of the peer, second half. */
    public long sourceGidLow;
    /** GID that it was sent to, first half. */
    public long destGidHigh;
    /** GID that it was sent to, second half. */
    public long destGidLow;
    /** Traffic class of the network header; its lower two bits are the congestion mark. */
    public int trafficClass;
    /** Flow label of the network header; 0 if it has none. */
    public int flowLabel;
    /** Hop limit of the network header, as it arrived. */
    public int hopLimit;

    /** An empty one. */
    public Frame() {
        // The carrier fills it.
    }

    /**
     * {@return whether the bytes that were copied are those that were sent; asked after the last one was read}
     */
    public boolean isIntact() {
        if (referred == 0) {
            return true;
        }
        // Meets the fence in ShmRingWriter.withdraw: whoever read what was written after it sees the position.
        VarHandle.loadLoadFence();
        return UnsafeApi.getLongVolatile(null, withdrawn) <= position;
    }
}
