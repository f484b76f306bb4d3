/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.CommandError;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * Objects of one kind by their number. The number holds the slot and a salt that changes each time the slot is used
 * again, so that a number that was just given back names nothing, and numbers are not the small integers that are right
 * by chance:
 *
 * <pre>
 *   23          bits  0
 *   +----------+-------+
 *   |   salt   |  slot |      bits = log2 of the number of slots
 *   +----------+-------+
 * </pre>
 *
 * <p>Looking up takes no lock. Changing takes the table's, and is done by one command at a time.
 *
 * @param <T> what is in the table.
 */
final class ObjectTable<T> {
    static final int NUMBER_BITS = 24;
    static final int MAX_NUMBER = (1 << NUMBER_BITS) - 1;

    private final String kind;
    private final int limit;
    private final int bits;
    private final boolean plain;
    private final AtomicReferenceArray<Entry<T>> entries;
    private final int firstSalt;
    private final int saltMask;
    /** How often each slot was given back. */
    private final int[] uses;
    /** Slots that were given back; those from {@link #next} on were never used. */
    private final Deque<Integer> free = new ArrayDeque<>();
    private int next;
    private int size;

    private record Entry<T>(int number, T object) {
    }

    /**
     * An empty table.
     *
     * @param kind      of the objects, for errors.
     * @param limit     objects at most.
     * @param firstSalt where the salts begin; at least 1.
     * @param plain     whether numbers are the slots alone, from 0.
     */
    ObjectTable(String kind, int limit, int firstSalt, boolean plain) {
        this.kind = kind;
        this.limit = limit;
        this.bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, limit - 1));
        this.plain = plain;
        this.entries = new AtomicReferenceArray<>(1 << bits);
        this.saltMask = (1 << NUMBER_BITS - bits) - 1;
        this.firstSalt = Math.max(1, firstSalt & saltMask);
        this.uses = new int[limit];
    }

    /** A number for a new object; it names nothing until {@link #put}. */
    synchronized int allocate() {
        if (size == limit) {
            throw new CommandError(CommandError.ENOMEM, "all " + limit + " " + kind + "s of the device are in use");
        }
        final int slot = next == limit || plain && !free.isEmpty() ? free.removeFirst() : next++;
        size++;
        return salt(slot) << bits | slot;
    }

    private int salt(int slot) {
        return plain ? 0 : 1 + Integer.remainderUnsigned(firstSalt - 1 + uses[slot], saltMask);
    }

    /** How often all salts of a number's slot were used up: who makes names of numbers lets the names differ then. */
    synchronized int lap(int number) {
        return plain ? 0 : Integer.divideUnsigned(firstSalt - 1 + uses[slot(number)], saltMask);
    }

    synchronized void put(int number, T object) {
        entries.set(slot(number), new Entry<>(number, object));
    }

    /** The object, or null if the number names none. */
    T get(int number) {
        final Entry<T> entry = entries.get(slot(number));
        return entry == null || entry.number != number ? null : entry.object;
    }

    T require(int number) {
        final T object = get(number);
        if (object == null) {
            throw CommandError.invalid("there is no %s 0x%x", kind, number);
        }
        return object;
    }

    /** Gives a number back, whether or not an object was put there. It is used again after all others. */
    synchronized void release(int number) {
        final int slot = slot(number);
        entries.set(slot, null);
        size--;
        uses[slot]++;
        if (plain) {
            free.addFirst(slot);
        } else {
            free.addLast(slot);
        }
    }

    /** Objects are neither added nor removed meanwhile. */
    synchronized void forEach(Consumer<T> action) {
        int left = size;
        for (int slot = 0; slot < limit && left > 0; slot++) {
            final Entry<T> entry = entries.get(slot);
            if (entry != null) {
                action.accept(entry.object);
                left--;
            }
        }
    }

    List<T> snapshot() {
        final List<T> objects = new ArrayList<>();
        forEach(objects::add);
        return objects;
    }

    synchronized int size() {
        return size;
    }

    private int slot(int number) {
        return number & (1 << bits) - 1;
    }
}
