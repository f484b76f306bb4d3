/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.verbs.pvrdma.trace.Traces;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

import java.nio.file.Path;

/** Options of all commands that open devices: what is written down of what goes to them. */
final class TraceOptions {
    @Option(names = "--trace", paramLabel = "FILE", scope = ScopeType.INHERIT,
        description = "Record each command that is exchanged with a device, for 'rdma4j replay'.")
    private Path file;

    @Option(names = "--trace-data", scope = ScopeType.INHERIT,
        description = "With --trace: doorbells with their work requests, and completions, too.")
    private boolean data;

    /** Begins the trace that is asked for; says why if the options do not go together. */
    String begin() {
        if (file == null) {
            return data ? "--trace-data needs --trace FILE" : null;
        }
        Traces.begin(file, data);
        return null;
    }

    /** Ends the trace; says why there is none if it was asked for and no device was traced. */
    String end() {
        return file == null || Traces.end() ? null
            : "nothing was traced, and '" + file + "' is as it was: no device was opened whose commands are traced";
    }
}
