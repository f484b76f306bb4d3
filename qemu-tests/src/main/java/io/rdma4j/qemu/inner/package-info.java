/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The inner guest: a machine with an IOMMU in which JVMs drive QEMU's pvrdma through VFIO. It is booted on this host,
 * where that takes seconds, its JVMs are started and warmed there; then its state is saved, and it goes on inside the
 * fabric guest, where the device is.
 */
package io.rdma4j.qemu.inner;
