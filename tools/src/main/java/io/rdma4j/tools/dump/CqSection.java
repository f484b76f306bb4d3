/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.tools.dump.walk.RingCopy;
import io.rdma4j.tools.dump.walk.RingSpec;
import io.rdma4j.tools.dump.walk.Slots;
import io.rdma4j.verbs.live.CqKind;

import java.util.function.LongFunction;

/** Completion queues, and each completion in them. */
public final class CqSection implements Section {
    private static final String CQS = "cqs";
    private static final String RING = "ring";
    private static final String STATUSES = "completions_by_status";

    private final LongFunction<PageMap> maps;

    /** Looks up physical addresses in {@code /proc}. */
    public CqSection() {
        this(PageMap::of);
    }

    /**
     * Looks them up elsewhere.
     *
     * @param maps gives the map of a process.
     */
    CqSection(final LongFunction<PageMap> maps) {
        this.maps = maps;
    }

    @Override
    public String name() {
        return "cq";
    }

    @Override
    public String title() {
        return "completion queues and the completions in them";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final Published published = new Published(source.view());
        final JsonObject section = new JsonObject();
        final JsonArray all = new JsonArray();
        section.add(CQS, all);
        try (PageMap map = maps.apply(source.view().pid())) {
            final PageTables tables = new PageTables(source.view(), map);
            for (final LiveObject cq : source.view().objects(CqKind.KIND)) {
                final long iova = cq.attribute(CqKind.RING_IOVA);
                final long length = cq.attribute(CqKind.RING_LENGTH);
                final JsonObject json = ObjectJson.of(cq);
                tables.addRing(json, cq.attribute(CqKind.PDIR_DMA), iova, length);
                json.add(RING, ring(source, cq, published));
                all.add(json);
                RingRaw.add(source, section, "cq " + cq.handle(), iova, length);
            }
            PageTables.note(section, map);
        }
        return section;
    }

    private static JsonObject ring(final DumpSource source, final LiveObject cq, final Published published) {
        final JsonObject json = new JsonObject();
        if (cq.attribute(CqKind.RING_IOVA) == 0) {
            // Its library's: what it counts is all that is known.
            count(json, cq);
            return json;
        }
        final RingCopy ring = RingCopy.of(source.view(), RingSpec.cq(cq));
        final Slots slots = Slots.ofCq(ring);
        QueueJson.indices(json, ring, slots);
        count(json, cq);
        json.add(Completions.CQES, new Completions(ring, slots, published).toJson());
        return json;
    }

    private static void count(final JsonObject json, final LiveObject cq) {
        json.add(QueueJson.COUNTERS, ObjectJson.counters(cq, 0, CqKind.STATUS - 1, ""));
        json.add(STATUSES, statuses(cq));
    }

    private static JsonObject statuses(final LiveObject cq) {
        final JsonObject json = new JsonObject();
        for (int status = 0; status < CqKind.STATUSES; status++) {
            final long count = cq.counter(CqKind.STATUS + status);
            if (count != 0) {
                json.addProperty(WcStatus.NAMES.of(status), count);
            }
        }
        return json;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        QueueText.none(Nodes.objects(section, CQS), "completion queues", out);
        for (final JsonObject cq : Nodes.objects(section, CQS)) {
            out.heading("CQ " + Nodes.text(cq, ObjectJson.HANDLE), cq);
            out.indented().fields(cq, ObjectJson.HANDLE);
            PageTables.print(cq, out.indented());
            final JsonObject ring = Nodes.object(cq, RING);
            if (ring.has(Completions.CQES)) {
                QueueText.heading("completions", ring, out.indented());
            } else {
                QueueText.line(Nodes.object(ring, QueueJson.COUNTERS), out.indented());
            }
            QueueText.line(Nodes.object(ring, STATUSES), out.indented().indented());
            Completions.print(ring, out.indented().indented());
        }
    }
}
