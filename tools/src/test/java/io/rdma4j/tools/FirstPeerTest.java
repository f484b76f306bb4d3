/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.time.Duration;

/** Who follows the page types the second command in another terminal. */
class FirstPeerTest {
    private static Duration timeout(final Object command, final String... arguments) {
        final CommandLine line = new CommandLine(command);
        line.parseArgs(arguments);
        return FirstPeer.timeout(line.getCommandSpec(), Duration.ofSeconds(3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pingpong", "fi_pingpong"})
    void itIsWaitedForLongUnlessSomethingElseIsAskedFor(final String name) {
        final Object command = name.equals("pingpong") ? new PingpongCommand() : new FiPingpongCommand();
        assertThat(timeout(command, "--listen=:0")).isEqualTo(Duration.ofMinutes(10));
        assertThat(timeout(command, "--listen=:0", "--timeout", "3")).isEqualTo(Duration.ofSeconds(3));
    }
}
