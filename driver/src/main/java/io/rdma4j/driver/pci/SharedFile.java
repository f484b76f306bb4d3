/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * Where other processes find memory of this one.
 *
 * @param path   of a file that they can open, if they may read this process.
 * @param offset where in the file the memory begins, in bytes.
 */
public record SharedFile(String path, long offset) {
}
