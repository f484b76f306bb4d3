/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Table;
import io.rdma4j.tools.text.Terminal;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

import java.util.List;

/** {@code rdma4j devices}: what could be opened. */
@Command(
    name = "devices",
    description = "Lists the devices that can be opened, each with the address that -d takes.",
    footer = {
        "  rdma4j devices",
        "  rdma4j devices --json"
    })
final class DevicesCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public void run() {
        final Terminal terminal = main.terminal();
        final List<DeviceInfo> devices = RdmaDevices.list();
        if (json) {
            Json.print(terminal.out(), toJson(devices));
        } else if (devices.isEmpty()) {
            terminal.err().println("rdma4j: no RDMA devices");
        } else {
            final Table table = Table.ofText("ADDRESS", "DESCRIPTION");
            devices.forEach(device -> table.row(device.address(), device.description()));
            table.print(terminal.out());
        }
    }

    static JsonObject toJson(final List<DeviceInfo> devices) {
        final JsonArray array = new JsonArray();
        for (final DeviceInfo device : devices) {
            final JsonObject object = new JsonObject();
            object.addProperty("address", device.address());
            object.addProperty("description", device.description());
            array.add(object);
        }
        final JsonObject result = new JsonObject();
        result.add("devices", array);
        return result;
    }
}
