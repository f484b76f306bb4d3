/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

/**
 * What a key means.
 *
 * @param key        as the application has it.
 * @param rkey       the device's key.
 * @param deviceBase how the device names the first byte.
 * @param length     bytes.
 * @param fabricBase how peers name the first byte.
 * @param access     rights and the number of pieces, as {@link DirectoryLayout} has them.
 * @param cellRkey   the device's key of the event cell.
 * @param cellIova   how the device names the event cell; 0 if there is none.
 */
public record DirectoryEntry(
    long key, int rkey, long deviceBase, long length, long fabricBase, int access, int cellRkey, long cellIova) {

    /**
     * How many regions the device has in place of one.
     *
     * @return 0 if it is one; else key and base of the device are those of a table, see {@link
     *         DirectoryLayout#IN_PIECES}.
     */
    public int pieces() {
        return access >>> DirectoryLayout.PIECES_SHIFT;
    }
}
