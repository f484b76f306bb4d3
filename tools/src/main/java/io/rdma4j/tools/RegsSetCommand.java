/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.tools.dump.DumpPrinter;
import io.rdma4j.tools.dump.DumpSource;
import io.rdma4j.tools.dump.Register;
import io.rdma4j.tools.text.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;

/** {@code rdma4j regs set}: writes a register. */
@Command(
    name = "set",
    description = "Writes a register of a device of one's own, and reads it back. The device is opened for it and "
        + "closed afterwards, which ends most effects; what a write can break is said without --yes.",
    footer = {
        "  rdma4j regs set IMR 0xffffffff           what that may break",
        "  rdma4j regs set IMR 0xffffffff --yes     do it"
    })
final class RegsSetCommand implements Runnable {
    @ParentCommand
    private RegsCommand parent;

    @Spec
    private CommandSpec spec;

    @Mixin
    private DumpOptions options;

    @Parameters(index = "0", paramLabel = "NAME", converter = Converters.RegisterName.class,
        description = "The register, as 'rdma4j regs' names it.")
    private Register register;

    @Parameters(index = "1", paramLabel = "VALUE", converter = Converters.Word.class,
        description = "32 bits, in decimal or, after 0x, in hexadecimal.")
    private Integer value;

    @Option(names = "--yes", description = "Do it.")
    private boolean yes;

    @Option(names = "--no-init", description = "Open the PCI function only, without bringing the device up.")
    private boolean noInit;

    @Override
    public void run() {
        refuseOptionsBeforeSet();
        options.requireOwn(true, "regs set");
        if (register.risk().isEmpty()) {
            throw new ParameterException(spec.commandLine(), register + " cannot be written; those that can are "
                + String.join(", ", Register.writable()));
        }
        if (!yes) {
            throw new ParameterException(spec.commandLine(), String.format("%s was not written: with 0x%x %s. "
                + "Programs that use the device may fail. If that is what you want add --yes", register, value,
                register.risk()));
        }
        try (OpenedSource opened = noInit ? options.openFunction(options.wishes()).decodingMemory()
            : options.openOwn(options.wishes())) {
            write(opened.source());
        }
    }

    /** Those would be of the command that prints, and the register of another device be written than was meant. */
    private void refuseOptionsBeforeSet() {
        spec.parent().commandLine().getParseResult().matchedOptions().stream().filter(option -> !option.inherited())
            .findFirst().ifPresent(option -> {
                throw new ParameterException(spec.commandLine(), option.longestName() + " stands before 'set', where "
                    + "it has no effect; give it behind: rdma4j regs set NAME VALUE " + option.longestName() + " ...");
            });
    }

    private void write(final DumpSource source) {
        final Bar bar = source.pci().orElseThrow(() -> RdmaException.of("set register").device(
            source.view().address()).errno(RdmaException.EBADFD).build()).bar(Bar1.REG_BAR);
        final JsonObject done = new JsonObject();
        done.addProperty("register", register.name());
        done.addProperty("was", hex(bar.readInt(register.offset())));
        bar.writeInt(register.offset(), value);
        done.addProperty("written", hex(value));
        done.addProperty("reads", hex(bar.readInt(register.offset())));
        final PrintWriter out = parent.main().terminal().out();
        if (options.json()) {
            Json.print(out, done);
        } else {
            new DumpPrinter(out).fields(done);
        }
    }

    private static String hex(final int word) {
        return String.format("0x%08x", word);
    }
}
