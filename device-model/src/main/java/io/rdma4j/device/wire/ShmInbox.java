/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.driver.libc.Futex;
import io.rdma4j.driver.state.SealedMemory;

import java.io.IOException;
import java.lang.invoke.VarHandle;

import org.agrona.UnsafeApi;

/**
 * By which a carrier is called: a page of shared memory of its own, in which peers write. It has no frames and nothing
 * by which a ring is found; the worst that garbage does to others is that they are woken for nothing, or 50 ms late.
 *
 * <pre>
 *     0  magic            8  nonce
 *   128  asleep (int): 1 while the owner sleeps or is about to; whoever sets it to 0 wakes it by futex(2)
 *   256  knocks (int): counts up when there is a new ring for the owner
 * </pre>
 */
final class ShmInbox implements AutoCloseable {
    private static final long MAGIC = 0x52444d41_344a4931L;
    private static final int LENGTH = 4096;
    private static final int MOST = 64 * 1024;
    private static final int NONCE_OFFSET = 8;
    private static final int ASLEEP_OFFSET = 128;
    private static final int KNOCKS_OFFSET = 256;

    private final SealedMemory memory;
    private final long asleep;
    private final long knocks;
    private final Futex futex;

    private ShmInbox(final SealedMemory memory) {
        this.memory = memory;
        asleep = memory.address() + ASLEEP_OFFSET;
        knocks = memory.address() + KNOCKS_OFFSET;
        futex = new Futex(asleep);
    }

    static ShmInbox create(final long nonce) {
        final SealedMemory made = SealedMemory.create("rdma4j-inbox", LENGTH);
        UnsafeApi.putLong(made.address(), MAGIC);
        UnsafeApi.putLong(made.address() + NONCE_OFFSET, nonce);
        return new ShmInbox(made);
    }

    /** Of a peer. */
    static ShmInbox open(final int pid, final int descriptor, final long nonce) throws IOException {
        final SealedMemory opened = SealedMemory.open(pid, descriptor, LENGTH, MOST);
        if (UnsafeApi.getLong(opened.address()) != MAGIC
            || UnsafeApi.getLong(opened.address() + NONCE_OFFSET) != nonce) {
            opened.close();
            throw new IOException("descriptor " + descriptor + " of process " + pid + " is not its inbox");
        }
        return new ShmInbox(opened);
    }

    int descriptor() {
        return memory.descriptor();
    }

    int knocks() {
        return UnsafeApi.getIntVolatile(null, knocks);
    }

    void knock() {
        UnsafeApi.getAndAddInt(null, knocks, 1);
        wake();
    }

    /**
     * Wakes the owner if it sleeps; no system call otherwise. What was published before is seen by the owner, which
     * looks once more after it has said that it sleeps: each side writes, then looks what the other one wrote.
     */
    void wake() {
        // Meets the fence in announceSleep: either the owner sees what was published, or it is seen to sleep.
        VarHandle.fullFence();
        if (UnsafeApi.getInt(asleep) == 1 && UnsafeApi.compareAndSetInt(null, asleep, 1, 0)) {
            futex.wake();
        }
    }

    /** By the owner: whoever publishes something from now on wakes it. Afterwards it looks once more. */
    void announceSleep() {
        UnsafeApi.putInt(asleep, 1);
        // Meets the fence in wake.
        VarHandle.fullFence();
    }

    /** By the owner: sleeps, unless somebody woke it since it said so; returns whether somebody did. */
    boolean sleep(final long nanos) {
        futex.await(1, nanos);
        return UnsafeApi.getIntVolatile(null, asleep) == 0;
    }

    /** By the owner: nobody needs to wake it. */
    void endSleep() {
        UnsafeApi.putIntRelease(null, asleep, 0);
    }

    @Override
    public void close() {
        memory.close();
    }
}
