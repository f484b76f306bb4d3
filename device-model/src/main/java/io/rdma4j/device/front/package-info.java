/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The device as the bus shows it: configuration space, BARs, the shared region, the command channel, event rings and
 * MSI-X vectors. Byte for byte what a pvrdma driver expects; what the requests do is the engine's business.
 */
package io.rdma4j.device.front;
