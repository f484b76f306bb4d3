/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import org.agrona.UnsafeApi;

/** Frames that are held back, until others have overtaken them or their time has come. Under its owner's lock. */
final class HeldFrames {
    /** More than that at once go on their way at once. */
    static final int CAPACITY = 64;

    private final FrameSlot[] slots;
    private final Frame[] frames = new Frame[CAPACITY];
    private final Lane[] lanes = new Lane[CAPACITY];
    /** How many frames of the same lane may still overtake; -1 for any number. */
    private final int[] overtaking = new int[CAPACITY];
    private final long[] due = new long[CAPACITY];
    private int count;

    HeldFrames(int maxFrame) {
        slots = FrameSlot.allocate(CAPACITY, maxFrame);
        for (int i = 0; i < CAPACITY; i++) {
            frames[i] = new Frame();
        }
    }

    int count() {
        return count;
    }

    /** Takes a copy; false if there is no room. */
    boolean hold(Frame frame, Lane lane, int passes, long until) {
        if (count == CAPACITY) {
            return false;
        }
        final Frame copy = frames[count];
        copy.address = slots[count].address();
        copy.body = copy.address;
        copy.length = frame.length;
        copy.sourceGidHigh = frame.sourceGidHigh;
        copy.sourceGidLow = frame.sourceGidLow;
        copy.destGidHigh = frame.destGidHigh;
        copy.destGidLow = frame.destGidLow;
        copy.trafficClass = frame.trafficClass;
        copy.flowLabel = frame.flowLabel;
        copy.hopLimit = frame.hopLimit;
        UnsafeApi.copyMemory(frame.body, copy.address, frame.length);
        lanes[count] = lane;
        overtaking[count] = passes;
        due[count] = until;
        count++;
        return true;
    }

    /** A frame of this lane has gone by. */
    void overtaken(Lane lane) {
        for (int i = 0; i < count; i++) {
            if (lanes[i] == lane && overtaking[i] > 0) {
                overtaking[i]--;
            }
        }
    }

    /** {@return the first frame that need not wait any longer; or -1} */
    int ready(long now) {
        for (int i = 0; i < count; i++) {
            if (overtaking[i] == 0 || due[i] - now <= 0) {
                return i;
            }
        }
        return -1;
    }

    Frame frame(int index) {
        return frames[index];
    }

    Lane lane(int index) {
        return lanes[index];
    }

    /** Forgets a frame; those behind it keep their order. */
    void remove(int index) {
        final FrameSlot slot = slots[index];
        final Frame frame = frames[index];
        count--;
        for (int i = index; i < count; i++) {
            slots[i] = slots[i + 1];
            frames[i] = frames[i + 1];
            lanes[i] = lanes[i + 1];
            overtaking[i] = overtaking[i + 1];
            due[i] = due[i + 1];
        }
        slots[count] = slot;
        frames[count] = frame;
        lanes[count] = null;
    }
}
