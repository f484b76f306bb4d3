/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** What all events have. */
abstract class RdmaEvent extends Event {
    static final String GROUP = "rdma4j";
    static final String CONTROL = "Control";
    static final String DEVICE = "Device";
    static final String ERRORS = "Errors";

    @Label("Device")
    @Description("Address that the device was opened by")
    String device;
}
