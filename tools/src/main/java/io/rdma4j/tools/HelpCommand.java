/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.util.List;

/** {@code rdma4j help}: what {@code --help} prints, for those who ask the other way round. */
@Command(
    name = "help",
    helpCommand = true,
    description = "Prints what a command can do, as --help behind it does.",
    footer = {
        "  rdma4j help                     which commands there are",
        "  rdma4j help perf                what one can do",
        "  rdma4j help regs set            also one below another"
    })
final class HelpCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The command. Default: all, in short")
    private List<String> names = List.of();

    @Override
    public void run() {
        CommandLine command = spec.root().commandLine();
        for (final String name : names) {
            command = command.getSubcommands().get(name);
            if (command == null) {
                throw new ParameterException(spec.commandLine(), Failures.noCommand(String.join(" ", names)));
            }
        }
        command.usage(main.terminal().out(), command.getColorScheme());
    }
}
