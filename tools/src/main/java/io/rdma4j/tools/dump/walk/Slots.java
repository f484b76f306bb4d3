/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RqWqe;

import java.util.Arrays;

/**
 * What is in each slot of a ring:
 *
 * <pre>
 *              retired        cons_head       prod_tail
 *   ... done      |  executing    |   pending     |   done or free, one lap ago ...
 * </pre>
 */
public final class Slots {
    private final RingCopy ring;
    private final SlotState[] states;
    private final int[] indices;
    private String doubt;

    private Slots(final RingCopy ring, final SlotState rest) {
        this.ring = ring;
        states = new SlotState[ring.count()];
        indices = new int[ring.count()];
        Arrays.fill(states, rest);
        for (int age = 1; age <= states.length; age++) {
            final int index = RingIndex.advance(ring.prodTail(), 2 * states.length - age, states.length);
            indices[RingIndex.slot(index, states.length)] = index;
        }
    }

    /**
     * A queue of a QP, whose driver knows how far it is completed.
     *
     * @param ring    the queue.
     * @param header  bytes of a work request's header.
     * @param posted  elements below this number are posted, as the driver says.
     * @param retired elements below this number are completed, as the driver says.
     * @return its slots.
     */
    public static Slots ofQueue(final RingCopy ring, final int header, final long posted, final long retired) {
        final Slots slots = of(ring, SlotState.DONE, SlotState.PENDING, header);
        if (ring.corrupt() == null && ring.count() > 0) {
            slots.markExecuting(posted, retired);
        }
        return slots;
    }

    /**
     * A shared receive queue.
     *
     * @param ring the queue.
     * @return its slots.
     */
    public static Slots ofShared(final RingCopy ring) {
        return of(ring, SlotState.TAKEN, SlotState.PENDING, RqWqe.HEADER_LENGTH);
    }

    /**
     * A completion queue.
     *
     * @param ring the queue.
     * @return its slots.
     */
    public static Slots ofCq(final RingCopy ring) {
        return of(ring, SlotState.OLD, SlotState.UNREAD, Cqe.LENGTH);
    }

    private static Slots of(final RingCopy ring, final SlotState rest, final SlotState used, final int header) {
        if (ring.corrupt() != null) {
            return new Slots(ring, SlotState.UNKNOWN);
        }
        final Slots slots = new Slots(ring, rest);
        for (int slot = 0; slot < slots.states.length; slot++) {
            if (ring.isBlank(slot, header)) {
                slots.states[slot] = SlotState.FREE;
            }
        }
        if (ring.count() > 0) {
            slots.mark(used, 0, RingIndex.used(ring.prodTail(), ring.consHead(), ring.count()));
        }
        return slots;
    }

    /** Marks slots that were produced last but so many. */
    private void mark(final SlotState state, final int last, final int howMany) {
        for (int age = last + 1; age <= last + howMany; age++) {
            final int index = RingIndex.advance(ring.prodTail(), 2 * states.length - age, states.length);
            states[RingIndex.slot(index, states.length)] = state;
        }
    }

    private void replace(final SlotState state, final SlotState by) {
        Arrays.setAll(states, slot -> states[slot] == state ? by : states[slot]);
    }

    /**
     * How many are outstanding is the driver's to know, and where they are is in the ring: its indices may be younger
     * than the driver's numbers, while it is at work, so that these do not tell where.
     */
    private void markExecuting(final long posted, final long retired) {
        final int n = states.length;
        final int pending = RingIndex.used(ring.prodTail(), ring.consHead(), n);
        final long outstanding = posted - retired;
        if (outstanding < 0 || outstanding > n) {
            replace(SlotState.DONE, SlotState.TAKEN);
            doubt = String.format("posted %d and retired %d: they cannot be both of this ring", posted, retired);
            return;
        }
        mark(SlotState.EXECUTING, pending, (int) Math.max(0, outstanding - pending));
        if (((int) posted & 2 * n - 1) != ring.prodTail()) {
            doubt = String.format("in motion: posted %d and prod_tail 0x%x are of different moments", posted,
                ring.prodTail());
        }
    }

    /**
     * What is in a slot.
     *
     * @param slot from 0.
     * @return the state.
     */
    public SlotState state(final int slot) {
        return states[slot];
    }

    /**
     * The index by which a slot was last, or will next, be reached from the producer's index backwards.
     *
     * @param slot from 0.
     * @return an index of the ring.
     */
    public int index(final int slot) {
        return indices[slot];
    }

    /**
     * How many slots are in a state.
     *
     * @param state which.
     * @return 0 to the number of slots.
     */
    public int count(final SlotState state) {
        return (int) Arrays.stream(states).filter(s -> s == state).count();
    }

    /**
     * Why it is not sure which slots are executing, and which done.
     *
     * @return a sentence, or null if it is.
     */
    public String doubt() {
        return doubt;
    }
}
