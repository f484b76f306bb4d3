/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DiffComparisonTest {
    private static final KnownDifferences NONE = KnownDifferences.parse("");

    private static DiffRecording recording(final String err, final String extra) {
        return DiffRecording.parse("rdma4j-recording 1 some device\n3: [x] CREATE_PD ctx_handle=0\n  err=" + err + "\n"
            + extra + "4: CAPS\n");
    }

    @Test
    void findsNothingInEqualRecordings() {
        final DiffComparison same = DiffComparison.of(recording("0x0", ""), recording("0x0", ""), NONE);
        assertThat(same.holds()).isTrue();
        assertThat(same.fields()).isEqualTo(1);
    }

    @Test
    void reportsADifferenceThatNobodyKnows() {
        final DiffComparison other = DiffComparison.of(recording("0x0", ""), recording("0x5", "  handle=pd0\n"), NONE);
        assertThat(other.holds()).isFalse();
        assertThat(other.unknown()).containsExactly(
            "line 3 CREATE_PD: err is 0x0, 0x5", "line 3 CREATE_PD: handle is -, pd0");
        assertThat(other.toString()).contains("unknown: line 3 CREATE_PD: err is 0x0, 0x5");
    }

    @Test
    void allowsWhatTheTableNamesByLabelVerbAndPattern() {
        for (final String step : new String[] {"[x]", "CREATE_PD", "CREATE_*"}) {
            final DiffComparison known = DiffComparison.of(recording("0x0", ""), recording("0x5", "  handle=pd0\n"),
                KnownDifferences.parse(step + " err 0x0 0x* it is so\n" + step + " handle - * it has more\n"));
            assertThat(known.holds()).as(step).isTrue();
            assertThat(known.allowed()).hasSize(2);
            assertThat(known.allowed().get(0)).contains("(it is so)");
        }
    }

    @Test
    void aLineOfTheTableCountsOnlyForItsStepFieldAndValues() {
        for (final String line : new String[] {"[y] err 0x0 0x5 no", "CREATE_MR err 0x0 0x5 no", "[x] er 0x0 0x5 no",
            "[x] err 0x1 0x5 no", "[x] err 0x0 0x6 no"}) {
            final DiffComparison other =
                DiffComparison.of(recording("0x0", ""), recording("0x5", ""), KnownDifferences.parse(line));
            assertThat(other.unknown()).as(line).hasSize(1);
            assertThat(other.stale()).as(line).hasSize(1);
        }
    }

    @Test
    void aKnownDifferenceThatDoesNotOccurIsStale() {
        final DiffComparison same = DiffComparison.of(recording("0x0", ""), recording("0x0", ""),
            KnownDifferences.parse("# comment\n\nCREATE_PD err 0x0 0x5 once it was so\n"));
        assertThat(same.holds()).isFalse();
        assertThat(same.stale()).containsExactly("line 3: CREATE_PD err 0x0 0x5 (once it was so)");
    }

    @Test
    void aKnownDifferenceNeedsAReason() {
        assertThatThrownBy(() -> KnownDifferences.parse("CREATE_PD err 0x0 0x5")).hasMessageContaining("line 1");
    }

    @Test
    void refusesRecordingsOfDifferentScripts() {
        final DiffRecording shorter = DiffRecording.parse("rdma4j-recording 1 other\n3: [x] CREATE_PD ctx_handle=0\n");
        final DiffRecording other =
            DiffRecording.parse("rdma4j-recording 1 other\n3: CREATE_PD ctx_handle=1\n4: CAPS\n");
        assertThatThrownBy(() -> DiffComparison.of(recording("0x0", ""), shorter, NONE))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("2 and 1 steps");
        assertThatThrownBy(() -> DiffComparison.of(recording("0x0", ""), other, NONE))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("ctx_handle=1");
    }

    @Test
    void refusesWhatIsNoRecording() {
        assertThatThrownBy(() -> DiffRecording.parse("")).hasMessageContaining("rdma4j-recording 1");
        assertThatThrownBy(() -> DiffRecording.parse("rdma4j-recording 1 x\nCAPS\n")).hasMessageContaining("line 2");
        assertThatThrownBy(() -> DiffRecording.parse("rdma4j-recording 1 x\n1: CAPS\n  err\n"))
            .hasMessageContaining("line 3");
    }

    @Test
    void recordingsAreWrittenAsTheyAreRead() {
        final DiffRecording recording = recording("0x0", "  handle=pd0\n");
        assertThat(DiffRecording.parse(recording.toString()).toString()).isEqualTo(recording.toString());
        assertThat(recording.device()).isEqualTo("some device");
    }

    @Test
    void theTablesThatComeWithTheSuiteAreReadable() {
        assertThat(KnownDifferences.ofQemu("emulated").all()).isNotEmpty();
        assertThat(KnownDifferences.ofQemu("emulated-quirks").all()).isNotEmpty();
    }
}
