/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.verbs.live.QpKind;

import java.util.function.LongFunction;

/** Queue pairs: what they are, where their queues are, and each work request in them. */
public final class QpSection implements Section {
    private static final String QPS = "qps";
    private static final String SQ = "sq";
    private static final String RQ = "rq";

    private final LongFunction<PageMap> maps;

    /** Looks up physical addresses in {@code /proc}. */
    public QpSection() {
        this(PageMap::of);
    }

    /**
     * Looks them up elsewhere.
     *
     * @param maps gives the map of a process.
     */
    QpSection(final LongFunction<PageMap> maps) {
        this.maps = maps;
    }

    @Override
    public String name() {
        return "qp";
    }

    @Override
    public String title() {
        return "queue pairs and the work requests in their queues";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final QueueJson queues = new QueueJson(source.view(), new Published(source.view()));
        final JsonObject section = new JsonObject();
        final JsonArray all = new JsonArray();
        section.add(QPS, all);
        try (PageMap map = maps.apply(source.view().pid())) {
            final PageTables tables = new PageTables(source.view(), map);
            for (final LiveObject qp : source.view().objects(QpKind.KIND)) {
                all.add(read(qp, queues, tables));
                RingRaw.add(source, section, "qp " + qp.handle(), qp.attribute(QpKind.RING_IOVA),
                    qp.attribute(QpKind.RING_LENGTH));
            }
            PageTables.note(section, map);
        }
        return section;
    }

    private static JsonObject read(final LiveObject qp, final QueueJson queues, final PageTables tables) {
        final JsonObject json = ObjectJson.of(qp);
        tables.addRing(json, qp.attribute(QpKind.PDIR_DMA), qp.attribute(QpKind.RING_IOVA),
            qp.attribute(QpKind.RING_LENGTH));
        json.add(SQ, queues.sq(qp));
        if (qp.attribute(QpKind.SRQ) < 0) {
            json.add(RQ, queues.rq(qp));
        }
        return json;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        QueueText.none(Nodes.objects(section, QPS), "queue pairs", out);
        for (final JsonObject qp : Nodes.objects(section, QPS)) {
            out.heading("QP " + Nodes.text(qp, ObjectJson.HANDLE) + ": " + DumpPrinter.cell(Nodes.object(qp, "type"))
                + ", " + DumpPrinter.cell(Nodes.object(qp, "state")), qp);
            out.indented().fields(qp, ObjectJson.HANDLE);
            PageTables.print(qp, out.indented());
            QueueText.sends("send queue", Nodes.object(qp, SQ), out.indented());
            if (qp.has(RQ)) {
                QueueText.receives("receive queue", Nodes.object(qp, RQ), out.indented());
            }
        }
    }
}
