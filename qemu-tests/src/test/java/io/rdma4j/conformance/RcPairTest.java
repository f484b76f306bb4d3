/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.EmulatedDevice;

import org.junit.jupiter.api.Test;

import java.util.regex.Pattern;

/** A warm pair has left the long way: else cases on it would show nothing that those on a cold one do not. */
class RcPairTest {
    private static final Pattern SHORTENED = Pattern.compile("completed (\\d+), (\\d+) the short way");

    /** Requests of all queue pairs: how many completed, and how many of those went the short way. */
    private static String completed() {
        return SHORTENED.matcher(EmulatedDevice.lookup("warm").describe()).results()
            .filter(found -> !found.group(1).equals("0"))
            .map(found -> found.group(1) + ", " + found.group(2)).toList().toString();
    }

    @Test
    void aWarmPairHasLeftTheLongWay() {
        try (ConformanceEnv env = new ConformanceEnv("emulated:warm", null, Effort.QUICK, 1)) {
            final RcPair pair = RcPair.connected(env, 4, 1);
            assertThat(completed()).isEqualTo("[]");
            pair.warm();
            assertThat(completed()).as("all but the first one").isEqualTo("[2, 1]");
        }
    }
}
