/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.MwKind;
import io.rdma4j.verbs.live.PdKind;

import java.util.List;
import java.util.function.LongFunction;

/** Protection domains, memory regions and windows; regions with the page tables by which the device finds them. */
public final class MrSection implements Section {
    private static final String PDS = "pds";
    private static final String MRS = "mrs";
    private static final String MWS = "mws";

    private final LongFunction<PageMap> maps;

    /** Looks up physical addresses in {@code /proc}. */
    public MrSection() {
        this(PageMap::of);
    }

    /**
     * Looks them up elsewhere.
     *
     * @param maps gives the map of a process.
     */
    MrSection(final LongFunction<PageMap> maps) {
        this.maps = maps;
    }

    @Override
    public String name() {
        return "mr";
    }

    @Override
    public String title() {
        return "protection domains, memory regions and windows";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final LiveView view = source.view();
        final JsonObject section = new JsonObject();
        section.add(PDS, plain(view.objects(PdKind.KIND)));
        final JsonArray regions = new JsonArray();
        section.add(MRS, regions);
        section.add(MWS, plain(view.objects(MwKind.KIND)));
        try (PageMap map = maps.apply(view.pid())) {
            final PageTables tables = new PageTables(view, map);
            for (final LiveObject mr : view.objects(MrKind.KIND)) {
                final JsonObject json = ObjectJson.of(mr);
                check(json, mr);
                if (mr.attribute(MrKind.PDIR_DMA) != 0) {
                    tables.addRegion(json, mr);
                }
                regions.add(json);
                RingRaw.add(source, section, "pdir of mr " + mr.handle(),
                    mr.attribute(MrKind.PDIR_DMA), Pdir.PAGE_SIZE);
            }
            PageTables.note(section, map);
        }
        return section;
    }

    private static JsonArray plain(final List<LiveObject> objects) {
        final JsonArray all = new JsonArray();
        objects.forEach(object -> all.add(ObjectJson.of(object)));
        return all;
    }

    /** Nothing follows from the length where pages are unknown, or of a fast region, which has room for more. */
    private static void check(final JsonObject json, final LiveObject mr) {
        final long iova = mr.attribute(MrKind.IOVA);
        final long length = mr.attribute(MrKind.LENGTH);
        if ((mr.attribute(MrKind.FLAGS) & MrKind.FAST) != 0 || mr.attribute(MrKind.PDIR_DMA) == 0) {
            return;
        }
        if (length < 0 || length > 0 && Long.compareUnsigned(iova + (length - 1), iova) < 0) {
            json.add(ObjectJson.LENGTH, Fields.invalid(json.get(ObjectJson.LENGTH), "it passes the end of memory"));
        } else if (Pdir.pagesSpanned(iova, length) != mr.attribute(MrKind.PAGES)) {
            json.add(ObjectJson.PAGES, Fields.invalid(json.get(ObjectJson.PAGES),
                "iova and length span " + Pdir.pagesSpanned(iova, length)));
        }
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        for (final JsonObject pd : Nodes.objects(section, PDS)) {
            out.heading("PD " + Nodes.text(pd, ObjectJson.HANDLE), pd);
        }
        QueueText.none(Nodes.objects(section, MRS), "memory regions", out);
        for (final JsonObject mr : Nodes.objects(section, MRS)) {
            out.heading("MR " + Nodes.text(mr, ObjectJson.HANDLE), mr);
            out.indented().fields(mr, ObjectJson.HANDLE);
            PageTables.print(mr, out.indented());
        }
        for (final JsonObject mw : Nodes.objects(section, MWS)) {
            out.heading("MW " + Nodes.text(mw, ObjectJson.HANDLE), mw);
            out.indented().fields(mw, ObjectJson.HANDLE);
        }
    }
}
