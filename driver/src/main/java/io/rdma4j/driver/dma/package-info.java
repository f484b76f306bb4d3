/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Memory that a device can reach.
 *
 * <p>From the bottom up: {@link io.rdma4j.driver.dma.IovaAllocator} hands out bus addresses,
 * {@link io.rdma4j.driver.dma.IommuDmaDomain} joins them with memory through an {@link io.rdma4j.driver.dma.Iommu},
 * {@link io.rdma4j.driver.dma.DmaArena} cuts such memory into pages, and {@link io.rdma4j.driver.dma.PageDirectory}
 * writes the two-level table by which the device finds pages.
 */
package io.rdma4j.driver.dma;
