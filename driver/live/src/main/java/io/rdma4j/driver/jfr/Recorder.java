/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.FlightRecorder;

/** Apart from {@link Flight}, which a runtime without flight recorder loads too. */
final class Recorder {
    private Recorder() {
    }

    /**
     * Whether there is, or was, a recording in this process. Before that no event is made: the first one makes the JDK
     * load some hundred classes, for nothing.
     */
    static boolean isOn() {
        return FlightRecorder.isInitialized();
    }
}
