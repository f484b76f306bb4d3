/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.sysfs.PciFunction;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;

/** What bind and unbind did, and what has to follow. */
public final class RebindReport {
    private final PciFunction named;
    private final List<Change> changes;
    private final GroupStatus group;

    /**
     * A function that has another driver than before.
     *
     * @param before the function before.
     * @param after  the function now.
     */
    record Change(PciFunction before, PciFunction after) {
        boolean isOne() {
            return !Objects.equals(before.driver(), after.driver());
        }

        @Override
        public String toString() {
            return before.address() + ": " + RebindReport.driver(before) + " -> " + RebindReport.driver(after);
        }
    }

    RebindReport(final PciFunction named, final List<Change> changes, final GroupStatus group) {
        this.named = named;
        this.changes = changes;
        this.group = group;
    }

    /**
     * Prints it for people.
     *
     * @param out where to.
     */
    public void print(final PrintWriter out) {
        if (changes.isEmpty()) {
            out.println(nothingToDo(named));
        }
        changes.forEach(out::println);
        if (group.members().stream().anyMatch(PciFunction::isBoundToVfio)) {
            printGroup(out);
        }
    }

    private void printGroup(final PrintWriter out) {
        if (!group.isViable()) {
            out.printf("IOMMU group %d cannot be opened yet, this has to leave its driver too: %s%n", group.number(),
                Words.functions(group.blocking()));
            out.printf("Run: sudo ./rdma4j bind --group %s%n", named.address());
            return;
        }
        out.printf("%s %d can be opened through %s (%s)%n", group.iommu() ? "IOMMU group" : "Group without an IOMMU",
            group.number(), group.fileName(), Words.usability(group.file()));
        group.members().stream().filter(member -> member.isRdmaCapable() && member.isBoundToVfio())
            .forEach(member -> out.printf("Its address for rdma4j: %s%n", group.addressOf(member)));
    }

    static String nothingToDo(final PciFunction named) {
        return named.address() + ": nothing to do, "
            + (named.driver() == null ? "no driver of the kernel wants it" : "its driver is " + named.driver());
    }

    static String driver(final PciFunction function) {
        return function.driver() == null ? "no driver" : function.driver();
    }

    /**
     * The same for programs.
     *
     * @return an object.
     */
    public JsonObject toJson() {
        final JsonArray array = new JsonArray();
        for (final Change change : changes) {
            final JsonObject object = new JsonObject();
            object.addProperty("address", change.before().address());
            object.addProperty("former_driver", change.before().driver());
            object.addProperty("driver", change.after().driver());
            array.add(object);
        }
        final JsonArray blocking = new JsonArray();
        group.blocking().forEach(member -> blocking.add(member.address()));
        final JsonObject json = new JsonObject();
        json.addProperty("address", named.address());
        json.add("changes", array);
        json.addProperty("iommu_group", group.number() < 0 ? null : group.number());
        json.addProperty("viable", group.isViable());
        json.add("blocking", blocking);
        return json;
    }
}
