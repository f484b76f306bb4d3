/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.device.common.SpinLock;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The way of frames from a GID of this device to one of a peer. Several queue pairs share it: each takes the lock,
 * claims, fills and commits one frame or several, and gives the lock back. It is taken last, under the locks of the
 * queues.
 */
public abstract class Lane extends Padded {
    private final SpinLock lock;
    private final UnsafeBuffer frame = new UnsafeBuffer(0, 0);

    /** A lane that nobody uses. */
    protected Lane() {
        this(new SpinLock());
    }

    /** A lane in front of another one, with that one's lock: who holds it holds off the end of either. */
    Lane(SpinLock lock) {
        this.lock = lock;
    }

    /**
     * {@return what is held between {@link #claim} and {@link #commit}}
     */
    public final SpinLock lock() {
        return lock;
    }

    /**
     * Asks for room. Under the lock; a claim that is not committed is forgotten with the next one.
     *
     * @param length of the frame, a multiple of 4 up to {@link Carrier#maxFrame}
     * @return where it is to be written, an address in this process aligned to 8; 0 if there is no room now, or nobody
     *         is there any more
     */
    public abstract long claim(int length);

    /**
     * Whether frames may refer to payload in the file in which this process shares pages, so that nobody copies it but
     * the peer. Under the lock, as what follows.
     *
     * @param end where in the file the payload ends
     * @return whether {@link #claimReference} may be called for what lies before
     */
    public boolean takesReferences(long end) {
        return false;
    }

    /**
     * Asks for room for a frame of which only the headers are written. What it refers to has to stay as it is until
     * the peer has acknowledged it, or it was {@linkplain Carrier#withdraw withdrawn}.
     *
     * @param headers their length, a multiple of 4 up to {@link Frame#OWN}
     * @param offset  of the payload in the file
     * @param length  of the payload, which has no pad, up to {@link Carrier#MAX_REFERENCE}
     * @param packets for how many packets it stands: the peer may have been told another path MTU
     * @return as {@link #claim}
     */
    public long claimReference(int headers, long offset, int length, int packets) {
        throw new UnsupportedOperationException(this + " carries all bytes");
    }

    /**
     * Sends what was claimed. Under the lock.
     *
     * @param trafficClass of the network header
     * @param flowLabel    of the network header; 0 for any
     * @param hopLimit     of the network header; 0 for the usual
     */
    public abstract void commit(int trafficClass, int flowLabel, int hopLimit);

    /**
     * {@return a buffer for whoever holds the lock to wrap what it claimed}
     */
    public final UnsafeBuffer frame() {
        return frame;
    }

    /**
     * {@return whether the peer may still be there; false is for good}
     */
    public abstract boolean isOpen();

    /**
     * Has the next frame that is committed arrive damaged, for tests of what notices it. Under the lock.
     *
     * @param bit which of its bits goes over; counted on from the beginning if there are fewer
     * @return false if frames here have no check sum by which that would be noticed, and none is damaged
     */
    boolean damageNext(int bit) {
        return false;
    }
}
