/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** A driver for tests that pokes the device as raw hardware: no part of the real driver checks or repairs anything. */
package io.rdma4j.device.raw;
