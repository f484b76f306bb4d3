/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.driver.state.SealedMemory;

import java.nio.file.Path;

/** The way to a peer of this host: the ring that this device writes, whose memory is this process' own. */
final class ShmLane extends Lane {
    private static final int USUAL_HOPS = 64;

    private final ShmRing.Title title;
    private final ShmPeer peer;
    private final ShmInbox inbox;
    private final SealedMemory memory;
    private final ShmRingWriter ring;
    private final Path offer;
    /** Written under the lock. */
    private volatile boolean open = true;
    /** Whether a claim found no room and nobody was told since; written under the lock, for who is about to sleep. */
    private volatile boolean stalled;

    ShmLane(final ShmRing.Title title, final ShmPeer peer, final SealedMemory memory, final int size,
        final Path offer) {
        this.title = title;
        this.peer = peer;
        this.inbox = peer.inbox();
        this.memory = memory;
        this.offer = offer;
        ring = new ShmRingWriter(memory.address(), size);
        peer.use();
    }

    boolean connects(final Gid source, final Gid dest) {
        return title.dest().equals(dest) && title.source().equals(source);
    }

    Gid source() {
        return title.source();
    }

    ShmPeer peer() {
        return peer;
    }

    /** Under which the peer finds its memory in this process. */
    int descriptor() {
        return memory.descriptor();
    }

    @Override
    public long claim(final int length) {
        if (!ShmRing.isFrameLength(length)) {
            throw new IllegalArgumentException("length " + length + " of a frame: a multiple of 4, 4 to "
                + ShmRing.MAX_FRAME);
        }
        if (!open) {
            return 0;
        }
        return claimed(ring.claim(length));
    }

    @Override
    public boolean takesReferences(final long end) {
        return open && ring.isFollowed() && end <= ShmRing.MOST_SHARED;
    }

    @Override
    public long claimReference(final int headers, final long offset, final int length, final int packets) {
        return open ? claimed(ring.claimReference(headers, offset, length, packets)) : 0;
    }

    void withdraw() {
        lock().lock();
        if (open) {
            ring.withdraw();
        }
        lock().unlock();
    }

    private long claimed(final long address) {
        if (address > 0) {
            if (stalled) {
                stalled = false;
            }
            return address;
        }
        if (address == ShmRingWriter.BROKEN) {
            ring.withdraw();
            open = false;
        } else if (!stalled) {
            stalled = true;
        }
        return 0;
    }

    @Override
    public void commit(final int trafficClass, final int flowLabel, final int hopLimit) {
        ring.commit(trafficClass, flowLabel, hopLimit == 0 ? USUAL_HOPS : hopLimit);
        inbox.wake();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /**
     * Asked by who is about to sleep: whether a claim that failed may succeed by now. Said once: perhaps nobody wants
     * to send that any more. Not after {@link #dispose}.
     */
    boolean mayHaveRoom() {
        if (!stalled || open && !ring.wasToldOfRoom()) {
            return false;
        }
        lock().lock();
        // A claim that failed meanwhile has asked the reader anew.
        stalled = open && !ring.wasToldOfRoom();
        lock().unlock();
        return true;
    }

    /** From now on nobody touches its memory by it, but for {@link #mayHaveRoom}. */
    void shut() {
        lock().lock();
        if (open) {
            ring.withdraw();
        }
        open = false;
        lock().unlock();
    }

    /** Gives its memory back. The peer is still to be released. */
    void dispose() {
        shut();
        ring.end();
        ShmFolder.remove(offer);
        memory.close();
    }

    @Override
    public String toString() {
        return "lane from " + title.source() + " to " + title.dest() + (open ? ", " + ring : ", closed");
    }
}
