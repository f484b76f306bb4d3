/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** {@code rdma4j stat}: the counters of open devices, again and again, as text, JSON or for Prometheus. */
package io.rdma4j.tools.stat;
