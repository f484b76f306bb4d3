/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/** The bytes behind a section, in its member {@code raw}. */
public final class Raw {
    /** Member of a section: an array of pieces. */
    public static final String RAW = "raw";
    /** Member of a piece: what it is. */
    public static final String NAME = "name";
    /** Member of a piece: the address of its first byte. */
    public static final String BASE = "base";
    /** Member of a piece: its bytes. */
    public static final String BYTES = "bytes";

    private Raw() {
    }

    /**
     * Adds bytes to a section, if they were asked for.
     *
     * @param source  says whether they were.
     * @param section what to add to.
     * @param name    what they are.
     * @param base    the address of the first one: an IOVA, or an offset.
     * @param bytes   any number.
     */
    public static void add(
        final DumpSource source, final JsonObject section, final String name, final long base, final byte[] bytes) {
        if (!source.wants(DumpSource.Wish.RAW)) {
            return;
        }
        if (!section.has(RAW)) {
            section.add(RAW, new JsonArray());
        }
        final JsonObject piece = new JsonObject();
        piece.addProperty(NAME, name);
        piece.add(BASE, Fields.hex(base));
        piece.add(BYTES, Fields.bytes(bytes));
        section.getAsJsonArray(RAW).add(piece);
    }
}
