/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.verbs.live.SrqKind;

import java.util.function.LongFunction;

/** Shared receive queues, and each work request in them. */
public final class SrqSection implements Section {
    private static final String SRQS = "srqs";
    private static final String RQ = "rq";

    private final LongFunction<PageMap> maps;

    /** Looks up physical addresses in {@code /proc}. */
    public SrqSection() {
        this(PageMap::of);
    }

    /**
     * Looks them up elsewhere.
     *
     * @param maps gives the map of a process.
     */
    SrqSection(final LongFunction<PageMap> maps) {
        this.maps = maps;
    }

    @Override
    public String name() {
        return "srq";
    }

    @Override
    public String title() {
        return "shared receive queues and the work requests in them";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final QueueJson queues = new QueueJson(source.view(), new Published(source.view()));
        final JsonObject section = new JsonObject();
        final JsonArray all = new JsonArray();
        section.add(SRQS, all);
        try (PageMap map = maps.apply(source.view().pid())) {
            final PageTables tables = new PageTables(source.view(), map);
            for (final LiveObject srq : source.view().objects(SrqKind.KIND)) {
                final long iova = srq.attribute(SrqKind.RING_IOVA);
                final long length = srq.attribute(SrqKind.RING_LENGTH);
                final JsonObject json = ObjectJson.of(srq);
                tables.addRing(json, srq.attribute(SrqKind.PDIR_DMA), iova, length);
                json.add(RQ, queues.srq(srq));
                all.add(json);
                RingRaw.add(source, section, "srq " + srq.handle(), iova, length);
            }
            PageTables.note(section, map);
        }
        return section;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        QueueText.none(Nodes.objects(section, SRQS), "shared receive queues", out);
        for (final JsonObject srq : Nodes.objects(section, SRQS)) {
            out.heading("SRQ " + Nodes.text(srq, ObjectJson.HANDLE), srq);
            out.indented().fields(srq, ObjectJson.HANDLE);
            PageTables.print(srq, out.indented());
            QueueText.receives("queue", Nodes.object(srq, RQ), out.indented());
        }
    }
}
