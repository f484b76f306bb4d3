/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * PCI functions through Linux VFIO, by the group interface of {@code linux/vfio.h}.
 *
 * <p>From the bottom up: {@code VfioSystem} makes the calls; structs such as {@code RegionInfo} and {@code IommuInfo}
 * read and write what they carry; {@code VfioContainer}, {@code VfioGroup} and {@code VfioDevice} own a file each;
 * {@code GroupSessions} lets the functions of one IOMMU group share it; {@code VfioPciDevice} joins them to what
 * {@link io.rdma4j.driver.pci.PciDevice} asks for. {@code OpenFailures} is the list of what can be wrong with a
 * machine.
 */
package io.rdma4j.driver.vfio;
