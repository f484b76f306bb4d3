/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ColumnsTest {
    @Test
    void valuesBeginWhereTheirHeadersDo() {
        final String row = Columns.BANDWIDTH.row("65536", "1000", "1.00", "2.00", "3.000000");
        for (final String[] pair : new String[][] {{"#bytes", "65536"}, {"#iterations", "1000"}, {"BW peak", "1.00"},
            {"BW average", "2.00"}, {"MsgRate", "3.000000"}}) {
            assertThat(row.indexOf(pair[1])).isEqualTo(Columns.BANDWIDTH.header().indexOf(pair[0]));
        }
    }

    @Test
    void aLongValueIsKeptApartFromTheNext() {
        assertThat(Columns.LATENCY.row("8388608", "1000000000000", "1", "2", "3", "4", "5", "6", "7").strip()
            .split(" +")).hasSize(9);
    }
}
