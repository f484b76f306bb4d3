/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/**
 * A file or folder that is not there, or cannot be written, is told in the same words by all commands, and is exit code
 * 1: the command line is right.
 */
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

    /** Where a file cannot be written. */
    enum Place {
        FOLDER("it is a folder"), LINK("it is a symbolic link, which is not followed"),
        NO_RIGHT("no right to write in folder");

        final String said;

        Place(final String said) {
            this.said = said;
        }

        /** What a name with one of these endings means. */
        Path in(final Path folder, final String... endings) throws IOException {
            final Path inside = Files.createDirectory(folder.resolve("inside"));
            for (final String ending : endings) {
                final Path file = inside.resolve("x" + ending);
                if (this == FOLDER) {
                    Files.createDirectory(file);
                } else if (this == LINK) {
                    Files.createSymbolicLink(file, Files.createFile(inside.resolve("precious" + ending)));
                }
            }
            if (this == NO_RIGHT) {
                Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("r-x------"));
                assumeThat(Files.isWritable(inside)).as("root may write everywhere").isFalse();
            }
            return inside.resolve("x");
        }
    }

    static Stream<Arguments> places() {
        return Stream.of("dump --all PLACE --sample", "plot -o PLACE DIR/there.tsv", "perf send_lat -n 5 --save PLACE",
            "perf send_lat -n 5 --plot PLACE", "replay DIR/there.tsv --save PLACE", "devices --trace PLACE",
            "pingpong -n 1 --pcap PLACE", "serve --socket PLACE -d emulated:place")
            .flatMap(line -> Stream.of(Place.values()).map(place -> Arguments.of(line, place)));
    }

    /** Each command that writes a file: where what it says comes from OwnFile, in its words. */
    @ParameterizedTest
    @MethodSource
    void places(final String line, final Place place) throws IOException {
        final Path file = place.in(folder, "", ".script");
        final Cli.Outcome outcome = fail(line.replace("PLACE", file.toString()));
        assertThat(outcome.err()).contains(file.toString());
        assertThat(outcome.out()).as("found before anything is done").isEmpty();
        if (line.matches("(dump|plot|perf|replay) .*")) {
            assertThat(outcome.err()).contains(place.said);
        }
        assertThat(file.resolveSibling("precious").toFile().length()).isZero();
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
