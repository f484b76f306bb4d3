/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import java.util.Arrays;

/**
 * The rings of peers. Those that had frames lately are in front and take turns; of the others each poll looks at a few.
 * For the thread that polls; {@link #size} is for any.
 */
final class ShmInlets {
    /** Frames of one ring before the next one has its turn. */
    private static final int TURN = 32;
    /** Looks in vain after which a ring is idle. */
    private static final int PATIENCE = 1000;
    /** Idle rings that each poll looks at. */
    private static final int IDLE_LOOKS = 2;
    private static final int LEAST_ROOM = 4;

    /** Of frames that are copied. */
    private final long own;
    private final Frame frame = new Frame();
    private ShmInlet[] inlets = {};
    private volatile int size;
    private int busy;
    private int turn;
    private int nextIdle;
    private boolean sawEnd;

    /** With memory for a frame of {@link ShmInlet#SMALL} bytes. */
    ShmInlets(final long own) {
        this.own = own;
    }

    int size() {
        return size;
    }

    ShmInlet get(final int index) {
        return inlets[index];
    }

    int poll(final FrameReceiver receiver, final int limit) {
        int taken = 0;
        // First, as those that always have something leave no room.
        for (int i = 0; i < IDLE_LOOKS && busy < size && taken < limit; i++) {
            nextIdle = nextIdle + 1 < size && nextIdle + 1 > busy ? nextIdle + 1 : busy;
            taken += take(nextIdle, receiver, limit - taken);
        }
        int misses = 0;
        while (misses < busy && taken < limit) {
            turn = turn + 1 < busy ? turn + 1 : 0;
            final int found = take(turn, receiver, limit - taken);
            taken += found;
            misses = found == 0 ? misses + 1 : 0;
        }
        return taken;
    }

    private int take(final int index, final FrameReceiver receiver, final int limit) {
        final ShmInlet inlet = inlets[index];
        final int taken = inlet.take(receiver, frame, own, Math.min(limit, TURN));
        if (inlet.isBroken() || inlet.hasEnded()) {
            sawEnd = true;
        } else if (taken > 0 && index >= busy) {
            swap(index, busy++);
        } else if (index < busy && inlet.idle() > PATIENCE) {
            swap(index, --busy);
        }
        return taken;
    }

    /** Whether a ring was seen that ended, or has garbage in it, since this was asked. */
    boolean sawEnd() {
        final boolean saw = sawEnd;
        sawEnd = false;
        return saw;
    }

    boolean hasFrame() {
        for (int i = 0; i < size; i++) {
            if (inlets[i].hasFrame()) {
                return true;
            }
        }
        return false;
    }

    /** Whether there is something to take, be it garbage. */
    boolean hasSome() {
        for (int i = 0; i < size; i++) {
            if (inlets[i].hasSome()) {
                return true;
            }
        }
        return false;
    }

    /** Below 0 if there is none. */
    int find(final ShmPeer source, final ShmFolder.Opened dest) {
        for (int i = 0; i < size; i++) {
            if (inlets[i].connects(source, dest)) {
                return i;
            }
        }
        return -1;
    }

    /** In front: it comes because there is something to send. */
    void add(final ShmInlet inlet) {
        if (size == inlets.length) {
            inlets = Arrays.copyOf(inlets, Math.max(LEAST_ROOM, inlets.length * 2));
        }
        inlets[size] = inlet;
        swap(size++, busy++);
    }

    /** Gives it back; those behind it are elsewhere then. */
    ShmInlet remove(final int index) {
        final ShmInlet removed = inlets[index];
        int hole = index;
        if (hole < busy) {
            swap(hole, --busy);
            hole = busy;
        }
        swap(hole, --size);
        inlets[size] = null;
        turn = 0;
        nextIdle = 0;
        return removed;
    }

    void clear() {
        size = 0;
        busy = 0;
    }

    private void swap(final int one, final int other) {
        final ShmInlet moved = inlets[one];
        inlets[one] = inlets[other];
        inlets[other] = moved;
    }
}
