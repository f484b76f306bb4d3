/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What a process that was killed leaves in QEMU's device, which keeps its objects over a reset, and that the next one
 * to open the device destroys it. {@link io.rdma4j.qemu.leftovers.LeftoversMain} runs inside the fabric guest and kills
 * {@link io.rdma4j.qemu.leftovers.Victim}.
 */
package io.rdma4j.qemu.leftovers;
