/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * PCI configuration space of one function, little endian. Offsets and sizes are those of the PCI specification;
 * {@code io.rdma4j.hw.pci.PciConfig} names them. Control path only; one thread at a time.
 */
public interface ConfigSpace {
    /**
     * Reads one to four bytes.
     *
     * @param offset byte offset, a multiple of {@code size}, below 256.
     * @param size   1, 2 or 4.
     * @return the value, zero-extended.
     * @throws IllegalArgumentException if offset or size break the rules above.
     */
    int read(int offset, int size);

    /**
     * Writes one to four bytes.
     *
     * @param offset byte offset, a multiple of {@code size}, below 256.
     * @param size   1, 2 or 4.
     * @param value  the value; bits above {@code size} bytes are ignored.
     * @throws IllegalArgumentException if offset or size break the rules above.
     */
    void write(int offset, int size, int value);
}
