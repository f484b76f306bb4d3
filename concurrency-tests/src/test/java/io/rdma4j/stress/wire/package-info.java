/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Rings by which processes send each other frames: what one has written the other one sees whole, and once. */
package io.rdma4j.stress.wire;
