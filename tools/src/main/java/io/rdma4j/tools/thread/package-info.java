/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Threads of commands: ends that answer while the command's own thread measures. */
package io.rdma4j.tools.thread;
