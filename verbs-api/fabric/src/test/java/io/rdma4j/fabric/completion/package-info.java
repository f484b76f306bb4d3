/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Completion queues by themselves: reports, formats, waiting, and what idle endpoints cost. */
package io.rdma4j.fabric.completion;
