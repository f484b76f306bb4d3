/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Registered memory: realms, regions, keys that peers look up, raw keys, asynchronous registration. */
package io.rdma4j.fabric.region;
