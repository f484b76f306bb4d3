/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What every room of the emulated device needs: options, quirks, limits, identity, counters, locks. */
package io.rdma4j.device.common;
