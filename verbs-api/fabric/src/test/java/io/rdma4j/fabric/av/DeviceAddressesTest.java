/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which device addresses are good, at the edges. */
class DeviceAddressesTest {
    private static Problem read(
        final long high, final long low, final int qpn, final EndpointType kind, final EndpointType expected) {
        final AvEntry entry = new AvEntry();
        DeviceAddresses.write(entry, high, low, qpn, -1, kind);
        final Problem problem = DeviceAddresses.read(entry, expected);
        if (problem == null) {
            assertThat(new long[] {entry.gidHigh(), entry.gidLow(), entry.qpn(), entry.qkey(), entry.kind()})
                .containsExactly(high, low, qpn, -1, kind.value());
        }
        return problem;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0xff_fffe, 0xff_ffff})
    void numbersOfQueuePairs(final int qpn) {
        assertThat(read(1, 1, qpn, EndpointType.RDM, EndpointType.RDM)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x100_0000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void numbersOfNoQueuePairs(final int qpn) {
        assertThat(read(1, 1, qpn, EndpointType.RDM, EndpointType.RDM).text()).contains("qpn");
    }

    @Test
    void aGidHasABit() {
        assertThat(read(0, 1, 1, EndpointType.RDM, EndpointType.RDM)).isNull();
        assertThat(read(1, 0, 1, EndpointType.RDM, EndpointType.RDM)).isNull();
        assertThat(read(0, 0, 1, EndpointType.RDM, EndpointType.RDM).text()).contains("GID");
    }

    /** Passive endpoints and what connects to them know other ways to tell. */
    @ParameterizedTest
    @CsvSource({"MSG, MSG, true", "RDM, MSG, true", "DGRAM, MSG, true", "MSG, , true", "RDM, , true",
        "RDM, RDM, true", "DGRAM, DGRAM, true", "MSG, RDM, false", "DGRAM, RDM, false", "RDM, DGRAM, false"})
    void whichKindsAreOfWhichDomain(final EndpointType kind, final EndpointType expected, final boolean good) {
        final Problem problem = read(1, 1, 1, kind, expected);
        assertThat(problem == null).as("%s", problem).isEqualTo(good);
        if (!good) {
            assertThat(problem.text()).contains("of a " + kind + " endpoint", "are " + expected);
        }
    }
}
