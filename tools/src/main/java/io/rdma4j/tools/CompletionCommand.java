/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code rdma4j completion}: prints a script with which shells complete commands and options. */
@Command(
    name = "completion",
    description = "Prints a script for bash and zsh, with which the tab key completes commands and options.",
    footer = {
        "  source <(rdma4j completion)                    for this shell",
        "  rdma4j completion >~/.local/share/bash-completion/completions/rdma4j",
        "                                                 for all to come"
    })
final class CompletionCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        main.terminal().out().print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
    }
}
