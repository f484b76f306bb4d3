/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

class GuestMainTest {
    @ParameterizedTest
    @ValueSource(strings = {"--badflag", "--memory", "--memory lots", "--timeout 1x", "--", "--keep stray"})
    void exitsWithTwoAndTheUsageForAWrongCommandLine(final String line) throws IOException {
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        final int status = GuestMain.run(line.split(" "), System.out, errors);
        assertThat(status).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("usage: run-guest.sh");
    }
}
