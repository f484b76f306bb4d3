/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.SharedFile;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/** Gives the memory of a block back when nobody holds it any more, and keeps the account of what waits for that. */
final class Reclaim implements Runnable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Runnable giveBack;
    private final long bytes;
    private final Account account;
    private boolean counted;
    private boolean gone;

    /** How much of one kind waits for the garbage collector, and how much ever did. */
    static final class Account {
        private final AtomicLong now = new AtomicLong();
        private final AtomicLong ever = new AtomicLong();

        long now() {
            return now.get();
        }

        long ever() {
            return ever.get();
        }

        private void add(final long bytes) {
            now.addAndGet(bytes);
            ever.addAndGet(bytes);
        }

        private void remove(final long bytes) {
            now.addAndGet(-bytes);
        }
    }

    /** What is mapped, where in it the block begins, and where others find it; null if they do not. */
    record Place(MappedMemory mapping, long address, SharedFile shared) {
    }

    private Reclaim(final Runnable giveBack, final long bytes, final Account account) {
        this.giveBack = giveBack;
        this.bytes = bytes;
        this.account = account;
    }

    /**
     * Makes a block.
     *
     * @param place    where it is.
     * @param length   of the buffer, in bytes.
     * @param pages    what it consists of; the mapping is as long as whole pages of the kind that was asked for.
     * @param mapped   bytes to the end of the last page.
     * @param giveBack unmaps it, and whatever else is due.
     * @param account  of the kind that was asked for.
     */
    static HostBlock block(
        final Place place, final int length, final PageKind pages, final long mapped, final Runnable giveBack,
        final Account account) {
        final ByteBuffer memory = Libc.directBuffer(place.address, length);
        final Reclaim reclaim = new Reclaim(giveBack, mapped, account);
        final HostBlock block = new HostBlock(memory, mapped, pages, reclaim::retire, place.shared);
        CLEANER.register(memory, reclaim);
        return block;
    }

    private synchronized void retire() {
        if (!counted && !gone) {
            counted = true;
            account.add(bytes);
        }
    }

    @Override
    public synchronized void run() {
        gone = true;
        giveBack.run();
        if (counted) {
            account.remove(bytes);
        }
    }
}
