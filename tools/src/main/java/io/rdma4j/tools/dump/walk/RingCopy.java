/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.driver.live.LiveView;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;

import java.util.Arrays;
import java.util.Optional;

import org.agrona.concurrent.UnsafeBuffer;

/** A ring as it was in a moment, while its driver and its device went on: indices and slots, copied. */
public final class RingCopy {
    private final RingSpec spec;
    private final String unreadable;
    private final UnsafeBuffer slots;
    private final int prodTail;
    private final int consHead;
    private final boolean moved;

    private RingCopy(final RingSpec spec, final String unreadable) {
        this(spec, unreadable, new UnsafeBuffer(new byte[0]), new int[2], false);
    }

    private RingCopy(final RingSpec spec, final String unreadable, final UnsafeBuffer slots, final int[] indices,
        final boolean moved) {
        this.spec = spec;
        this.unreadable = unreadable;
        this.slots = slots;
        this.prodTail = indices[0];
        this.consHead = indices[1];
        this.moved = moved;
    }

    /**
     * Copies a ring.
     *
     * @param view what can read it.
     * @param spec where it is said to be; not believed.
     * @return the copy, which tells by {@link #unreadable()} if there is none.
     */
    public static RingCopy of(final LiveView view, final RingSpec spec) {
        final String objection = spec.objection();
        if (objection != null) {
            return new RingCopy(spec, objection);
        }
        final Optional<int[]> before = indices(view, spec);
        final Optional<byte[]> slots = slots(view, spec);
        // The indices come round: they are as before when twice the ring's length went by, and the slots are not.
        final Optional<byte[]> again = slots(view, spec);
        final Optional<int[]> after = indices(view, spec);
        if (before.isEmpty() || slots.isEmpty() || again.isEmpty() || after.isEmpty()) {
            return new RingCopy(spec, String.format("0x%x+%d cannot be read", spec.iova(), spec.length()));
        }
        final boolean moved = !Arrays.equals(before.get(), after.get()) || !Arrays.equals(slots.get(), again.get());
        return new RingCopy(spec, null, new UnsafeBuffer(slots.get()), before.get(), moved);
    }

    private static Optional<byte[]> slots(final LiveView view, final RingSpec spec) {
        return view.read(spec.iova() + spec.elements(), (int) spec.count() * spec.stride());
    }

    private static Optional<int[]> indices(final LiveView view, final RingSpec spec) {
        return view.read(spec.iova() + spec.state(), RingState.CONS_HEAD_OFFSET + Integer.BYTES).map(bytes -> {
            final UnsafeBuffer state = new UnsafeBuffer(bytes);
            return new int[] {state.getInt(RingState.PROD_TAIL_OFFSET, LITTLE_ENDIAN),
                state.getInt(RingState.CONS_HEAD_OFFSET, LITTLE_ENDIAN)};
        });
    }

    /**
     * Where it was said to be.
     *
     * @return as given.
     */
    public RingSpec spec() {
        return spec;
    }

    /**
     * Why there is no copy.
     *
     * @return a sentence, or null if there is one.
     */
    public String unreadable() {
        return unreadable;
    }

    /**
     * How many slots were copied.
     *
     * @return a power of two; 0 if there is no copy.
     */
    public int count() {
        return unreadable == null ? (int) spec.count() : 0;
    }

    /**
     * The copied slots.
     *
     * @return {@link #count()} times the stride.
     */
    public UnsafeBuffer slots() {
        return slots;
    }

    /**
     * Where a slot begins in {@link #slots()}.
     *
     * @param slot from 0.
     * @return an offset.
     */
    public int offset(final int slot) {
        return slot * spec.stride();
    }

    /**
     * Whether there is nothing but zeros at the beginning of a slot.
     *
     * @param slot   from 0.
     * @param length bytes to look at.
     * @return true if nobody ever wrote there.
     */
    public boolean isBlank(final int slot, final int length) {
        for (int i = 0; i < length; i++) {
            if (slots.getByte(offset(slot) + i) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * The producer's index.
     *
     * @return as it was before the slots were copied; not checked.
     */
    public int prodTail() {
        return prodTail;
    }

    /**
     * The consumer's index.
     *
     * @return as it was before the slots were copied; not checked.
     */
    public int consHead() {
        return consHead;
    }

    /**
     * Whether an index or a slot changed while the slots were copied: then what is said of single slots may be of two
     * moments.
     *
     * @return true if so.
     */
    public boolean moved() {
        return moved;
    }

    /**
     * Why the indices cannot be.
     *
     * @return a sentence, or null if they can.
     */
    public String corrupt() {
        final int n = count();
        if (n == 0) {
            return null;
        }
        if (!RingIndex.isValid(prodTail, n)) {
            return String.format("prod_tail 0x%x: no index of a ring of %d slots, which go to 0x%x", prodTail, n,
                2 * n - 1);
        }
        if (!RingIndex.isValid(consHead, n)) {
            return String.format("cons_head 0x%x: no index of a ring of %d slots, which go to 0x%x", consHead, n,
                2 * n - 1);
        }
        final int used = RingIndex.used(prodTail, consHead, n);
        return used > n ? String.format("prod_tail 0x%x and cons_head 0x%x: %d elements between them, in a ring of %d",
            prodTail, consHead, used, n) : null;
    }
}
