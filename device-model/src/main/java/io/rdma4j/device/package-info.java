/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The emulated device: a pvrdma NIC in software behind {@link io.rdma4j.driver.pci.PciDevice}.
 *
 * <p>It is built in rooms, each of which knows only those below it:
 *
 * <pre>
 *   device          opens, closes and finds devices; assembles the rooms
 *     front         configuration space, registers, command channel, doorbells, MSI-X
 *       engine      protection domains, regions, queue pairs, completion queues; what a work request does
 *         link      how an operation reaches the peer
 *           memory  IOMMU, page tables, the copying of bytes
 *             common  options, quirks, limits, counters
 * </pre>
 *
 * <p>The driver is treated as hostile: no index, address, count or length that it wrote is used before it was checked.
 */
package io.rdma4j.device;
