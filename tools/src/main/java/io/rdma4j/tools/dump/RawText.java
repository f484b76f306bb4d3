/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonObject;
import io.rdma4j.tools.chronicle.HexDump;

import java.util.HexFormat;
import java.util.List;

/** Prints the bytes of sections. */
final class RawText {
    private RawText() {
    }

    static void print(final List<JsonObject> pieces, final DumpPrinter out) {
        pieces.forEach(piece -> print(piece, out));
    }

    /** Lines begin with the offset in the piece; its address is in the heading. */
    private static void print(final JsonObject piece, final DumpPrinter out) {
        final DumpPrinter text = out.blank().indented();
        final byte[] bytes;
        try {
            bytes = HexFormat.of().parseHex(Nodes.text(piece, Raw.BYTES));
        } catch (final IllegalArgumentException e) {
            text.heading(heading(piece), Fields.invalid(piece, "its bytes are not hexadecimal: " + e.getMessage()));
            return;
        }
        text.heading(heading(piece) + ", " + bytes.length + " bytes", piece);
        HexDump.lines(bytes).forEach(text.indented()::line);
    }

    private static String heading(final JsonObject piece) {
        return Nodes.text(piece, Raw.NAME) + " at " + Nodes.text(piece, Raw.BASE);
    }
}
