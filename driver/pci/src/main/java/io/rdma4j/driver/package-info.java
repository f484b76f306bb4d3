/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What a userspace driver is made of, whatever the device. {@link io.rdma4j.driver.pci} is the seam to any PCI
 * function, {@code io.rdma4j.driver.dma} the memory that a device can reach.
 * {@code io.rdma4j.driver.vfio} gets functions from Linux, by the system calls of {@code io.rdma4j.driver.libc};
 * {@code io.rdma4j.driver.sysfs} knows which functions a machine has, and who has them.
 */
package io.rdma4j.driver;
