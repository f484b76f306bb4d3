/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The host as the kernel shows it below {@code /sys} and {@code /proc}: which PCI functions there are, which driver has
 * them, and whether the machine is ready for VFIO. Plain files: no native code.
 *
 * <p>{@link io.rdma4j.driver.sysfs.PciSysfs} lists functions and gives them to another driver,
 * {@link io.rdma4j.driver.sysfs.HostFacts} tells of IOMMU, VFIO, huge pages and limits. Both read below a root folder,
 * and take what they read for a guess: files are missing, unreadable or gone a moment later.
 */
package io.rdma4j.driver.sysfs;
