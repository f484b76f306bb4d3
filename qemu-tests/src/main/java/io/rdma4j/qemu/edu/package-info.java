/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * VFIO against a real kernel and QEMU's {@code edu}, the simplest device that has a register window, DMA and message
 * interrupts. Everything of the VFIO layer that does not need an RDMA device shows here, in seconds.
 */
package io.rdma4j.qemu.edu;
