/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What commands read has limits, also where a file does not say how long it is. */
class LongFilesTest {
    private static final int MEBIBYTE = 1 << 20;

    @TempDir
    private Path folder;

    private Path file(final String name) {
        return folder.resolve(name);
    }

    /** Lines that mean nothing, one MiB more than the limit, and then what would be taken if it came alone. */
    private void fill(final Path file, final int mebibytes, final boolean remarks, final String end)
        throws IOException {
        final byte[] filler = ((remarks ? "#" : " ") + " ".repeat(1022) + "\n").repeat(MEBIBYTE / 1024)
            .getBytes(StandardCharsets.US_ASCII);
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i <= mebibytes; i++) {
                out.write(filler);
            }
            out.write(end.getBytes(StandardCharsets.UTF_8));
        }
    }

    private Cli.Outcome run(final String line) {
        return Cli.run(line.replace("DIR", folder.toString()).split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "plot -o DIR/page.html DIR/pipe, pipe, 64", "plot -o DIR/page.html DIR/pipe.tsv, pipe.tsv, 64",
        "show DIR/pipe, pipe, 256", "replay DIR/t.trace --known DIR/pipe, pipe, 1"
    })
    void aPipeThatSaysMoreIsRefused(final String line, final String name, final int mebibytes) throws Exception {
        assertThat(run("devinfo -d emulated:long --trace DIR/t.trace").exitCode()).isZero();
        final String end = line.startsWith("show") ? "{\"rdma4j_dump\": 1}"
            : name.endsWith(".tsv") ? "seconds\tvalue\n1\t2\n"
            : line.startsWith("plot") ? run("perf send_lat -n 5 --warmup 0 --json").out() : "";
        final Path pipe = file(name);
        assertThat(Patience.ends(new ProcessBuilder("mkfifo", pipe.toString()).start())).isTrue();
        Background.run(() -> {
            try {
                fill(pipe, mebibytes, !line.startsWith("show") && !end.startsWith("{"), end);
            } catch (final IOException ignored) {
                // Who reads has had enough.
            }
        });
        final Cli.Outcome outcome = run(line);
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString()
            .contains(pipe.toString(), "it is longer than " + mebibytes * MEBIBYTE + " bytes", "EINVAL");
    }
}
