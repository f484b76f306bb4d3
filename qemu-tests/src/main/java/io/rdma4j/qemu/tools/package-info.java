/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** The commands that administer a host, on a host: status, bind and unbind with a real kernel's sysfs. */
package io.rdma4j.qemu.tools;
