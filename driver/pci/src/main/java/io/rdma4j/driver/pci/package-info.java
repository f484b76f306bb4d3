/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The seam: what a userspace driver needs of any PCI function, and how a provider of such functions is found.
 *
 * <p>{@link io.rdma4j.driver.pci.PciDevice} is one function: configuration space, BARs, DMA, interrupts, reset.
 * {@link io.rdma4j.DeviceAddress} names it, its scheme picks the
 * {@link io.rdma4j.driver.pci.PciDeviceProvider}, and {@link io.rdma4j.driver.pci.PciDevices} opens it.
 */
package io.rdma4j.driver.pci;
