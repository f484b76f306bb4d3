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
 * @param access     rights, as {@link DirectoryLayout} has them.
 * @param cellRkey   the device's key of the event cell.
 * @param cellIova   how the device names the event cell; 0 if there is none.
 */
public record DirectoryEntry(
    long key, int rkey, long deviceBase, long length, long fabricBase, int access, int cellRkey, long cellIova) {
}
