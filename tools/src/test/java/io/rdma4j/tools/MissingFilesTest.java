/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file or folder that is not there is told in the same words by all commands. */
class MissingFilesTest {
    @TempDir
    private Path folder;

    private Cli.Outcome fail(final String line) throws IOException {
        Files.writeString(folder.resolve("there.tsv"), "seconds\tvalue\n1\t2\n");
        final Cli.Outcome outcome = Cli.run(line.replace("DIR", folder.toString()).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().doesNotContain("Exception", ".tmp");
        assertThat(folder.resolve("none")).doesNotExist();
        return outcome;
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "dump --all DIR/none/x.json --sample", "serve --socket DIR/none/a.sock -d emulated:missing",
        "plot -o DIR/none/page.html DIR/there.tsv", "pingpong -n 1 --pcap DIR/none/x.pcap",
        "devices --trace DIR/none/t", "replay DIR/none/t --save DIR/none/x",
        "perf send_lat -n 5 --save DIR/none/x", "perf send_lat -n 5 --plot DIR/none/x"
    })
    void folders(final String line) throws IOException {
        assertThat(fail(line).err())
            .contains(": there is no folder '" + folder.resolve("none") + "' [ENOENT]; make it, or name another");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "replay DIR/there.tsv --known DIR/none", "plot -o DIR/page.html DIR/none.tsv", "plot -o DIR/page.html DIR/none",
        "show DIR/none", "replay DIR/none", "perf send_lat -n 5 --plot DIR/page.html --beside DIR/none"
    })
    void files(final String line) throws IOException {
        assertThat(fail(line).err())
            .containsPattern(": there is no file '" + folder + "/none(\\.tsv)?' \\[ENOENT\\]; ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"show DIR/none/x", "replay DIR/none/x", "plot -o DIR/page.html DIR/none/x.tsv"})
    void filesInFoldersThatAreNotThere(final String line) throws IOException {
        assertThat(fail(line).err()).contains(": there is no folder '" + folder.resolve("none") + "' [ENOENT]; ");
    }
}
