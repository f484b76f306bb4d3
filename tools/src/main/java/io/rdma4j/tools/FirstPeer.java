/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import picocli.CommandLine.Model.CommandSpec;

import java.time.Duration;

/** How long who listens waits for somebody: people first find another terminal, or the other machine. */
final class FirstPeer {
    private static final Duration USUAL = Duration.ofMinutes(10);

    private FirstPeer() {
    }

    /** What was asked for, if anything was. */
    static Duration timeout(final CommandSpec spec, final Duration timeout) {
        return spec.commandLine().getParseResult().hasMatchedOption("--timeout") ? timeout : USUAL;
    }
}
