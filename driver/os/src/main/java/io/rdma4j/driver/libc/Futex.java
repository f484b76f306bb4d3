/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sleeps until a word of shared memory changes, {@code futex(2)}: the word may be mapped by several processes, each
 * under an address of its own. Whoever wakes changes the word first; so a sleeper that comes later does not sleep. One
 * thread at a time sleeps with an instance; waking is for any thread. Nothing allocates unless it fails.
 */
public final class Futex {
    // The C library has no function for it. The numbers are those of asm/unistd_64.h and asm-generic/unistd.h.
    private static final long NUMBER = "aarch64".equals(System.getProperty("os.arch")) ? 98 : 202;
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final int TV_SEC_OFFSET = 0;
    private static final int TV_NSEC_OFFSET = 8;
    private static final int SIZEOF_TIMESPEC = 16;
    private static final long ONE_SECOND = 1_000_000_000L;

    private final UnsafeBuffer timeout = new UnsafeBuffer(ByteBuffer.allocateDirect(SIZEOF_TIMESPEC));
    private final long word;

    /**
     * For one word.
     *
     * @param word its address, aligned to 4; mapped as long as this is used
     * @throws RdmaException EINVAL for another address
     */
    public Futex(final long word) {
        Checks.range("futex", word, Integer.BYTES);
        Checks.that((word & Integer.BYTES - 1) == 0, "futex", "the word's address %#x is not aligned", word);
        this.word = word;
    }

    /**
     * Sleeps as long as the word has a value, until somebody wakes, a signal comes, or the time is over.
     *
     * @param expected the value; with another one in the word this returns at once
     * @param nanos    at most; 0 or less for not at all
     * @throws RdmaException EFAULT if the word is not mapped, ENOSYS if the kernel has no such call
     */
    public void await(final int expected, final long nanos) {
        final long atLeastZero = Math.max(0, nanos);
        timeout.putLong(TV_SEC_OFFSET, atLeastZero / ONE_SECOND);
        timeout.putLong(TV_NSEC_OFFSET, atLeastZero % ONE_SECOND);
        final long result = Calls.bound("futex").syscall(NUMBER, word, FUTEX_WAIT, expected, timeout.addressOffset());
        if (result < 0) {
            final int errno = Native.getLastError();
            if (errno != RdmaException.EAGAIN && errno != Errno.EINTR && errno != RdmaException.ETIMEDOUT) {
                throw Libc.failure("futex FUTEX_WAIT", errno).detail("word at %#x", word).build();
            }
        }
        Reference.reachabilityFence(timeout);
    }

    /**
     * Wakes one sleeper, in whatever process.
     *
     * @throws RdmaException EFAULT if the word is not mapped, ENOSYS if the kernel has no such call
     */
    public void wake() {
        if (Calls.bound("futex").syscall(NUMBER, word, FUTEX_WAKE, 1, 0) < 0) {
            throw Libc.failure("futex FUTEX_WAKE", Native.getLastError()).detail("word at %#x", word).build();
        }
    }
}
