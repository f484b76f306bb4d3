/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Administration of the machine: what it lacks to give a device to user space, and giving it. */
package io.rdma4j.tools.host;
