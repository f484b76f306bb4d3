/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.rdma4j.RdmaException;
import io.rdma4j.tools.perf.yardstick.Reading;
import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PerfFileTest {
    private static final PerfRun.Place PLACE = new PerfRun.Place("2026-01-02T03:04:05Z", "0.1.0", "a JVM 17", "a CPU",
        2, 24.5, List.of("a sentence"));
    private static final Yardstick YARDSTICK = new Yardstick(new Reading("tcp", "TCP", 5, 1, 2, 3.5),
        new Reading("tcp", "TCP", 6, 2, 3, 4));
    private static final PerfRun LATENCY = new PerfRun(
        new PerfRun.About(PerfTest.SEND_LAT, "-s 2 -n 3", "emulated:", null, PLACE),
        List.of(new LatencyRow(2, 3, 0.5, new LatencyRow.Times(1, 9, 2, 3, 4, 5, 6, 7, 8),
            List.of(new LatencyRow.Point(0, 1, 1), new LatencyRow.Point(100, 9, 3)))), List.of(YARDSTICK));
    private static final PerfRun BANDWIDTH = new PerfRun(
        new PerfRun.About(PerfTest.READ_BW, "-a", "emulated:a", "emulated:b", PLACE),
        List.of(new BandwidthRow(2, 3, 0.5, 9, 8, 0.000007), new BandwidthRow(4, 3, 0.5, 9, 8, 7)), List.of());

    @TempDir
    private Path folder;

    @Test
    void whatIsWrittenIsRead() {
        for (final PerfRun run : List.of(LATENCY, BANDWIDTH)) {
            final Path file = folder.resolve("run.json");
            PerfFile.write(file, run);
            assertThat(PerfFile.read(file)).isEqualTo(run);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "                                  | EINVAL | the file is no",
        "[]                                | EINVAL | no run of rdma4j perf",
        "{}                                | EINVAL | no run of rdma4j perf",
        "{\"rdma4j_perf\": 2}               | EINVAL | its version is 2, this program reads version 1",
        "{\"rdma4j_perf\": \"x\"}           | EINVAL | rdma4j_perf is no number",
        "{\"rdma4j_perf\": 1}               | EINVAL | test is missing",
        "{\"rdma4j_perf\": 1, \"test\": \"y\"} | EINVAL | test is none of the tests",
        "{\"rdma4j_perf\": 1, \"te          | EINVAL | it is no JSON: Unterminated",
        "{\"rdma4j_perf\": 1,              | EINVAL | it is no JSON: End of input at line 1 column",
        "seconds value                     | EINVAL | it is no JSON: malformed",
    })
    void foreignAndTruncatedFilesAreRefusedWithTheirPlace(final String text, final String errno, final String why)
        throws IOException {
        final Path file = folder.resolve("foreign.json");
        Files.writeString(file, text == null ? "" : text);
        assertThatThrownBy(() -> PerfFile.read(file)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("foreign.json").hasMessageContaining(errno)
            .hasMessageContaining(text == null ? "no run" : why).hasMessageNotContainingAny("Exception", "com.google");
    }

    @Test
    void binaryAndMissingFilesAreRefused() throws IOException {
        final Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 0, (byte) 0xc0, 17});
        assertThatThrownBy(() -> PerfFile.read(binary)).isInstanceOf(RdmaException.class)
            .hasMessageContainingAll("no text in UTF-8", "EINVAL");
        assertThatThrownBy(() -> PerfFile.read(folder)).isInstanceOf(RdmaException.class)
            .hasMessageContainingAll("directory", "EIO");
        assertThatThrownBy(() -> PerfFile.read(folder.resolve("missing"))).isInstanceOf(RdmaException.class)
            .hasMessageContaining("ENOENT");
        assertThatThrownBy(() -> PerfFile.write(folder.resolve("no/folder"), LATENCY))
            .isInstanceOf(RdmaException.class).hasMessageContainingAll("save run", "ENOENT");
    }

    /** Whatever a single value is replaced with: a run or a sentence that names the place, nothing else. */
    @Test
    void everyValueIsChecked() {
        int refused = 0;
        for (final PerfRun run : List.of(LATENCY, BANDWIDTH)) {
            for (int i = 0; i < places(PerfFile.toJson(run)).size(); i++) {
                for (final JsonElement wrong : List.of(JsonNull.INSTANCE, new JsonPrimitive("x"), new JsonArray(),
                    new JsonObject(), new JsonPrimitive(-1), new JsonPrimitive(Double.MAX_VALUE),
                    JsonParser.parseString("1e999999"))) {
                    final JsonObject json = PerfFile.toJson(run);
                    places(json).get(i).accept(wrong);
                    refused += refuses(json) ? 1 : 0;
                }
            }
        }
        assertThat(refused).isGreaterThan(300);
    }

    /** What draws them compares each with each. */
    @Test
    void moreRowsThanARunCanHaveAreRefused() {
        final JsonObject json = PerfFile.toJson(LATENCY);
        final JsonObject row = json.getAsJsonArray("rows").remove(0).getAsJsonObject();
        for (int bytes = 1; bytes <= 2000; bytes++) {
            final JsonObject next = row.deepCopy();
            next.addProperty("bytes", bytes);
            json.getAsJsonArray("rows").add(next);
            if (bytes == 1000) {
                assertThat(PerfFile.fromJson(json).rows()).hasSize(1000);
            }
        }
        assertThatThrownBy(() -> PerfFile.fromJson(json)).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("rows has more than 1000 elements");
    }

    private static boolean refuses(final JsonObject json) {
        try {
            PerfFile.fromJson(json);
            return false;
        } catch (final IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
            return true;
        }
    }

    /** Something that can be replaced. */
    private interface Slot {
        void accept(JsonElement value);
    }

    private static List<Slot> places(final JsonElement json) {
        final List<Slot> all = new ArrayList<>();
        if (json.isJsonObject()) {
            for (final Map.Entry<String, JsonElement> entry : json.getAsJsonObject().entrySet()) {
                all.add(entry::setValue);
                all.addAll(places(entry.getValue()));
            }
        } else if (json.isJsonArray()) {
            for (int i = 0; i < json.getAsJsonArray().size(); i++) {
                final int index = i;
                all.add(value -> json.getAsJsonArray().set(index, value));
                all.addAll(places(json.getAsJsonArray().get(i)));
            }
        }
        return all;
    }
}
