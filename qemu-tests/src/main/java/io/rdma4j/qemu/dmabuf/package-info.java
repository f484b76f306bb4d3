/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** dma-bufs of a real kernel: exported by vgem in the guest, used by the emulated device. */
package io.rdma4j.qemu.dmabuf;
