/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonObject;

/** One part of a dump. Stateless. */
public interface Section {
    /**
     * What the command, and the member of the document, is called.
     *
     * @return lower-case letters.
     */
    String name();

    /**
     * The heading.
     *
     * @return a few words, without a full stop.
     */
    String title();

    /**
     * Reads the device. What makes no sense is marked ({@link Fields#invalid}), what is not there is left out; an
     * exception is a mistake of the section, which {@link DumpDocument} tells in its place.
     *
     * @param source what to read.
     * @return a new object; members in snake case.
     */
    JsonObject read(DumpSource source);

    /**
     * Prints what {@link #read} returned, here or on another machine: members may be missing, or of another kind than
     * {@link #read} makes them. {@link Nodes} reads such objects. Members {@code note} and {@code raw} are printed by
     * {@link DumpDocument}.
     *
     * @param section what was read.
     * @param out     where to.
     */
    void print(JsonObject section, DumpPrinter out);
}
