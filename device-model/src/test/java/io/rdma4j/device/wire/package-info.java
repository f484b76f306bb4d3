/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Tests of what carries frames. */
package io.rdma4j.device.wire;
