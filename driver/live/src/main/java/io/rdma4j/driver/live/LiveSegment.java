/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

/**
 * A piece of the device's own memory (rings, tables, slots) that other processes can read.
 *
 * @param iova       where the device sees its first byte.
 * @param address    where the process sees it.
 * @param length     bytes.
 * @param descriptor of the process: the sealed memfd that has it; {@link #UNSHARED} if others cannot read it.
 * @param offset     where in the file it begins.
 */
public record LiveSegment(long iova, long address, long length, int descriptor, long offset) {
    /** In place of a descriptor. */
    public static final int UNSHARED = -1;

}
