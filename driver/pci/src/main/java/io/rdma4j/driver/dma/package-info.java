/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Memory that a device can reach.
 *
 * <p>From the bottom up: {@link io.rdma4j.driver.dma.HostMemory} takes memory of the process in the largest pages that
 * can be had, {@link io.rdma4j.driver.dma.IovaAllocator} hands out bus addresses,
 * {@link io.rdma4j.driver.dma.IommuDmaDomain} joins them through an {@link io.rdma4j.driver.dma.Iommu} and lets regions
 * share mappings, {@link io.rdma4j.driver.dma.PageMappings} has it map pages in any order, and
 * {@link io.rdma4j.driver.dma.DmaArena} cuts such memory into pages. The tables by which a device finds pages are the
 * business of its own driver.
 *
 * <p>Beside them: {@link io.rdma4j.driver.dma.PagePins} and {@link io.rdma4j.driver.dma.PinningIommu} keep pages in
 * memory where the IOMMU does not, {@link io.rdma4j.driver.dma.MemlockLimit} says in time that the limit is too low,
 * and {@link io.rdma4j.driver.memory.ProcessMaps} which byte is not there.
 */
package io.rdma4j.driver.dma;
