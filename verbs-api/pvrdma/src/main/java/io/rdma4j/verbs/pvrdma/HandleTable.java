/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/**
 * Finds objects by their device handle: the polling threads look up without a lock and without allocation, while the
 * control path replaces the whole table for every change. Handles are any 32 bits; devices do not number them densely.
 */
final class HandleTable<T> {
    private static final int MIN_SLOTS = 8;

    private volatile Slots slots = new Slots(MIN_SLOTS);
    private int size;

    /** Open addressing with linear probing; never more than half full; not changed once it is visible. */
    private static final class Slots {
        private final int[] handles;
        private final Object[] values;
        /** By which it is known again: whoever remembers it keeps none of the objects. */
        private final Object mark = new Object();

        Slots(final int length) {
            handles = new int[length];
            values = new Object[length];
        }

        /** Masks by length spare the JVM its range checks. */
        Object get(final int handle) {
            int i = start(handle);
            Object value = values[i & values.length - 1];
            while (value != null && handles[i & handles.length - 1] != handle) {
                i++;
                value = values[i & values.length - 1];
            }
            return value;
        }

        void put(final int handle, final Object value) {
            int i = start(handle) & values.length - 1;
            while (values[i] != null && handles[i] != handle) {
                i = i + 1 & values.length - 1;
            }
            handles[i] = handle;
            values[i] = value;
        }

        private static int start(final int handle) {
            final int mixed = handle * 0x9E3779B9;
            return mixed ^ mixed >>> 16;
        }
    }

    /**
     * What one thread found last. Most completion queues are of one QP, or see several completions of one after the
     * other; and a table that is replaced for every change tells at a look whether it is still the same. Only what is
     * asked for twice in a row is remembered: to store a reference can be a fence.
     */
    static final class Memo<T> {
        private final HandleTable<T> table;
        private Object mark;
        private int handle;
        private T value;
        /** What was looked up last. */
        private int missed;

        Memo(final HandleTable<T> table) {
            this.table = table;
        }

        /** The object with this handle, or null. */
        T get(final int wanted) {
            final Slots now = table.slots;
            return now.mark == mark && wanted == handle ? value : look(now, wanted);
        }

        @SuppressWarnings("unchecked")
        private T look(final Slots now, final int wanted) {
            final T found = (T) now.get(wanted);
            if (wanted == missed) {
                mark = now.mark;
                handle = wanted;
                value = found;
            }
            missed = wanted;
            return found;
        }
    }

    /** The object with this handle, or null; from any thread. */
    @SuppressWarnings("unchecked")
    T get(final int handle) {
        return (T) slots.get(handle);
    }

    synchronized int size() {
        return size;
    }

    /** Adds an object; the device reused the handle if there is one already, which is then forgotten. */
    synchronized void put(final int handle, final T value) {
        if (slots.get(handle) == null) {
            size++;
        }
        final Slots next = copy(handle, true);
        next.put(handle, value);
        slots = next;
    }

    /** Removes an object, unless another one took its handle. */
    synchronized void remove(final int handle, final T value) {
        if (value != null && slots.get(handle) == value) {
            size--;
            slots = copy(handle, false);
        }
    }

    private Slots copy(final int handle, final boolean withHandle) {
        final Slots next = new Slots(Math.max(MIN_SLOTS, Integer.highestOneBit(Math.max(1, size)) << 2));
        for (int i = 0; i < slots.values.length; i++) {
            if (slots.values[i] != null && (withHandle || slots.handles[i] != handle)) {
                next.put(slots.handles[i], slots.values[i]);
            }
        }
        return next;
    }
}
