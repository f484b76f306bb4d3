/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.List;

/**
 * A shared address vector as {@link Fabrics#sharedVectors} saw it, from outside. Immutable.
 *
 * @param name       its name.
 * @param domain     name of the domain that it belongs to.
 * @param file       where it is.
 * @param type       MAP or TABLE.
 * @param format     how addresses are written.
 * @param rxCtxBits  bits of an address that name a receive context.
 * @param mapAddress base of addresses.
 * @param capacity   places that its file has now; it grows with what is inserted.
 * @param size       addresses in it.
 * @param maker      process that made it.
 * @param isOpen     whether a process has it open; else all that had were killed.
 * @param problem    what is wrong with the file: then all but the file says nothing; null if nothing is.
 * @param entries    addresses, if they were asked for.
 */
public record SharedVector(
    String name, String domain, String file, AvType type, AddressFormat format, int rxCtxBits, long mapAddress,
    int capacity, long size, long maker, boolean isOpen, String problem, List<Entry> entries) {

    /**
     * One address.
     *
     * @param place    where it is.
     * @param fiAddr   what it is called.
     * @param inserted as it was inserted.
     * @param device   the endpoint that it stands for.
     */
    public record Entry(int place, long fiAddr, FabricAddress inserted, FabricAddress device) {
    }

    /**
     * A file that cannot be read.
     *
     * @param file    where it is.
     * @param problem what is wrong with it.
     * @return a vector of which nothing else is known.
     */
    public static SharedVector unreadable(final String file, final String problem) {
        return new SharedVector(
            null, null, file, null, null, 0, 0, 0, 0, 0, false, problem, List.of());
    }
}
