/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Connected endpoints: their lanes, the keys of their peers, and the queues in which operations complete. */
package io.rdma4j.fabric.endpoint;
