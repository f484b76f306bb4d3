/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What only two processes can show. */
package io.rdma4j.fabric.process;
