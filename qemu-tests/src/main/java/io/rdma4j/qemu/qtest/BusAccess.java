/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

/**
 * What a processor can do to the buses of a PC: accesses to I/O ports and to memory addresses.
 */
interface BusAccess {
    /**
     * Reads an I/O port.
     *
     * @param port 0 to 0xffff.
     * @param size 1, 2 or 4.
     * @return the value, zero-extended.
     */
    int portRead(int port, int size);

    /**
     * Writes an I/O port.
     *
     * @param port  0 to 0xffff.
     * @param size  1, 2 or 4.
     * @param value bits above the size are ignored.
     */
    void portWrite(int port, int size, int value);

    /**
     * Reads 32 bits from a memory address.
     *
     * @param address a multiple of 4.
     * @return the value.
     */
    int memoryRead(long address);

    /**
     * Writes 32 bits to a memory address.
     *
     * @param address a multiple of 4.
     * @param value   the value.
     */
    void memoryWrite(long address, int value);
}
