/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What unittest prints is understood in whole, or said not to be. */
class PyverbsReportTest {
    private static final List<String> LINES = List.of(
        "test_alloc_pd (tests.test_pd.PDTest.test_alloc_pd)", "Test ibv_alloc_pd() ... ok",
        "test_ro_rc_traffic (tests.test_relaxed_ordering.RoTestCase.test_ro_rc_traffic) ... ok",
        "test_mw_type1 (tests.test_mr.MWTest.test_mw_type1) ... skipped 'Create MW is not supported'",
        "test_mr_rereg_pd (tests.test_mr.MRTest.test_mr_rereg_pd)",
        "Test that cover rereg MR's PD with this flow: ... skipped 'Rereg MR is not supported (Failed: IBV_X. Errno: "
            + "95, Operation not supported)'",
        "test_query_rc_qp (tests.test_qp.QPTest.test_query_rc_qp)",
        "Queries an RC QP after creation. Verifies that its properties are as ... FAIL",
        "test_cq (tests.test_cq.CQTest.test_cq) ... ERROR", "",
        "FAIL: test_query_rc_qp (tests.test_qp.QPTest.test_query_rc_qp)", "Ran 6 tests in 12.722s", "",
        "FAILED (failures=1, errors=1, skipped=2)");

    @Test
    void countsAndNamesWhatWasFound() {
        final PyverbsReport report = PyverbsReport.parse(LINES);
        assertThat(report.passed()).containsExactly("test_alloc_pd", "test_ro_rc_traffic");
        assertThat(report.failed()).containsExactly("test_query_rc_qp", "test_cq");
        assertThat(report.unexplained()).containsExactly("test_cq");
        assertThat(report.skipped()).isEqualTo(Map.of("Create MW is not supported", 1, "Rereg MR is not supported", 1));
        assertThat(report.complete()).isTrue();
        assertThat(report.summary()).isEqualTo("2 passed, 2 failed [test_query_rc_qp, test_cq], 2 skipped");
    }

    @Test
    void whatWasCutOffOrNotUnderstoodIsIncomplete() {
        assertThat(PyverbsReport.parse(LINES.subList(0, 8)).complete()).isFalse();
        final List<String> garbled = new ArrayList<>(LINES);
        garbled.set(2, "test_ro_rc_traffic (tests.test_relaxed_ordering.RoTestCase.test_ro_rc_traffic) ... printed");
        assertThat(PyverbsReport.parse(garbled).complete()).isFalse();
        assertThat(PyverbsReport.parse(List.of()).complete()).isFalse();
    }
}
