/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Linux' own driver on the emulated device: a guest of a QEMU that plugs in devices by vfio-user, and this process that
 * serves them. {@link io.rdma4j.qemu.linux.ServedGuest} is both.
 */
package io.rdma4j.qemu.linux;
