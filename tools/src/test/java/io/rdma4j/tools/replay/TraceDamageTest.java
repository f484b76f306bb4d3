/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.Main;
import io.rdma4j.tools.text.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whatever is in the file of a trace: it is read, or refused with the line; nothing else comes out. */
@Timeout(120)
class TraceDamageTest {
    private static final int ROUNDS = 4000;

    @TempDir
    private Path folder;

    private byte[] good() throws IOException {
        final Path file = folder.resolve("good.trace");
        final StringWriter err = new StringWriter();
        assertThat(Main.run(new Terminal(new PrintWriter(new StringWriter()), new PrintWriter(err), false, false),
            "pingpong", "-n", "3", "-w", "0", "--op", "write", "--trace", file.toString(), "--trace-data"))
            .as(err.toString()).isZero();
        return Files.readAllBytes(file);
    }

    @Test
    void damagedTracesAreReadOrRefusedWithTheirLine() throws IOException {
        final byte[] good = good();
        final Random random = new Random(20261122);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] bad = good.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bad[random.nextInt(bad.length)] = (byte) (random.nextBoolean() ? random.nextInt(256)
                    : "0123456789abcdef =-\n".charAt(random.nextInt(20)));
            }
            refused += isRefused(bad, random.nextInt(4) == 0 ? random.nextInt(bad.length) : bad.length, round) ? 1 : 0;
        }
        assertThat(refused).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 100);
    }

    /** It is one that --trace wrote, so another file is no help. */
    @Test
    void ofATraceThatIsTooLongTheFirstLinesArePlayed() throws IOException {
        good();
        final Path file = folder.resolve("good.trace");
        final List<String> lines = Files.readAllLines(file);
        assertThatThrownBy(() -> TraceReader.read(file, 10)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("line 12: there are more than 10 records")
            .hasMessageContaining("head -n 10 good.trace").hasMessageNotContaining("give a file");
        Files.write(file, lines.subList(0, 10));
        assertThat(TraceReader.read(file, 10).devices()).hasSize(1);
    }

    private static boolean isRefused(final byte[] bytes, final int length, final int round) throws IOException {
        try {
            final TraceRecords records = TraceReader.read(new ByteArrayInputStream(bytes, 0, length));
            for (final int device : records.devices().keySet()) {
                final TraceScript script = TraceScript.of(records.of(device));
                assertThat(DiffScript.parse(script.script().toString()).steps()).hasSameSizeAs(script.script().steps());
            }
            return false;
        } catch (final IllegalArgumentException e) {
            assertThat(e).as("round " + round + " of\n" + new String(bytes, 0, length, StandardCharsets.ISO_8859_1))
                .hasMessageContaining("line ");
            return true;
        }
    }
}
