/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.SysfsOrder;

import java.io.PrintWriter;
import java.util.List;

/** What bind or unbind would do: each file that would be written, and what. */
public final class RebindPlan {
    private final PciFunction named;
    private final String driver;
    private final List<Step> steps;

    /**
     * What would be done with one function.
     *
     * @param function the function as it is.
     * @param orders   what would be written.
     */
    record Step(PciFunction function, List<SysfsOrder> orders) {
    }

    /** The driver is that which the functions would have; null where the kernel chooses it. */
    RebindPlan(final PciFunction named, final String driver, final List<Step> steps) {
        this.named = named;
        this.driver = driver;
        this.steps = steps;
    }

    /**
     * Prints it for people, as commands of a shell.
     *
     * @param out where to.
     */
    public void print(final PrintWriter out) {
        if (steps.isEmpty()) {
            out.println(RebindReport.nothingToDo(named));
            return;
        }
        for (final Step step : steps) {
            out.printf("%s: %s -> %s%n", step.function().address(), RebindReport.driver(step.function()),
                driver == null ? "the driver that the kernel chooses" : driver);
            step.orders().forEach(order -> out.printf("    echo %s>%s%n",
                order.text().isEmpty() ? "" : order.text() + " ", order.file()));
        }
        if (driver == null) {
            out.println("Where no driver takes a function, 'add' is written to its uevent too, so that udev loads "
                + "one.");
        }
        out.println("Nothing was changed.");
    }

    /**
     * The same for programs.
     *
     * @return an object.
     */
    public JsonObject toJson() {
        final JsonArray array = new JsonArray();
        for (final Step step : steps) {
            final JsonArray writes = new JsonArray();
            for (final SysfsOrder order : step.orders()) {
                final JsonObject write = new JsonObject();
                write.addProperty("file", order.file().toString());
                write.addProperty("text", order.text());
                writes.add(write);
            }
            final JsonObject object = new JsonObject();
            object.addProperty("address", step.function().address());
            object.addProperty("former_driver", step.function().driver());
            object.addProperty("driver", driver);
            object.add("writes", writes);
            array.add(object);
        }
        final JsonObject json = new JsonObject();
        json.addProperty("address", named.address());
        json.addProperty("dry_run", true);
        json.add("steps", array);
        return json;
    }
}
