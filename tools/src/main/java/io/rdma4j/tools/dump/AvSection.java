/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.fabric.live.AvKind;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.live.AhKind;

/** Address handles, and the address vectors of the fabric layer. */
public final class AvSection implements Section {
    private static final String HANDLES = "address_handles";
    private static final String VECTORS = "address_vectors";
    private static final String DGID = "dgid";

    /** Stateless. */
    public AvSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return "av";
    }

    @Override
    public String title() {
        return "address handles and address vectors";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonArray handles = new JsonArray();
        source.view().objects(AhKind.KIND).forEach(ah -> handles.add(handle(ah)));
        final JsonArray vectors = new JsonArray();
        for (final LiveObject av : source.view().objects(AvKind.KIND)) {
            final JsonObject json = ObjectJson.of(av);
            ObjectJson.counters(av, 0, av.kind().counters().size(), "").entrySet()
                .forEach(counter -> json.add(counter.getKey(), counter.getValue()));
            vectors.add(json);
        }
        final JsonObject section = new JsonObject();
        section.add(HANDLES, handles);
        section.add(VECTORS, vectors);
        return section;
    }

    /** With the destination as people write it. */
    private static JsonObject handle(final LiveObject ah) {
        final JsonObject json = ObjectJson.of(ah);
        json.remove("dgid_high");
        json.remove("dgid_low");
        json.addProperty(DGID, new Gid(ah.attribute(AhKind.DGID_HIGH),
            ah.attribute(AhKind.DGID_LOW)).toString());
        return json;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        QueueText.none(Nodes.objects(section, HANDLES), "address handles", out);
        out.table(Nodes.objects(section, HANDLES), ObjectJson.HANDLE, "pd", "port", "gid_index", DGID, "dlid", "sl",
            "hop_limit", "traffic_class");
        QueueText.none(Nodes.objects(section, VECTORS), "address vectors", out);
        for (final JsonObject av : Nodes.objects(section, VECTORS)) {
            out.heading("AV " + Nodes.text(av, ObjectJson.HANDLE), av);
            out.indented().fields(av, ObjectJson.HANDLE);
        }
    }
}
