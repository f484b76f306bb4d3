/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Serves a function of the model to another process by the vfio-user protocol: QEMU plugs it into a guest, whose own
 * driver drives it. {@link io.rdma4j.device.vfiouser.VfioUserServer} is the entrance; docs/adr/0047 says why it is as
 * it is.
 *
 * <p>The protocol is that of QEMU's docs/interop/vfio-user.rst, versions 0.0 and 0.1.
 */
package io.rdma4j.device.vfiouser;
