/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.state.SealedMemory;

import org.agrona.UnsafeApi;

/** What a peer of this host sends to this device: a ring in memory of the peer. For the thread that polls. */
final class ShmInlet {
    /** Frames up to here are copied as a whole: that takes no longer than to look twice where they are. */
    static final int SMALL = 256;
    /** The writer gets room back at the latest when so many parts of the ring have been read. */
    private static final int PARTS = 8;

    private final ShmRing.Title title;
    /** Of this device; the same GID in a later life is another one. */
    private final ShmFolder.Opened home;
    private final ShmPeer peer;
    private final ShmInbox inbox;
    private final SealedMemory memory;
    /** What the peer shares; null if it shares nothing. */
    private final PeerMemory shared;
    private final ShmRingReader ring;
    private final int size;
    private final int part;
    /** Looks in a row that found nothing. */
    private int idle;
    private boolean broken;
    private boolean ended;
    /** Where the reader may go at most since the peer is gone; -1 before. */
    private long lastPosition = -1;

    ShmInlet(final ShmRing.Title title, final ShmFolder.Opened home, final ShmPeer peer, final SealedMemory memory,
        final PeerMemory shared) {
        this.title = title;
        this.home = home;
        this.peer = peer;
        this.inbox = peer.inbox();
        this.memory = memory;
        size = (int) (memory.length() - ShmRing.DATA_OFFSET);
        this.shared = shared;
        ring = new ShmRingReader(memory.address(), size);
        if (shared != null) {
            ring.follow(true);
        }
        part = size / PARTS;
        peer.use();
    }

    /** Whether both ends are these, in this life of theirs. */
    boolean connects(final ShmPeer source, final ShmFolder.Opened dest) {
        return peer == source && home == dest;
    }

    long nonce() {
        return title.nonce();
    }

    ShmFolder.Opened home() {
        return home;
    }

    ShmPeer peer() {
        return peer;
    }

    boolean isBroken() {
        return broken;
    }

    /** Whether the peer has closed its lane. */
    boolean hasEnded() {
        return ended;
    }

    int idle() {
        return idle;
    }

    boolean hasFrame() {
        return ring.peek() > 0;
    }

    /** Whether there is something to take, be it garbage. */
    boolean hasSome() {
        return ring.peek() != ShmRingReader.EMPTY;
    }

    /**
     * Whether all was taken that a peer which is gone can have sent: no more than a ring. Garbage may go round and
     * round.
     */
    boolean isDrained() {
        if (lastPosition < 0) {
            lastPosition = ring.position() + size;
        }
        return !hasSome() || ring.position() >= lastPosition;
    }

    int take(final FrameReceiver receiver, final Frame frame, final long own, final int limit) {
        long word = ring.peek();
        if (word == ShmRingReader.EMPTY) {
            idle++;
            return 0;
        }
        idle = 0;
        int taken = 0;
        try {
            while (word > 0 && taken < limit) {
                fill(frame, own, word);
                final long payload = ShmRing.refers(word) ? refer(frame) : frame.body;
                if (payload == 0) {
                    word = ShmRingReader.BROKEN;
                    break;
                }
                ring.advance(word);
                taken++;
                if (payload == PeerMemory.NO_ROOM) {
                    // As if it were lost: it comes once more, with its bytes, and so does what follows.
                    ring.follow(false);
                } else {
                    receiver.onFrame(frame);
                }
                if (ring.owed() >= part) {
                    ring.release();
                }
                word = taken < limit ? ring.peek() : ShmRingReader.EMPTY;
            }
        } finally {
            giveBack();
        }
        broken = word == ShmRingReader.BROKEN;
        ended = word == ShmRingReader.ENDED;
        return taken;
    }

    /** What has come counts for nothing: a ring of it at most, as garbage may go round and round. */
    void skip() {
        for (long word = ring.peek(); word > 0 && ring.position() < size; word = ring.peek()) {
            ring.advance(word);
        }
        giveBack();
    }

    private void giveBack() {
        ring.release();
        if (ring.isWriterWaiting()) {
            inbox.wake();
        }
    }

    private void fill(final Frame frame, final long own, final long word) {
        final long at = ring.address();
        final int length = ShmRing.length(word);
        final int copied = length <= SMALL ? length : Frame.OWN;
        // By whole words: a record has them.
        for (int i = 0; i < copied; i += Long.BYTES) {
            UnsafeApi.putLong(own + i, UnsafeApi.getLong(at + i));
        }
        frame.address = own;
        frame.body = copied == length ? own : at;
        frame.length = length;
        frame.referred = 0;
        frame.sourceGidHigh = title.source().high();
        frame.sourceGidLow = title.source().low();
        frame.destGidHigh = title.dest().high();
        frame.destGidLow = title.dest().low();
        frame.trafficClass = ShmRing.trafficClass(word);
        frame.flowLabel = ShmRing.flowLabel(word);
        frame.hopLimit = ShmRing.hopLimit(word);
    }

    /** Where the payload is of a frame with a reference behind its headers; as {@link PeerMemory#find}. */
    private long refer(final Frame frame) {
        final int headers = frame.length - ShmRing.REFERENCE;
        final long reference = frame.address + headers;
        final int length = UnsafeApi.getInt(reference + Long.BYTES);
        final long payload = shared == null || length > Carrier.MAX_REFERENCE ? 0
            : shared.find(UnsafeApi.getLong(reference), length);
        frame.length = headers + length;
        frame.referred = length;
        frame.packets = UnsafeApi.getInt(reference + Long.BYTES + Integer.BYTES);
        frame.body = payload - headers;
        frame.withdrawn = ring.withdrawn();
        frame.position = ring.position();
        return payload;
    }

    /** Gives the memory back. The peer is still to be released. */
    void dispose() {
        ring.stop();
        final Cleanup cleanup = new Cleanup().run(memory::close);
        if (shared != null) {
            cleanup.run(shared::close);
        }
        cleanup.throwIfFailed();
    }

    @Override
    public String toString() {
        return "ring from " + title.source() + " to " + title.dest() + ", " + ring;
    }
}
