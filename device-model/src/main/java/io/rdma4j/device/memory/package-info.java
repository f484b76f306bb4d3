/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** How the device reaches host memory: its IOMMU, translations kept by rings and regions, and the copying of bytes. */
package io.rdma4j.device.memory;
