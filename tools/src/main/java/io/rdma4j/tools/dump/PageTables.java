/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveSegment;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.tools.dump.walk.PageRun;
import io.rdma4j.tools.dump.walk.PageRuns;
import io.rdma4j.tools.dump.walk.PageWalk;
import io.rdma4j.verbs.live.MrKind;

import java.util.function.LongUnaryOperator;

/** Page directories in JSON, followed to IOVAs and, with the right to see them, to physical addresses. */
final class PageTables {
    static final String TABLE = "page_table";
    static final String FIRST = "first";
    static final String LAST = "last";
    static final String IOVA = "iova";
    static final String PHYSICAL = "physical";
    static final String LEFT_OUT = "pages_left_out";
    private static final long PAGE_MASK = Pdir.PAGE_SIZE - 1;

    private final LiveView view;
    private final PageMap map;

    PageTables(final LiveView view, final PageMap map) {
        this.view = view;
        this.map = map;
    }

    /** Adds the pages of a memory region. */
    void addRegion(final JsonObject json, final LiveObject mr) {
        final long first = mr.attribute(MrKind.ADDRESS) & ~PAGE_MASK;
        final boolean scattered = (mr.attribute(MrKind.FLAGS) & MrKind.PAGE_LIST) != 0;
        final long pages = mr.attribute(MrKind.PAGES);
        if (pages < 0 || pages > Pdir.LARGE_MAX_PAGES) {
            json.add(ObjectJson.PAGES, Fields.invalid(json.get(ObjectJson.PAGES),
                "a page directory reaches " + Pdir.LARGE_MAX_PAGES));
            return;
        }
        add(json, mr.attribute(MrKind.PDIR_DMA), pages, scattered || first == 0 ? null
            : page -> map.physical(first + page * Pdir.PAGE_SIZE));
    }

    /** Adds the pages of a ring, which lie side by side in the process, and for the device unless it has no IOMMU. */
    void addRing(final JsonObject json, final long pdirDma, final long iova, final long length) {
        final long pages = length / Pdir.PAGE_SIZE;
        if (pages < 1 || pages > Pdir.MAX_PAGES) {
            return;
        }
        final LiveSegment segment = segmentOf(iova);
        final LongUnaryOperator physical = segment == null ? null
            : page -> map.physical(segment.address() + (iova - segment.iova()) + page * Pdir.PAGE_SIZE);
        for (final PageRun run : add(json, pdirDma, pages, physical).list()) {
            if (run.kind() != PageRun.Kind.PAGES || run.iova() != iovaOf(segment, iova, run.first())
                || run.iova() + (run.count() - 1) * Pdir.PAGE_SIZE != iovaOf(segment, iova, run.last())) {
                json.add("pdir_dma", Fields.invalid(json.get("pdir_dma"),
                    "page " + run.first() + " is not where the driver has the ring"));
                return;
            }
        }
    }

    /** Of a page of a ring that begins in a segment. */
    private long iovaOf(final LiveSegment segment, final long ring, final long page) {
        final long sideBySide = ring + page * Pdir.PAGE_SIZE;
        if (segment == null || sideBySide - segment.iova() < segment.length()) {
            return sideBySide;
        }
        final long address = segment.address() + (sideBySide - segment.iova());
        return view.segments().stream().filter(s -> address >= s.address() && address - s.address() < s.length())
            .mapToLong(s -> s.iova() + (address - s.address())).findFirst().orElse(0);
    }

    private LiveSegment segmentOf(final long iova) {
        return view.segments().stream()
            .filter(s -> Long.compareUnsigned(iova - s.iova(), s.length()) < 0).findFirst().orElse(null);
    }

    private PageRuns add(
        final JsonObject json, final long pdirDma, final long pages, final LongUnaryOperator physical) {
        final PageRuns runs = PageWalk.walk(view, pdirDma, pages, physical);
        final JsonArray table = new JsonArray();
        runs.list().forEach(run -> table.add(toJson(run)));
        json.add(TABLE, table);
        if (runs.leftOut() > 0) {
            json.addProperty(LEFT_OUT, runs.leftOut());
        }
        return runs;
    }

    private static JsonObject toJson(final PageRun run) {
        final JsonObject json = new JsonObject();
        json.addProperty(FIRST, run.first());
        json.addProperty(LAST, run.last());
        json.add(IOVA, switch (run.kind()) {
            case PAGES -> Fields.hex(run.iova());
            case NONE -> Fields.invalid(new JsonPrimitive("none"), "no entry");
            case INVALID -> Fields.invalid(Fields.hex(run.iova()), "no address of a page");
            case UNREADABLE -> Fields.invalid(new JsonPrimitive("unknown"),
                String.format("their table at 0x%x cannot be read", run.iova()));
        });
        final JsonElement physical = physical(run);
        if (physical != null) {
            json.add(PHYSICAL, physical);
        }
        return json;
    }

    /** Says once why there are no physical addresses, if there are none. */
    static void note(final JsonObject section, final PageMap map) {
        if (map.refusal() != null) {
            section.addProperty(DumpDocument.NOTE, map.refusal());
        }
    }

    private static JsonElement physical(final PageRun run) {
        if (run.physical() == PageMap.ABSENT) {
            return new JsonPrimitive("not there");
        }
        if (run.physical() == PageMap.SWAPPED) {
            return new JsonPrimitive("swapped out");
        }
        return run.physical() < 0 ? null : Fields.hex(run.physical());
    }

    /** Prints what was added: {@code pages 0-63: iova 0x..., physical 0x...}. */
    static void print(final JsonObject json, final DumpPrinter out) {
        for (final JsonObject run : Nodes.objects(json, TABLE)) {
            final String first = Nodes.text(run, FIRST);
            final String last = Nodes.text(run, LAST);
            final String pages = first.equals(last) ? "page " + first : "pages " + first + "-" + last;
            final JsonObject invalid = Nodes.object(run, IOVA);
            final String iova = invalid.size() == 0 ? Nodes.text(run, IOVA) : Nodes.text(invalid, Fields.VALUE);
            final String physical = Nodes.text(run, PHYSICAL);
            out.heading(pages + ": iova " + iova + (physical.isEmpty() ? "" : ", physical " + physical), invalid);
        }
        if (json.has(LEFT_OUT)) {
            out.heading("and " + Nodes.text(json, LEFT_OUT) + " pages more", new JsonObject());
        }
    }
}
