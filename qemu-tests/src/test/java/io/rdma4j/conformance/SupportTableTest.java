/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.conformance.ConformanceResult.Outcome;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table of supported devices, and that the one in docs/ is true. */
class SupportTableTest {
    private static final Path DOCUMENT = Path.of("../docs/device-support.md");
    private static final String AGAIN =
        "write docs/device-support.md again: docs/conformance.md, \"The table of devices\", says how";

    /** Fails if the document says something else of a device. */
    static void requireSaid(final SupportColumn column) throws IOException {
        assertThat(SupportTable.differences(Files.readString(DOCUMENT), column)).as(AGAIN).isEmpty();
    }

    private static List<ConformanceResult> allPassed() {
        final List<ConformanceResult> results = new ArrayList<>();
        ConformanceSuite.cases().forEach(test ->
            results.add(new ConformanceResult(test.name(), Outcome.PASS, "", "", null)));
        return results;
    }

    private static SupportRow row(final String operation) {
        return SupportRow.all().stream().filter(row -> row.operation().equals(operation)).findFirst().orElseThrow();
    }

    @Test
    void everyCaseHasARowAndEveryRowACase() {
        assertThat(ConformanceSuite.cases().stream().map(test -> SupportRow.of(test.name())))
            .containsAll(SupportRow.all());
    }

    @Test
    void theMostSpecificRowCounts() {
        assertThat(SupportRow.of("rc.pingPong")).isEqualTo(row("SEND on reliable connections"));
        assertThat(SupportRow.of("rc.immediateData")).isEqualTo(row("SEND with immediate data"));
        assertThatThrownBy(() -> SupportRow.of("nosuch.case")).hasMessageContaining("nosuch.case");
    }

    @Test
    void countsWhatPassedAndNamesWhatIsMissing() {
        final List<ConformanceResult> results = allPassed();
        results.replaceAll(result -> result.name().startsWith("masked.")
            ? new ConformanceResult(result.name(), Outcome.SKIP, "MASKED_ATOMICS: it has none", "", null) : result);
        results.replaceAll(result -> result.name().equals("rc.pingPong")
            ? new ConformanceResult(result.name(), Outcome.SKIP, "no time", "", null) : result);
        results.replaceAll(result -> result.name().equals("inv.keyOfAPlainRegion") ? new ConformanceResult(
            result.name(), Outcome.SKIP, "not-told: the device is silent (docs/judged.md)", "", null) : result);
        final SupportColumn column = SupportColumn.ofRun("device", results);
        assertThat(column.cell(row("Invalidation of keys"))).isEqualTo("1 of 2 `not-told`");
        assertThat(column.cell(row("Masked atomics"))).isEqualTo("no `masked_atomics`");
        assertThat(column.cell(row("Protection domains, address handles"))).isEqualTo("8");
        final int all = (int) results.stream().map(ConformanceResult::name)
            .filter(name -> SupportRow.of(name) == row("SEND on reliable connections")).count();
        assertThat(column.cell(row("SEND on reliable connections"))).isEqualTo(all - 1 + " of " + all);
        assertThat(column.reasons()).isEqualTo("### device\n\n- `masked_atomics`: it has none\n"
            + "- `not-told`: the device is silent\n"
            + "- left out: rc.pingPong: no time\n");
    }

    @Test
    void readsTheLinesOfARun() {
        final List<String> lines = new ArrayList<>(List.of("INFO address=emulated:", "TIME pd.manyAtOnce 1 ms"));
        allPassed().forEach(result -> lines.add(result.line()));
        assertThat(SupportColumn.ofLines("device", lines).reasons()).isEqualTo("### device\n\nNothing is missing.\n");
    }

    @Test
    void aRunThatFailedOrWasCutOffSaysNothing() {
        final List<ConformanceResult> results = allPassed();
        results.set(3, new ConformanceResult(results.get(3).name(), Outcome.FAIL, "too bad", "", null));
        assertThatThrownBy(() -> SupportColumn.ofRun("device", results))
            .hasMessage("device: " + results.get(3).name() + " failed: too bad");
        results.remove(3);
        assertThatThrownBy(() -> SupportColumn.ofRun("device", results)).hasMessageContaining("was not run");
    }

    @Test
    void findsWhatADocumentSaysWrong() {
        final SupportColumn true1 = SupportColumn.ofRun("one", allPassed());
        final List<ConformanceResult> results = allPassed();
        results.replaceAll(result -> result.name().startsWith("inv.")
            ? new ConformanceResult(result.name(), Outcome.SKIP, "INVALIDATE: never", "", null) : result);
        final SupportColumn true2 = SupportColumn.ofRun("two", results);
        final String document = new SupportTable(List.of(true1, true2)).markdown();
        assertThat(SupportTable.differences(document, true1)).isEmpty();
        assertThat(SupportTable.differences(document, true2)).isEmpty();
        assertThat(SupportTable.differences(document, SupportColumn.ofRun("one", results)))
            .contains("Invalidation of keys: '2' should be 'no `invalidate`'").hasSize(2);
        assertThat(SupportTable.differences(document, SupportColumn.ofRun("three", results))).hasSizeGreaterThan(30);
    }

    /** What QEMU lacks is known without QEMU: the emulated device that plays it lacks the same. */
    @Test
    void documentSaysOfQemuWhatItsQuirksMean() throws IOException {
        final String document = Files.readString(DOCUMENT);
        try (RdmaContext device = RdmaDevices.open("emulated:support-table?quirks=qemu-7.2")) {
            for (final ConformanceCase test : ConformanceSuite.cases()) {
                final String whyNot = test.whyNot(device);
                if (whyNot != null && whyNot.matches("[A-Z_]+: .*")) {
                    final String[] parts = whyNot.split(": ", 2);
                    assertThat(document).as(AGAIN)
                        .contains("- `" + parts[0].toLowerCase(Locale.ROOT) + "`: " + parts[1]);
                }
            }
        }
    }

    @Test
    void documentSaysWhatTheDriverDoesWithADeviceThatItDoesNotKnow() throws IOException {
        requireSaid(SupportMain.documented());
    }

    @Test
    void anUnknownDeviceHasNeitherExtensionsNorAProfileOfItsOwn() {
        try (RdmaContext device = RdmaDevices.open(SupportMain.LIKE_ESXI)) {
            assertThat(device.attributes().name()).doesNotContain("emulated");
            assertThat(device.supports(Feature.MEMORY_WINDOWS)).isFalse();
            assertThat(device.peculiarities()).isEmpty();
        }
    }

    @Test
    void talliesARun() {
        final List<ConformanceResult> results = List.of(
            new ConformanceResult("a", Outcome.PASS, "", "", null),
            new ConformanceResult("b", Outcome.SKIP, "ATOMICS: none", "", null),
            new ConformanceResult("c", Outcome.SKIP, "too slow", "", null),
            new ConformanceResult("d", Outcome.SKIP, "too slow", "", null));
        assertThat(Tally.of("device", results).lines()).containsExactly(
            "conformance on device: 1 passed, 0 failed, 3 skipped",
            "      2 skipped: too slow", "      1 skipped: ATOMICS: none");
    }
}
