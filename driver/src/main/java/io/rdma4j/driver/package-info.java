/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The userspace driver. {@link io.rdma4j.driver.pci} is the seam to any PCI function, {@code io.rdma4j.driver.dma}
 * the memory that a device can reach, {@code io.rdma4j.driver.pvrdma} the driver of the pvrdma device.
 */
package io.rdma4j.driver;
