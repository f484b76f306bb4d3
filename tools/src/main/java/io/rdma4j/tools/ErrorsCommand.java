/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.ErrorsSection;
import picocli.CommandLine.Command;

/** {@code rdma4j errors}: the distinct error log. */
@Command(
    name = "errors",
    description = "Prints each error since a device was opened once, with how often and when it happened.",
    footer = {
        "  rdma4j errors --pid 1234",
        "  rdma4j errors --pid 1234 --json"
    })
final class ErrorsCommand extends DumpCommand {
    ErrorsCommand() {
        super(new ErrorsSection());
    }
}
