/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The wire: what carries packets between devices of several processes and hosts. {@link io.rdma4j.device.wire.Carrier}
 * is the seam; the transport itself is in the engine.
 */
package io.rdma4j.device.wire;
