/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What a provider of RDMA devices implements, and what several of them need. */
package io.rdma4j.verbs.spi;
