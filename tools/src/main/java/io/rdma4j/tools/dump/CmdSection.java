/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import org.agrona.concurrent.UnsafeBuffer;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The last commands that were exchanged with the device. */
public final class CmdSection implements Section {
    private static final String COMMANDS = "commands";
    private static final String NUMBER = "number";
    private static final String COMMAND = "command";
    private static final String BEGAN = "began";
    private static final String DURATION = "duration_ns";
    private static final String ERR = "err";
    private static final String REQUEST = "request";
    private static final String RESPONSE = "response";
    private static final String HEADER = "hdr.";
    private static final double NANOS_OF_MICRO = 1e3;

    private final int last;

    /** All that are kept. */
    public CmdSection() {
        this(Integer.MAX_VALUE);
    }

    /**
     * Only the last ones.
     *
     * @param last how many at most.
     */
    public CmdSection(final int last) {
        this.last = last;
    }

    @Override
    public String name() {
        return "cmd";
    }

    @Override
    public String title() {
        return "last commands, the oldest first";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final int version = source.view().objects(DeviceKind.KIND).stream().findFirst()
            .map(device -> (int) device.attribute(DeviceKind.VERSION)).orElse(Bar1.DRIVER_VERSION);
        final List<LiveCommand> commands = source.view().commands();
        final JsonArray rows = new JsonArray();
        final JsonObject section = new JsonObject();
        for (final LiveCommand command : commands.subList(Math.max(0, commands.size() - last), commands.size())) {
            rows.add(row(command, version));
            Raw.add(source, section, "request of #" + command.number(), 0, command.request());
            Raw.add(source, section, "response of #" + command.number(), 0, command.response());
        }
        section.add(COMMANDS, rows);
        if (rows.isEmpty()) {
            section.addProperty(DumpDocument.NOTE, "none is published");
        }
        return section;
    }

    private static JsonObject row(final LiveCommand exchange, final int version) {
        final JsonObject row = new JsonObject();
        row.addProperty(NUMBER, exchange.number());
        final JsonObject header = Fields.of(CommandHeader.LAYOUT, exchange.request());
        final Command command = Command.of((int) Nodes.number(header, "cmd", -1));
        row.add(COMMAND, header.has("cmd") ? header.get("cmd") : header);
        row.addProperty(BEGAN, Instant.EPOCH.plusNanos(exchange.epochNanos()).toString());
        row.addProperty(DURATION, exchange.durationNanos());
        row.add(ERR, err(exchange.err()));
        if (command == null) {
            return Fields.invalid(row, header.has("cmd") ? "no such command" : Nodes.text(header, Fields.INVALID));
        }
        row.add(REQUEST, Fields.of(command.request(), exchange.request()));
        if (exchange.err() == 0 && command.responseLength(version) > 0) {
            row.add(RESPONSE, response(command.response(version), exchange.response()));
            checkResponse(row, command, exchange);
        }
        if (exchange.durationNanos() < 0) {
            Fields.invalid(row, "it ended before it began");
        }
        return row;
    }

    /** Of a response that is nothing but a header the fields are named as those of other headers. */
    private static JsonObject response(final Layout layout, final byte[] bytes) {
        final JsonObject fields = Fields.of(layout, bytes);
        if (layout != ResponseHeader.LAYOUT || fields.has(Fields.INVALID)) {
            return fields;
        }
        final JsonObject header = new JsonObject();
        fields.entrySet().forEach(field -> header.add(HEADER + field.getKey(), field.getValue()));
        return header;
    }

    private static JsonElement err(final int err) {
        return Register.ERR.decode(err);
    }

    /** The driver checks the same, and gives up a device that answers to something else. */
    private static void checkResponse(final JsonObject row, final Command command, final LiveCommand exchange) {
        if (!command.awaitsResponse() || exchange.response().length < ResponseHeader.LAYOUT.length()) {
            return;
        }
        final ResponseHeader response = new ResponseHeader().wrap(new UnsafeBuffer(exchange.response()), 0);
        final CommandHeader request = new CommandHeader().wrap(new UnsafeBuffer(exchange.request()), 0);
        if (response.get(ResponseHeader.RESPONSE) != request.get(CommandHeader.RESPONSE)) {
            Fields.invalid(row, String.format("the response has key 0x%x, the request 0x%x",
                response.get(ResponseHeader.RESPONSE), request.get(CommandHeader.RESPONSE)));
        }
        if (response.get(ResponseHeader.ACK) != command.ack()) {
            Fields.invalid(row, String.format("the response acknowledges 0x%x, wanted is 0x%x",
                response.get(ResponseHeader.ACK), command.ack()));
        }
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        for (final JsonObject row : Nodes.objects(section, COMMANDS)) {
            final JsonObject err = Nodes.object(row, ERR);
            out.heading(String.format(Locale.ROOT, "#%s  %s  %s  %.1f us  ERR %s", Nodes.text(row, NUMBER),
                row.has(COMMAND) ? DumpPrinter.cell(row.get(COMMAND)) : "?", time(Nodes.text(row, BEGAN)),
                Nodes.number(row, DURATION, 0) / NANOS_OF_MICRO,
                Nodes.number(row, ERR, 0) == 0 ? "0" : DumpPrinter.value(err)), row);
            fields(REQUEST, row, out);
            fields(RESPONSE, row, out);
        }
    }

    private static String time(final String instant) {
        final int t = instant.indexOf('T');
        return t < 0 ? instant : instant.substring(t + 1);
    }

    /** The fields that are not zero; a header and zeroes say nothing. */
    private static void fields(final String name, final JsonObject row, final DumpPrinter out) {
        final JsonObject shown = new JsonObject();
        for (final Map.Entry<String, JsonElement> field : Nodes.object(row, name).entrySet()) {
            final String key = field.getKey();
            if (key.equals(Fields.INVALID) || !key.startsWith(HEADER) && !isZero(Nodes.object(row, name), key)) {
                shown.add(key, field.getValue());
            }
        }
        if (shown.size() > 0) {
            out.indented().heading(name, shown);
            out.indented().indented().fields(shown);
        }
    }

    private static boolean isZero(final JsonObject fields, final String key) {
        return Nodes.number(fields, key, 1) == 0 && !fields.get(key).toString().contains(Fields.INVALID)
            || Nodes.text(fields, key).matches("0+");
    }
}
