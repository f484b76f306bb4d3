/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

class DumpFileTest {
    @TempDir
    Path folder;

    private static JsonObject document() {
        return DumpDocument.read(new DumpSource(ScriptedDevice.working(), Optional.of(ScriptedPci.working()), Set.of()),
            Sections.ALL, "test", Instant.EPOCH);
    }

    @Test
    void whatWasWrittenReadsAndPrintsTheSame() throws IOException {
        final Path file = folder.resolve("report.json");
        DumpFile.write(file, document());
        assertThat(DumpFile.read(file)).isEqualTo(document());
        assertThat(Golden.text(DumpFile.read(file))).isEqualTo(Golden.text(document()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
    }

    @Test
    void everyTruncationIsToldWithItsPlace() throws IOException {
        final Path whole = folder.resolve("whole.json");
        DumpFile.write(whole, document());
        final byte[] bytes = Files.readAllBytes(whole);
        final Path file = folder.resolve("cut.json");
        for (int length = 0; length < bytes.length - 2; length += 1 + bytes.length / 200) {
            Files.write(file, Arrays.copyOf(bytes, length));
            final int cut = length;
            assertThatThrownBy(() -> DumpFile.read(file)).as("cut at " + cut)
                .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL))
                .hasMessageContaining("read dump file").hasMessageContaining("cut.json")
                .hasMessageMatching("(?s).*(line \\d+ column \\d+|no member).*");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "                                             | it is no JSON: End of input at line 1 column 1",
        "hello                                        | it is no JSON",
        "[1, 2]                                       | no member 'rdma4j_dump'",
        "{\"other\": 1}                               | no member 'rdma4j_dump'",
        "{\"rdma4j_dump\": 2, \"rdma4j\": \"9.9\"}    | it is of version 2, this program reads version 1",
        "{\"rdma4j_dump\": \"x\"}                     | it is of version \"x\"",
        "{\"rdma4j_dump\": null}                      | it is of version null",
        "{\"rdma4j_dump\": 1} {}                      | ",
        "{\"rdma4j_dump\": 1,}                        | it is no JSON",
        "{rdma4j_dump: 1}                             | it is no JSON"
    })
    void foreignFilesAreRefused(final String content, final String word) throws IOException {
        final Path file = Files.writeString(folder.resolve("foreign"), content == null ? "" : content);
        assertThatThrownBy(() -> DumpFile.read(file)).isInstanceOf(RdmaException.class)
            .hasMessageContaining(word == null ? "foreign" : word);
    }

    @Test
    void deepNestingIsRefused() throws IOException {
        final Path file = Files.writeString(folder.resolve("deep"), "{\"rdma4j_dump\":1,\"sections\":"
            + "[".repeat(1_000_000));
        assertThatThrownBy(() -> DumpFile.read(file)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("it is no JSON");
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws IOException {
        final Path file = folder.resolve("binary");
        Files.write(file, new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe, 0});
        assertThatThrownBy(() -> DumpFile.read(file)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("UTF-8");
    }

    @Test
    void filesThatAreTooLongAreNotRead() throws IOException {
        final Path file = folder.resolve("long");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(DumpFile.MAX_LENGTH + 1);
        }
        assertThatThrownBy(() -> DumpFile.read(file)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("longer than " + DumpFile.MAX_LENGTH + " bytes");
    }

    @Test
    void whatIsNotThereIsToldByItsErrno() {
        assertErrno(RdmaException.ENOENT, () -> DumpFile.read(folder.resolve("none")));
        assertErrno(RdmaException.EINVAL, () -> DumpFile.read(folder));
        assertErrno(RdmaException.ENOENT, () -> DumpFile.write(folder.resolve("no/such/folder"), new JsonObject()));
        assertErrno(RdmaException.EIO, () -> DumpFile.write(folder, new JsonObject()));
    }

    @Test
    void aFullDiskIsToldAsSuch() {
        assertThatThrownBy(() -> DumpFile.write(Path.of("/dev/full"), document())).isInstanceOf(RdmaException.class)
            .hasMessageContainingAll("/dev/full", "No space left", "EIO");
    }

    @Test
    void whatIsReplacedBelongsToItsOwnerOnlyAndNothingElseIsLeft() throws IOException {
        final Path file = Files.writeString(folder.resolve("open-to-all"), "before");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        DumpFile.write(file, document());
        assertThat(DumpFile.read(file)).isEqualTo(document());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(folder.toFile().list()).containsExactly("open-to-all");
    }

    private static void assertErrno(final int errno, final Runnable action) {
        assertThatThrownBy(action::run)
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void aSectionOfALaterProgramIsNamedAndNotPrinted() throws IOException {
        final Path file = Files.writeString(folder.resolve("later.json"),
            "{\"rdma4j_dump\": 1, \"sections\": {\"telepathy\": {\"x\": 1}, \"regs\": 5}}", StandardCharsets.UTF_8);
        assertThat(Golden.text(DumpFile.read(file))).contains("telepathy", "does not know such a section", "! regs");
    }
}
