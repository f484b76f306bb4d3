/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.verbs.live.MrKind;

/** Registration caches of the fabric layer, and the regions that they keep. */
public final class CacheSection implements Section {
    private static final String CACHES = "caches";
    private static final String REGIONS = "cached_regions";

    /** Stateless. */
    public CacheSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return "cache";
    }

    @Override
    public String title() {
        return "registration caches and what they keep";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonArray caches = new JsonArray();
        for (final LiveObject cache : source.view().objects(CacheKind.KIND)) {
            final JsonObject json = ObjectJson.of(cache);
            ObjectJson.counters(cache, 0, cache.kind().counters().size(), "").entrySet()
                .forEach(counter -> json.add(counter.getKey(), counter.getValue()));
            caches.add(json);
        }
        final JsonArray regions = new JsonArray();
        source.view().objects(MrKind.KIND).stream()
            .filter(mr -> (mr.attribute(MrKind.FLAGS) & MrKind.CACHED) != 0)
            .forEach(mr -> regions.add(ObjectJson.of(mr)));
        final JsonObject section = new JsonObject();
        section.add(CACHES, caches);
        section.add(REGIONS, regions);
        return section;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        QueueText.none(Nodes.objects(section, CACHES), "registration caches", out);
        for (final JsonObject cache : Nodes.objects(section, CACHES)) {
            out.heading("cache " + Nodes.text(cache, ObjectJson.HANDLE), cache);
            out.indented().fields(cache, ObjectJson.HANDLE);
        }
        out.table(Nodes.objects(section, REGIONS), ObjectJson.HANDLE, "address", ObjectJson.LENGTH, "pd", "lkey",
            "access", "flags");
    }
}
