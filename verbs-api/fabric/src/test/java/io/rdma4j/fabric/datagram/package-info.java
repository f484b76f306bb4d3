/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Tests of endpoints for datagrams. */
package io.rdma4j.fabric.datagram;
