/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the stress tests need of the classes that this package keeps to itself. */
package io.rdma4j.device.wire;
