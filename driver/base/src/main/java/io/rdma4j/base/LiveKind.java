/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.util.ArrayList;
import java.util.List;

/**
 * A kind of objects that a process publishes. Attributes and counters are 64-bit numbers; each is at the place that its
 * name has in the list. Whoever owns the objects defines their kind, once, and a reader that wants such objects asks
 * for them by it.
 *
 * <p>Here, at the bottom, as layers define kinds that do not know each other.
 */
public final class LiveKind {
    /** How many attributes an object has room for. */
    public static final int MAX_ATTRIBUTES = 32;
    /** How many counters it has room for. */
    public static final int MAX_COUNTERS = 32;
    private static final int MAX_CODE = 255;

    private final int code;
    private final String name;
    private final List<String> attributes;
    private final List<String> counters;

    private LiveKind(final Builder from) {
        code = from.code;
        name = from.name;
        attributes = List.copyOf(from.attributes);
        counters = List.copyOf(from.counters);
    }

    /**
     * Begins a kind.
     *
     * @param code 1 to 255, no other kind's.
     * @param name no other kind's.
     * @return to be told the names.
     */
    public static Builder of(final int code, final String name) {
        if (code < 1 || code > MAX_CODE) {
            throw new IllegalArgumentException(name + " has code " + code + ", not 1 to " + MAX_CODE);
        }
        return new Builder(code, name);
    }

    /**
     * The number that says in memory what an object is. Never 0, which memory has that nobody wrote.
     *
     * @return 1 to 255.
     */
    public int code() {
        return code;
    }

    /**
     * What people call it.
     *
     * @return in capitals.
     */
    public String name() {
        return name;
    }

    /**
     * What the attributes are called.
     *
     * @return unmodifiable.
     */
    public List<String> attributes() {
        return attributes;
    }

    /**
     * What the counters are called; empty names are of places that are not used.
     *
     * @return unmodifiable; empty for kinds that are not counted.
     */
    public List<String> counters() {
        return counters;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Gives names their places, in turn. */
    public static final class Builder {
        private final int code;
        private final String name;
        private final List<String> attributes = new ArrayList<>();
        private final List<String> counters = new ArrayList<>();

        private Builder(final int code, final String name) {
            this.code = code;
            this.name = name;
        }

        /**
         * Adds an attribute.
         *
         * @param attribute what it is called.
         * @return its place.
         */
        public int attribute(final String attribute) {
            return add(attributes, attributes.size(), attribute, MAX_ATTRIBUTES);
        }

        /**
         * Adds a counter.
         *
         * @param counter what it is called.
         * @return its place.
         */
        public int counter(final String counter) {
            return counter(counters.size(), counter);
        }

        /**
         * Adds a counter that is not next to those before: every eighth place begins a cache line.
         *
         * @param place   where; places that are left out are not used.
         * @param counter what it is called.
         * @return its place.
         */
        public int counter(final int place, final String counter) {
            return add(counters, place, counter, MAX_COUNTERS);
        }

        /**
         * Adds counters that have numbers.
         *
         * @param place  of number 0.
         * @param prefix their name is this and the number.
         * @param count  how many.
         * @return the place of number 0.
         */
        public int counters(final int place, final String prefix, final int count) {
            for (int i = 0; i < count; i++) {
                counter(place + i, prefix + i);
            }
            return place;
        }

        private int add(final List<String> names, final int place, final String added, final int room) {
            if (place < names.size() || place >= room || added.isEmpty() || names.contains(added)) {
                throw new IllegalArgumentException(name + " has no place " + place + " for '" + added
                    + "': there is room for " + room + ", taken are " + names);
            }
            while (names.size() < place) {
                names.add("");
            }
            names.add(added);
            return place;
        }

        /**
         * Ends it.
         *
         * @return the kind.
         */
        public LiveKind build() {
            return new LiveKind(this);
        }
    }
}
