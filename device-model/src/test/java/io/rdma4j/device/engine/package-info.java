/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Tests of the engine's own parts. */
package io.rdma4j.device.engine;
