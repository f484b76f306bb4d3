/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The device was given up. */
@Name("io.rdma4j.DeviceFailed")
@Label("Device Failed")
@Description("The device was given up")
@Category({RdmaEvent.GROUP, RdmaEvent.ERRORS})
final class DeviceFailedEvent extends RdmaEvent {
    @Label("Reason")
    String reason;

    @Label("Hint")
    @Description("What can be done about it")
    String hint;
}
