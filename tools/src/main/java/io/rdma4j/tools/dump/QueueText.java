/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/** Prints rings from JSON: a heading, counters, and a table of slots. */
final class QueueText {
    private static final String UNION = "wr.";
    private static final Set<String> IMMEDIATE = Set.of(WorkRequests.IMM_DATA, WorkRequests.INVALIDATE_RKEY);
    private static final String DETAIL = "detail";
    private static final String[] SEND_COLUMNS = {WorkRequests.SLOT, WorkRequests.STATE, WorkRequests.NUMBER,
        WorkRequests.WR_ID, "opcode", WorkRequests.SEND_FLAGS, WorkRequests.SGES, DETAIL};
    private static final String[] RECEIVE_COLUMNS = {WorkRequests.SLOT, WorkRequests.STATE, WorkRequests.NUMBER,
        WorkRequests.WR_ID, WorkRequests.SGES};

    private QueueText() {
    }

    static void sends(final String title, final JsonObject queue, final DumpPrinter out) {
        print(title, queue, SEND_COLUMNS, out);
    }

    static void receives(final String title, final JsonObject queue, final DumpPrinter out) {
        print(title, queue, RECEIVE_COLUMNS, out);
    }

    /** Says that there is nothing, if that is so. */
    static void none(final List<JsonObject> objects, final String what, final DumpPrinter out) {
        if (objects.isEmpty()) {
            out.heading("no " + what, new JsonObject());
        }
    }

    private static void print(
        final String title, final JsonObject queue, final String[] columns, final DumpPrinter out) {
        if (!queue.has(QueueJson.STRIDE)) {
            out.heading(title + ": " + Nodes.text(queue, QueueJson.MAX_WR) + " work requests, "
                + Nodes.text(queue, QueueJson.MAX_SGE) + " sges each", queue);
            line(Nodes.object(queue, QueueJson.COUNTERS), out.indented());
            return;
        }
        heading(title + ": " + Nodes.text(queue, QueueJson.MAX_WR) + " slots of "
            + Nodes.text(queue, QueueJson.STRIDE) + " bytes, " + Nodes.text(queue, QueueJson.MAX_SGE) + " sges each",
            queue, out);
        final List<JsonObject> rows = new ArrayList<>();
        Nodes.objects(queue, QueueJson.WQES).forEach(slot -> rows.add(row(slot)));
        out.indented().table(rows, columns);
    }

    /** What is printed above the slots of any ring. */
    static void heading(final String title, final JsonObject ring, final DumpPrinter out) {
        out.heading(title + ", prod_tail " + Nodes.text(ring, QueueJson.PROD_TAIL) + ", cons_head "
            + Nodes.text(ring, QueueJson.CONS_HEAD) + list("; slots: ", Nodes.object(ring, QueueJson.SLOTS)), ring);
        line(Nodes.object(ring, QueueJson.COUNTERS), out.indented());
        for (final JsonElement note : Nodes.array(ring, QueueJson.NOTES)) {
            out.indented().heading("note: " + DumpPrinter.cell(note), new JsonObject());
        }
    }

    /** Prints numbers on one line. */
    static void line(final JsonObject numbers, final DumpPrinter out) {
        if (numbers.size() > 0) {
            out.heading(list("", numbers), new JsonObject());
        }
    }

    private static String list(final String prefix, final JsonObject numbers) {
        final StringJoiner list = new StringJoiner(", ", prefix, "").setEmptyValue("");
        numbers.entrySet().forEach(e -> list.add(e.getKey() + " " + DumpPrinter.cell(e.getValue())));
        return list.toString();
    }

    private static JsonObject row(final JsonObject slot) {
        final JsonObject wqe = Nodes.object(slot, WorkRequests.WQE);
        final JsonObject row = new JsonObject();
        row.addProperty(WorkRequests.SLOT, Nodes.text(slot, WorkRequests.SLOT));
        row.addProperty(WorkRequests.STATE, Nodes.text(slot, WorkRequests.STATE));
        wqe.entrySet().stream().filter(field -> !field.getKey().startsWith(UNION))
            .forEach(field -> row.addProperty(field.getKey(), DumpPrinter.cell(field.getValue())));
        row.addProperty(WorkRequests.SGES, sges(slot));
        row.addProperty(DETAIL, detail(wqe));
        final String why = Marks.in(slot);
        if (!why.isEmpty()) {
            row.addProperty(Fields.INVALID, why);
        }
        return row;
    }

    private static String sges(final JsonObject slot) {
        final StringJoiner all = new StringJoiner(", ");
        for (final JsonObject sge : Nodes.objects(slot, WorkRequests.SGES)) {
            all.add(Nodes.text(sge, "addr") + "+" + Nodes.text(sge, "length") + " lkey " + hex(sge, WorkRequests.LKEY)
                + (sge.has(WorkRequests.MR) ? " (mr " + Nodes.text(sge, WorkRequests.MR) + ")" : ""));
        }
        return all.toString();
    }

    /** What depends on the opcode, but for what is 0. */
    private static String detail(final JsonObject wqe) {
        final StringJoiner detail = new StringJoiner(" ");
        for (final String name : wqe.keySet()) {
            final boolean isUnion = name.startsWith(UNION);
            final String value = isUnion || IMMEDIATE.contains(name) ? hex(wqe, name) : "";
            if (!value.matches("(0x)?0*")) {
                detail.add((isUnion ? name.substring(UNION.length()) : name) + "=" + value);
            }
        }
        return detail.toString();
    }

    /** Keys, queue numbers and addresses are compared with those of other places, which have them in hexadecimal. */
    static String hex(final JsonObject object, final String name) {
        final JsonObject member = Nodes.object(object, name);
        final JsonElement value = member.has(Fields.VALUE) && !member.has(Fields.NAME) ? member.get(Fields.VALUE)
            : object.get(name);
        final boolean isNumber = value != null && value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
        return isNumber ? "0x" + Long.toHexString(Nodes.number(object, name, 0))
            : value == null ? "" : DumpPrinter.cell(value);
    }
}
