/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/** How long a responder that is not ready asks its sender to wait: the 32 codes of min_rnr_timer. */
final class RnrTimer {
    private static final long[] MICROS = {
        655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1_280, 1_920,
        2_560, 3_840, 5_120, 7_680, 10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760,
        327_680, 491_520,
    };

    private RnrTimer() {
    }

    static long nanos(int code) {
        return MICROS[code & 31] * 1000;
    }
}
