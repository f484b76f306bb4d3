/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * libfabric's interfaces in Java: discovery, memory registration, and the endpoints, queues and counters that use it.
 */
package io.rdma4j.fabric;
