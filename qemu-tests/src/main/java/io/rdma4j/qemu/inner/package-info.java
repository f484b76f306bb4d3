/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * A machine inside the fabric guest that has pvrdma behind an IOMMU and VFIO. {@link io.rdma4j.qemu.inner.InnerImage}
 * makes on this host what it boots from, {@link io.rdma4j.qemu.inner.InnerGuest} boots it where the device is, and
 * {@link io.rdma4j.qemu.inner.InnerSuiteMain} gives its JVMs their jobs.
 */
package io.rdma4j.qemu.inner;
