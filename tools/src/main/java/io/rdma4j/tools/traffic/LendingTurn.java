/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.QpAddress;

import java.util.ArrayList;
import java.util.List;

/**
 * The part of an end that does nothing but let its peer at its memory. From another process it hears now and then that
 * the peer is still there.
 */
final class LendingTurn implements QpTurn {
    /** Messages that are there to be read. */
    static final int MESSAGES = 2;

    private final List<RemoteMemory> lent;
    private final SignalMessages words;

    private LendingTurn(final PingPongEnd end, final List<RegisteredMemory> slots) {
        lent = slots.stream().map(RegisteredMemory::lent).toList();
        words = new SignalMessages(end);
    }

    static LendingTurn toBeRead(final PingPongEnd end) {
        final int size = end.options().size();
        final List<RegisteredMemory> slots = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            final RegisteredMemory slot = new RegisteredMemory(end.pd(), size, end.options().operation().rights());
            Pattern.fill(slot.buffer(), 0, size, messageNumber(i));
            slots.add(slot);
        }
        return new LendingTurn(end, slots);
    }

    static LendingTurn ofOneWord(final PingPongEnd end) {
        return new LendingTurn(end,
            List.of(new RegisteredMemory(end.pd(), end.options().size(), end.options().operation().rights())));
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
        return lent;
    }

    @Override
    public void meet(final QpAddress peer, final List<RemoteMemory> memory) {
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
