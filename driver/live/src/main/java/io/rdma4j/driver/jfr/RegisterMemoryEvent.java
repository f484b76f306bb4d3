/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Memory was registered. */
@Name("io.rdma4j.RegisterMemory")
@Label("Register Memory")
@Description("A memory region was made known to the device, or that was tried")
@Category({RdmaEvent.GROUP, RdmaEvent.CONTROL})
final class RegisterMemoryEvent extends MemoryEvent {
}
