/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Where operations of all kinds of endpoints complete: rings of operations, reports, completion queues, waiting. */
package io.rdma4j.fabric.completion;
