/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.base.Undo;
import io.rdma4j.device.common.CommandError;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Objects of one kind by their number, of which there are three sorts.
 *
 * <p><b>Salted</b> ones hold the slot and a salt that changes each time the slot is used again. They are not the small
 * integers that are right by chance, nor all ones, which is multicast's among the numbers of queue pairs; and one comes
 * back only when all others of its slot have been used:
 *
 * <pre>
 *   23          bits  0
 *   +----------+-------+
 *   |   salt   |  slot |      bits = log2 of the number of slots
 *   +----------+-------+
 * </pre>
 *
 * <p><b>Indices</b> are the slot alone, below the limit that the device advertises: Linux' driver has tables of that
 * many entries, and for a larger number stores behind their end. 0 is none of them, as libvmw_pvrdma takes a handle 0
 * for one that it was not told; so there is one object less than the limit says. What was given back comes back after
 * all others that are free: what is kept too long names nothing for as long as possible.
 *
 * <p><b>Stacked</b> ones are QEMU's: from 0, and the one given back last comes first.
 *
 * <p>Looking up takes no lock. Changing takes the table's, and is done by one command at a time.
 *
 * @param <T> what is in the table.
 */
final class ObjectTable<T> {
    static final int NUMBER_BITS = 24;
    static final int MAX_NUMBER = (1 << NUMBER_BITS) - 1;

    private enum Sort { SALTED, INDEX, STACKED }

    private final String kind;
    private final Sort sort;
    private final int limit;
    private final int capacity;
    private final int bits;
    private final AtomicReferenceArray<T> objects;
    /**
     * Of the objects, by slot: not in an entry of its own, which every look would have to go through. It changes only
     * while there is no object, and is stored before the object is: who sees an object sees its number or a later one.
     */
    private final int[] numbers;
    private final int firstSalt;
    /** How many there are: from 1, and not the one of all bits, by which a slot's number could be all ones. */
    private final int salts;
    /** How often each slot was given back. */
    private final int[] uses;
    /** Slots that were given back; those from {@link #next} on were never used. */
    private final Deque<Integer> free = new ArrayDeque<>();
    private int next;
    private int size;

    private ObjectTable(String kind, Sort sort, int limit, int firstSalt) {
        this.kind = kind;
        this.sort = sort;
        this.limit = limit;
        this.next = sort == Sort.INDEX ? 1 : 0;
        this.capacity = limit - next;
        this.bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, limit - 1));
        this.objects = new AtomicReferenceArray<>(1 << bits);
        this.numbers = new int[1 << bits];
        this.salts = (1 << NUMBER_BITS - bits) - 2;
        this.firstSalt = Math.max(1, Math.min(firstSalt & salts + 1, salts));
        this.uses = new int[limit];
    }

    /**
     * An empty table of salted numbers.
     *
     * @param kind      of the objects, for errors.
     * @param limit     objects at most.
     * @param firstSalt where the salts begin; at least 1.
     */
    static <T> ObjectTable<T> salted(String kind, int limit, int firstSalt) {
        return new ObjectTable<>(kind, Sort.SALTED, limit, firstSalt);
    }

    /**
     * An empty table of numbers from 1.
     *
     * @param kind  of the objects, for errors.
     * @param limit all numbers are below.
     */
    static <T> ObjectTable<T> indices(String kind, int limit) {
        return new ObjectTable<>(kind, Sort.INDEX, limit, 1);
    }

    /**
     * An empty table of numbers from 0, as QEMU's are.
     *
     * @param kind  of the objects, for errors.
     * @param limit objects at most.
     */
    static <T> ObjectTable<T> stacked(String kind, int limit) {
        return new ObjectTable<>(kind, Sort.STACKED, limit, 1);
    }

    /** A number for a new object; it names nothing until {@link #put}. */
    synchronized int allocate() {
        if (size == capacity) {
            throw new CommandError(CommandError.ENOMEM, "all " + capacity + " " + kind + "s of the device are in use");
        }
        final int slot = next == limit || sort == Sort.STACKED && !free.isEmpty() ? free.removeFirst() : next++;
        size++;
        return salt(slot) << bits | slot;
    }

    /**
     * Makes an object with a number of its own. If it cannot be made, for want of memory for example, the number is
     * free again.
     *
     * @param make gives the object of a number.
     * @return the number.
     */
    int add(IntFunction<T> make) {
        final int number = allocate();
        try (Undo undo = new Undo()) {
            undo.add(() -> release(number));
            put(number, make.apply(number));
            undo.forget();
        }
        return number;
    }

    private int salt(int slot) {
        return sort == Sort.SALTED ? 1 + Integer.remainderUnsigned(firstSalt - 1 + uses[slot], salts) : 0;
    }

    /** How often all salts of a number's slot were used up: who makes names of numbers lets the names differ then. */
    synchronized int lap(int number) {
        return sort == Sort.SALTED ? Integer.divideUnsigned(firstSalt - 1 + uses[slot(number)], salts) : 0;
    }

    synchronized void put(int number, T object) {
        final int slot = slot(number);
        numbers[slot] = number;
        objects.set(slot, object);
    }

    /** The object, or null if the number names none. */
    T get(int number) {
        final int slot = slot(number);
        final T object = objects.getAcquire(slot);
        return object == null || numbers[slot] != number ? null : object;
    }

    T require(int number) {
        final T object = get(number);
        if (object == null) {
            throw CommandError.invalid("there is no %s 0x%x", kind, number);
        }
        return object;
    }

    /** From now on the number names nothing, but it is not given back. */
    synchronized void remove(int number) {
        objects.set(slot(number), null);
    }

    /** Gives a number back, whether or not an object was put there. It is used again after all others. */
    synchronized void release(int number) {
        final int slot = slot(number);
        objects.set(slot, null);
        size--;
        uses[slot]++;
        if (sort == Sort.STACKED) {
            free.addFirst(slot);
        } else {
            free.addLast(slot);
        }
    }

    /** Objects are neither added nor removed meanwhile. */
    synchronized void forEach(Consumer<T> action) {
        int left = size;
        for (int slot = 0; slot < limit && left > 0; slot++) {
            final T object = objects.get(slot);
            if (object != null) {
                action.accept(object);
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

    /** How many slots there are; a power of two. */
    int slots() {
        return 1 << bits;
    }

    /** The one of a number, be it in use or not. */
    int slot(int number) {
        return number & (1 << bits) - 1;
    }
}
