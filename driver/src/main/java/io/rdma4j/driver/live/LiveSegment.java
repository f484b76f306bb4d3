/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

/**
 * A piece of the device's own memory (rings, tables, slots) that other processes can read.
 *
 * @param iova    where the device sees its first byte.
 * @param address where the process sees it.
 * @param length  bytes.
 * @param file    what to open to read it; empty if it is not shared.
 * @param offset  where in the file it begins.
 */
public record LiveSegment(long iova, long address, long length, String file, long offset) {
}
