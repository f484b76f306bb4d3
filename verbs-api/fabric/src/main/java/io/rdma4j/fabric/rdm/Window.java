/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/**
 * Slots of the peer that can be used, and slots of our own that the peer is to be told of.
 *
 * <p>A piece uses up a credit. The receiver gives it back when the slot is free again: with the next piece that goes
 * the other way, or on its own: once half of the window is due, rounded up, or once the peer has used all that it knows
 * of, see {@link #isUsedUp}; it has read all messages of credits then. So at most two messages that only give credits
 * are on their way to a peer that does not look at them.
 */
final class Window {
    /** Slots that are posted by one doorbell at most. */
    static final int MOST_TOGETHER = 8;

    private final int slots;
    private int size;
    private int credits;
    private int due;

    Window(final int slots) {
        this.slots = slots;
    }

    /** The peer's window is known. */
    void open(final int peerSlots) {
        size = Math.min(slots, peerSlots);
        credits = size;
    }

    /**
     * How many free slots are posted together: at most a quarter of the window. The peer has credits left then, as it
     * is told once half of the window is due.
     */
    int together() {
        return Math.max(1, Math.min(MOST_TOGETHER, size >> 2));
    }

    int credits() {
        return credits;
    }

    void use() {
        credits--;
    }

    /** The peer gives credits back; false if these are more than it took. */
    boolean add(final int returned) {
        credits += returned;
        return credits <= size;
    }

    /** Slots are posted again. */
    void free(final int count) {
        due += count;
    }

    /** Half of the window is free again, and the peer does not know. */
    boolean isDue() {
        return due >= Math.max(1, size + 1 >> 1);
    }

    /**
     * The peer has no credit left, nor one on its way to it, though slots are free again: it would wait for them, and
     * the application perhaps for its next message.
     *
     * @param kept slots that stay taken.
     * @param free slots that are free, and not posted yet.
     */
    boolean isUsedUp(final int kept, final int free) {
        return due + free > 0 && kept + due + free >= size;
    }

    int due() {
        return due;
    }

    /** The peer is told. */
    void told() {
        due = 0;
    }

    @Override
    public String toString() {
        return credits + " of " + size + " credits, " + due + " due";
    }
}
