/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What a process lets others see of its open devices, without being stopped or slowed: a file of counters, errors,
 * commands and objects for each device, and the device's own memory (rings, tables) as a shared file beside it.
 *
 * <p>What objects there are, and what their numbers mean, is known to those who define their kinds
 * ({@link io.rdma4j.base.LiveKind}) and to readers that ask for them, and not here.
 *
 * <p>The writing side is {@link io.rdma4j.driver.live.LivePublisher}, of which each open device has one; the reading
 * side is {@link io.rdma4j.driver.live.LiveView}, which any process of the same user can open. What is in the file is
 * for readers only: the driver never reads it back, so that whoever writes to it can mislead tools and nobody else.
 */
package io.rdma4j.driver.live;
