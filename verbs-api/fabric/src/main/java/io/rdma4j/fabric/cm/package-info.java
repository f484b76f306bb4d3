/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * How connections come about: datagrams that are never trusted, passive endpoints, and the handshakes of MSG endpoints
 * and of the links between RDM endpoints.
 */
package io.rdma4j.fabric.cm;
