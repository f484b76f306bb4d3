/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A device was closed. */
@Name("io.rdma4j.CloseDevice")
@Label("Close Device")
@Description("A device was closed, or that was tried")
@Category({RdmaEvent.GROUP, RdmaEvent.CONTROL})
final class CloseDeviceEvent extends DeviceEvent {
}
