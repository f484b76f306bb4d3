/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Programs that the harness runs: with deadlines, with their output kept, and never left behind.
 */
package io.rdma4j.qemu.process;
