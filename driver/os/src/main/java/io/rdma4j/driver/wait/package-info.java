/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** File descriptors that threads outside of the JVM's own waits can wait for. */
package io.rdma4j.driver.wait;
