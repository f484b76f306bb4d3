/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * Where other processes find memory of this one, if they may read this process.
 *
 * @param descriptor of this process: a memfd that is sealed against shrinking, open as long as the memory is there.
 * @param offset     where in the file the memory begins, in bytes.
 */
public record SharedFile(int descriptor, long offset) {
}
