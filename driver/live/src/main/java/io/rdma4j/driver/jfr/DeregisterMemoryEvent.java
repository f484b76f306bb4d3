/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Memory was deregistered. */
@Name("io.rdma4j.DeregisterMemory")
@Label("Deregister Memory")
@Description("A memory region was taken from the device")
@Category({RdmaEvent.GROUP, RdmaEvent.CONTROL})
final class DeregisterMemoryEvent extends MemoryEvent {
}
