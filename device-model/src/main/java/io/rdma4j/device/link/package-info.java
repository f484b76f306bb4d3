/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * How an operation reaches its peer. A {@link io.rdma4j.device.link.Port} is a device on the link, found by GID; a
 * {@link io.rdma4j.device.link.Message} is what one work request says to it. Today both ends are in one JVM and the
 * bytes are copied once, from the sender's pages to the receiver's; a link of packets fits behind the same interfaces.
 */
package io.rdma4j.device.link;
