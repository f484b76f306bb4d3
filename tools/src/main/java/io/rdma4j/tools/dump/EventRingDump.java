/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.verbs.pvrdma.live.EventRingKind;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** One of the two event rings: what is in it, and was not taken yet. */
final class EventRingDump {
    private static final String NAME = "ring";
    private static final String EVENTS = "unread";
    private static final List<String> NAMES = List.of("asynchronous events", "completion notices");
    /** Rings that are longer are nobody's, and would be much to print. */
    private static final int MAX_PAGES = 512;
    private static final int SHOWN = 64;

    private EventRingDump() {
    }

    static JsonObject read(final DumpSource source, final LiveObject ring, final JsonObject section) {
        final JsonObject json = new JsonObject();
        final boolean known = ring.handle() >= 0 && ring.handle() < NAMES.size();
        json.addProperty(NAME, known ? NAMES.get(ring.handle()) : "handle " + ring.handle());
        final long iova = ring.attribute(EventRingKind.IOVA);
        final long pages = ring.attribute(EventRingKind.NUM_PAGES);
        final long length = ring.attribute(EventRingKind.ELEMENT_LENGTH);
        json.add("iova", Fields.hex(iova));
        json.addProperty("num_pages", pages);
        json.add("pdir_dma", Fields.hex(ring.attribute(EventRingKind.PDIR_DMA)));
        json.addProperty("element_length", length);
        final Layout layout = ring.handle() == 0 ? Eqe.LAYOUT : Cqne.LAYOUT;
        if (!known || pages < 2 || pages > MAX_PAGES || length != layout.length()) {
            return Fields.invalid(json, "no ring has such numbers");
        }
        final Optional<byte[]> bytes = source.view().read(iova, (int) pages * Pdir.PAGE_SIZE);
        if (bytes.isEmpty()) {
            json.addProperty("memory", "could not be read");
            return json;
        }
        Raw.add(source, section, "state of the ring of " + NAMES.get(ring.handle()), iova,
            Arrays.copyOf(bytes.get(), RingState.LENGTH));
        decode(json, new UnsafeBuffer(bytes.get()), layout, (int) pages);
        return json;
    }

    private static void decode(
        final JsonObject json, final UnsafeBuffer bytes, final Layout layout, final int pages) {
        final int n = RingGeometry.eventRingElements(pages, layout.length());
        final int tail = RingState.rxProdTail(bytes, 0);
        final int head = RingState.rxConsHead(bytes, 0);
        json.addProperty("elements", n);
        json.add("prod_tail", index(tail, n));
        json.add("cons_head", index(head, n));
        if (RingIndex.hasData(tail, head, n) == RingIndex.CORRUPT) {
            Fields.invalid(json, "the indices do not belong to a ring of " + n);
            return;
        }
        final int used = RingIndex.used(tail, head, n);
        json.addProperty("used", used);
        final JsonArray events = new JsonArray();
        int at = head;
        for (int i = 0; i < Math.min(used, SHOWN); i++) {
            final int slot = RingIndex.slot(at, n);
            final JsonObject event = new JsonObject();
            event.addProperty("slot", slot);
            Fields.of(layout, bytes, Pdir.PAGE_SIZE + slot * layout.length()).entrySet()
                .forEach(field -> event.add(field.getKey(), field.getValue()));
            events.add(event);
            at = RingIndex.next(at, n);
        }
        json.add(EVENTS, events);
    }

    private static JsonElement index(final int index, final int n) {
        final JsonElement json = Fields.unsigned(index);
        return RingIndex.isValid(index, n) ? json : Fields.invalid(json, "no index of a ring of " + n);
    }

    static void print(final JsonObject ring, final DumpPrinter out) {
        out.blank().heading("ring of " + Nodes.text(ring, NAME), ring);
        out.indented().fields(ring, NAME);
        final List<JsonObject> events = Nodes.objects(ring, EVENTS);
        if (!events.isEmpty()) {
            final DumpPrinter inner = out.indented().indented();
            inner.line("not taken yet").table(events,
                events.get(0).has("type") ? new String[] {"slot", "type", "info"} : new String[] {"slot", "info"});
            final long more = Nodes.number(ring, "used", 0) - events.size();
            if (more > 0) {
                inner.line("and " + more + " more");
            }
        }
    }
}
