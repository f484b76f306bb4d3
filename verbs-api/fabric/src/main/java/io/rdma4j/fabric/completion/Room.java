/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

/**
 * How many reports an endpoint may have under way: from the call that accepts an operation until its completion was
 * read. So completions that nobody reads do not grow without bound. For the thread that uses the endpoint.
 */
public final class Room {
    private final int size;
    private int taken;

    /**
     * Room, with nothing taken.
     *
     * @param size places.
     */
    public Room(final int size) {
        this.size = size;
    }

    /**
     * Takes a place.
     *
     * @return false if there is none: -FI_EAGAIN.
     */
    public boolean take() {
        if (taken == size) {
            return false;
        }
        taken++;
        return true;
    }

    /** Gives a place back: of an operation that is not reported. For a report the queue does it when it was read. */
    public void giveBack() {
        taken--;
    }

    /**
     * Places that are free.
     *
     * @return 0 or more.
     */
    public int left() {
        return size - taken;
    }
}
