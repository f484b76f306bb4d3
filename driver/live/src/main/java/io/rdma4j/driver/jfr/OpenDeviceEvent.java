/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A device was opened. */
@Name("io.rdma4j.OpenDevice")
@Label("Open Device")
@Description("A device was opened, or that was tried")
@Category({RdmaEvent.GROUP, RdmaEvent.CONTROL})
final class OpenDeviceEvent extends DeviceEvent {
}
