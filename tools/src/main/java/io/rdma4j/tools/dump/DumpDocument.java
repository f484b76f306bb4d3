/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveView;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A dump as JSON: its version, the device, and its sections. Made here, and printed from nothing else. */
public final class DumpDocument {
    /** Member that says that it is one, and of which version. */
    public static final String MAGIC = "rdma4j_dump";
    /** The version that is written, and the only one that is read. */
    public static final int VERSION = 1;
    /** Member of the document, with the sections by their names. */
    public static final String SECTIONS = "sections";
    /** Member of a section: what to know about it, one sentence. */
    public static final String NOTE = "note";

    private static final String CREATED = "created";
    private static final String PROGRAM = "rdma4j";
    private static final String DEVICE = "device";
    private static final String TROUBLES = "troubles";

    private DumpDocument() {
    }

    /**
     * Reads a device.
     *
     * @param source   what to read.
     * @param sections what of it.
     * @param program  the version of this program.
     * @param now      when.
     * @return a new document; sections that could not be read say why.
     */
    public static JsonObject read(
        final DumpSource source, final List<Section> sections, final String program, final Instant now) {
        final JsonObject document = new JsonObject();
        document.addProperty(MAGIC, VERSION);
        document.addProperty(CREATED, now.toString());
        document.addProperty(PROGRAM, program);
        document.add(DEVICE, device(source));
        final JsonObject members = new JsonObject();
        sections.forEach(section -> members.add(section.name(), section(section, source)));
        document.add(SECTIONS, members);
        final JsonArray troubles = new JsonArray();
        source.view().troubles().forEach(troubles::add);
        document.add(TROUBLES, troubles);
        return document;
    }

    /**
     * A document with some sections of another one.
     *
     * @param document as {@link #read} made it.
     * @param sections which, all of them in it.
     * @return a new document; what is in it is the other one's, too.
     */
    public static JsonObject of(final JsonObject document, final List<Section> sections) {
        final JsonObject found = document.getAsJsonObject(SECTIONS);
        final JsonObject members = new JsonObject();
        sections.forEach(section -> members.add(section.name(), found.get(section.name())));
        final JsonObject part = new JsonObject();
        document.entrySet().forEach(member ->
            part.add(member.getKey(), member.getKey().equals(SECTIONS) ? members : member.getValue()));
        return part;
    }

    private static JsonObject device(final DumpSource source) {
        final LiveView view = source.view();
        final JsonObject device = new JsonObject();
        device.addProperty("address", view.address());
        device.addProperty("description", view.description());
        device.addProperty("process", view.pid());
        device.addProperty("opened", view.openedMillis() == 0 ? "" : Instant.ofEpochMilli(view.openedMillis())
            .toString());
        device.addProperty("state", source.isElsewhere() ? view.isAlive() ? "live" : "gone" : "own");
        return device;
    }

    /** A section that fails is told in its place: the others are worth as much as before. */
    private static JsonObject section(final Section section, final DumpSource source) {
        try {
            return section.read(source);
        } catch (final RuntimeException | InternalError e) {
            // The error is the JVM's word for a bus error: the function does not decode its window any more.
            final JsonObject failed = new JsonObject();
            failed.addProperty(Fields.INVALID, "could not be read: " + e);
            return failed;
        }
    }

    /**
     * Prints a document.
     *
     * @param document as {@link #read} made it, or somebody else.
     * @param out      where to.
     */
    public static void print(final JsonObject document, final PrintWriter out) {
        final DumpPrinter printer = new DumpPrinter(out);
        printHead(document, printer);
        for (final Map.Entry<String, JsonElement> member : Nodes.object(document, SECTIONS).entrySet()) {
            printer.blank();
            final JsonObject section = member.getValue().isJsonObject() ? member.getValue().getAsJsonObject()
                : Fields.invalid(member.getValue(), "a section is an object");
            printSection(member.getKey(), section, printer);
            RawText.print(Nodes.objects(section, Raw.RAW), printer);
        }
        printTroubles(document, printer);
    }

    private static void printHead(final JsonObject document, final DumpPrinter printer) {
        final JsonObject device = Nodes.object(document, DEVICE);
        final JsonObject head = new JsonObject();
        for (final String name : device.keySet()) {
            if (!Nodes.text(device, name).isEmpty()) {
                head.addProperty(name, Nodes.text(device, name));
            }
        }
        head.addProperty("read", Nodes.text(document, CREATED) + " by rdma4j " + Nodes.text(document, PROGRAM));
        printer.line("device").indented().fields(head);
    }

    private static void printSection(final String name, final JsonObject json, final DumpPrinter printer) {
        final Section section = Sections.of(name);
        printer.heading(name + (section == null ? "" : ": " + section.title()), json);
        final String note = Nodes.text(json, NOTE);
        if (!note.isEmpty()) {
            printer.indented().line("(" + note + ")");
        }
        if (section == null) {
            printer.indented().line("(this version does not know such a section; --json prints it)");
            return;
        }
        try {
            section.print(json, printer.indented());
        } catch (final RuntimeException e) {
            printer.heading(name, Fields.invalid(new JsonObject(), "it cannot be printed: " + e));
        }
    }

    private static void printTroubles(final JsonObject document, final DumpPrinter printer) {
        final JsonArray troubles = Nodes.array(document, TROUBLES);
        if (!troubles.isEmpty()) {
            printer.blank().line("not read");
            troubles.forEach(trouble -> printer.indented().line(DumpPrinter.cell(trouble)));
        }
    }
}
