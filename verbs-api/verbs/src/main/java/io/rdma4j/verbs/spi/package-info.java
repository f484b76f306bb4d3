/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What a provider of RDMA devices implements to stand beside the one that comes with rdma4j. */
package io.rdma4j.verbs.spi;
