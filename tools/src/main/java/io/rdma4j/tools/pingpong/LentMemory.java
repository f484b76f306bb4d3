/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;


import java.util.ArrayList;
import java.util.List;

/**
 * The part of an end that does nothing but let its peer at its memory. From another process it hears now and then that
 * the peer is still there.
 */
final class LentMemory implements Turn {
    /** Messages that are there to be read. */
    static final int MESSAGES = 2;

    private final List<RemoteMemory> memory;
    private final Words words;

    private LentMemory(final Endpoint end, final List<Slot> slots) {
        memory = slots.stream().map(Slot::lent).toList();
        words = new Words(end);
    }

    static LentMemory toBeRead(final Endpoint end) {
        final int size = end.options().size();
        final List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            final Slot slot = new Slot(end.pd(), size, end.options().operation().rights());
            Pattern.fill(slot.buffer(), 0, size, messageNumber(i));
            slots.add(slot);
        }
        return new LentMemory(end, slots);
    }

    static LentMemory ofOneWord(final Endpoint end) {
        return new LentMemory(end,
            List.of(new Slot(end.pd(), end.options().size(), end.options().operation().rights())));
    }

    /** Which message a round trip reads. */
    static int indexOf(final long iteration) {
        return (int) (iteration % MESSAGES);
    }

    /** Number of a message in {@link Pattern}: above 0, whose pattern begins like fresh memory. */
    static long messageNumber(final int index) {
        return index + 1L;
    }

    @Override
    public List<RemoteMemory> lends() {
        return memory;
    }

    @Override
    public int borrows() {
        return 0;
    }

    @Override
    public void meet(final Peer peer) {
        words.listen();
    }

    @Override
    public boolean isReady() {
        return words.isStillHere();
    }

    @Override
    public void take(final long iteration) {
        words.take();
    }

    @Override
    public void move(final long iteration) {
        // There is nothing to do for who lends.
    }

    @Override
    public void sayFarewell() {
        throw new IllegalStateException("the end that only lends its memory does not end the game");
    }

    @Override
    public boolean isFarewell() {
        return words.isFarewell();
    }

    @Override
    public String waitingFor() {
        return "a sign that the other end is still there";
    }
}
