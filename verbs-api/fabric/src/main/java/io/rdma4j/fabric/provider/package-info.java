/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** The provider of fabrics over verbs: joins discovery, regions, endpoints and queues. */
package io.rdma4j.fabric.provider;
