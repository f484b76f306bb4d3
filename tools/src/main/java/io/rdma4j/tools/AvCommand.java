/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.SharedVector;
import io.rdma4j.tools.dump.AvSection;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.KeyValues;
import io.rdma4j.tools.text.Table;
import io.rdma4j.tools.text.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;

/** {@code rdma4j av}: what is in the shared address vectors of this user. */
@Command(
    name = "av",
    description = "Lists shared address vectors of this user, or prints what is in one; with -d, --pid or --sample, "
        + "and without a name, the address handles and address vectors of a device. Processes that have them open are "
        + "not disturbed.",
    footer = {
        "  rdma4j av                      which shared ones there are",
        "  rdma4j av peers                what is in 'peers', of whatever domain",
        "  rdma4j av --pid 1234           handles and vectors of a process",
        "  rdma4j av peers --json | python3 -m json.tool"
    })
final class AvCommand extends DumpCommand {
    private static final String NAME = "[A-Za-z0-9._-]{1,128}";

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of a vector. Default: list all")
    private String name;

    @Option(names = "--domain", paramLabel = "ADDRESS",
        description = "Only shared vectors of this domain; with a name, -d is the same. Default: all")
    private String domain;

    AvCommand() {
        super(new AvSection());
    }

    @Override
    public void run() {
        if (name == null && isOfDevice()) {
            if (domain != null) {
                throw new ParameterException(spec.commandLine(), "--domain is for shared address vectors, not for "
                    + "those of a device (-d, --pid, --sample)");
            }
            super.run();
        } else {
            runShared();
        }
    }

    private boolean isOfDevice() {
        return has("--device") || has("--pid") || has("--sample");
    }

    private boolean has(final String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    private void runShared() {
        if (has("--pid") || has("--sample") || has("--raw")) {
            throw new ParameterException(spec.commandLine(), "--pid, --sample and --raw are for the address vectors "
                + "of a device, not for shared ones");
        }
        if (domain != null && has("--device")) {
            throw new ParameterException(spec.commandLine(), "--domain and --device exclude each other: with a name "
                + "they are the same");
        }
        if (domain == null) {
            domain = spec.commandLine().getParseResult().matchedOptionValue("--device", (String) null);
        }
        if (name != null && !name.matches(NAME)) {
            throw new ParameterException(spec.commandLine(), "Invalid name '" + name
                + "': names have 1 to 128 letters, digits, '-', '_' and '.'");
        }
        final List<SharedVector> found = Fabrics.sharedVectors(name).stream()
            .filter(one -> domain == null || domain.equals(one.domain())).toList();
        print(found, main().terminal());
        if (name != null) {
            requireSome(found);
        }
    }

    private void print(final List<SharedVector> found, final Terminal terminal) {
        if (has("--json")) {
            final JsonArray vectors = new JsonArray();
            found.forEach(one -> vectors.add(toJson(one)));
            final JsonObject all = new JsonObject();
            all.add("address_vectors", vectors);
            Json.print(terminal.out(), all);
        } else if (name == null) {
            list(found, terminal.out());
        } else {
            found.stream().filter(one -> one.problem() == null).forEach(one -> printInFull(one, terminal.out()));
        }
    }

    private void requireSome(final List<SharedVector> found) {
        final List<String> problems =
            found.stream().map(SharedVector::problem).filter(Objects::nonNull).toList();
        if (!problems.isEmpty()) {
            throw FabricException.of("read shared address vector").detail("%s", String.join("; ", problems))
                .errno(FiErrno.FI_EIO).build();
        }
        if (found.isEmpty()) {
            throw FabricException.of("read shared address vector").detail("there is none named '%s'%s", name,
                domain == null ? "" : " in domain " + domain).errno(FiErrno.FI_ENOENT)
                .hint("rdma4j av lists those that there are").build();
        }
    }

    private static void list(final List<SharedVector> found, final PrintWriter out) {
        if (found.isEmpty()) {
            out.println("there are no shared address vectors of this user");
            return;
        }
        final Table table = Table.ofText("name", "domain", "type", "format", "addresses", "places", "state");
        for (final SharedVector one : found) {
            if (one.problem() != null) {
                table.row("?", one.file(), "", "", "", "", one.problem());
            } else {
                table.row(one.name(), one.domain(), "FI_AV_" + one.type(), format(one.format()),
                    Long.toString(one.size()), Integer.toString(one.capacity()), state(one));
            }
        }
        table.print(out);
    }

    private static String format(final AddressFormat format) {
        return switch (format) {
            case DEVICE -> "FI_FORMAT_UNSPEC";
            case STR -> "FI_ADDR_STR";
            default -> "FI_" + format;
        };
    }

    private static String state(final SharedVector vector) {
        return vector.isOpen() ? "open" : "left by a crash";
    }

    private static void printInFull(final SharedVector vector, final PrintWriter out) {
        new KeyValues(out).heading(0, "av", vector.name()).line(1, "domain", vector.domain())
            .line(1, "file", vector.file()).line(1, "state", state(vector))
            .line(1, "made by process", vector.maker()).line(1, "type", "FI_AV_" + vector.type())
            .line(1, "addr_format", format(vector.format())).line(1, "rx_ctx_bits", vector.rxCtxBits())
            .line(1, "map_addr", String.format("0x%x", vector.mapAddress()))
            .line(1, "addresses", vector.size())
            .line(1, "places", vector.capacity() + ", more when these are taken").blank();
        final Table table = Table.ofText("place", "fi_addr", "address", "endpoint");
        for (final SharedVector.Entry entry : vector.entries()) {
            table.row(Integer.toString(entry.place()), String.format("0x%x", entry.fiAddr()),
                entry.inserted().toString(), entry.device().toString());
        }
        if (!vector.entries().isEmpty()) {
            table.print(out);
        }
    }

    private static JsonObject toJson(final SharedVector vector) {
        final JsonObject all = new JsonObject();
        all.addProperty("file", vector.file());
        all.addProperty("problem", vector.problem());
        if (vector.problem() != null) {
            return all;
        }
        all.addProperty("name", vector.name());
        all.addProperty("domain", vector.domain());
        all.addProperty("type", "FI_AV_" + vector.type());
        all.addProperty("addr_format", format(vector.format()));
        all.addProperty("rx_ctx_bits", vector.rxCtxBits());
        all.addProperty("map_addr", vector.mapAddress());
        all.addProperty("capacity", vector.capacity());
        all.addProperty("size", vector.size());
        all.addProperty("maker", vector.maker());
        all.addProperty("open", vector.isOpen());
        final JsonArray entries = new JsonArray();
        for (final SharedVector.Entry entry : vector.entries()) {
            final JsonObject one = new JsonObject();
            one.addProperty("place", entry.place());
            one.addProperty("fi_addr", entry.fiAddr());
            one.addProperty("address", entry.inserted().toString());
            one.addProperty("endpoint", entry.device().toString());
            entries.add(one);
        }
        all.add("entries", entries);
        return all;
    }
}
