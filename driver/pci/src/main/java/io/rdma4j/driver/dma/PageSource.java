/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

/** Gives out memory of one kind. Thread-safe. */
interface PageSource {
    /**
     * Allocates, zeroes and touches. The kernel may have put smaller pages under what should be transparent hugepages:
     * then the block says so.
     *
     * @param kind   of the pages.
     * @param length of the buffer, in whole pages of 4 KiB.
     * @return the memory.
     * @throws io.rdma4j.RdmaException if there is none of that kind.
     */
    HostBlock allocate(PageKind kind, int length);

    /**
     * The same, in memory that other processes can read where that is possible with pages of that kind.
     *
     * @param kind   of the pages.
     * @param length of the buffer, in whole pages of 4 KiB.
     * @return the memory.
     * @throws io.rdma4j.RdmaException if there is none of that kind.
     */
    HostBlock allocateShared(PageKind kind, int length);

    /**
     * What is there of a kind, and how to get more.
     *
     * @param kind   of pages.
     * @param length that was wanted.
     * @return a sentence or two for a message.
     */
    String advice(PageKind kind, long length);

    /**
     * Bytes of a kind that nobody but late users needs, and that come back when the garbage collector runs.
     *
     * @param kind of pages.
     * @return bytes, 0 if it would be useless to wait.
     */
    long retiredBytes(PageKind kind);

    /**
     * Bytes of a kind that were ever retired, also those that came back.
     *
     * @param kind of pages.
     * @return bytes; it only grows.
     */
    long retiredEver(PageKind kind);

    /**
     * Bytes of a kind that nobody has and nobody was promised.
     *
     * @param kind of pages.
     * @return bytes; {@link Long#MAX_VALUE} if that is not known.
     */
    long freeBytes(PageKind kind);
}
