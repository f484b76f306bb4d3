/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Discovery: what devices there are, what they can do for the fabric interfaces, and what that asks of applications.
 * The rules are pure: {@code DeviceTraits} is all that they know of a device.
 */
package io.rdma4j.fabric.info;
