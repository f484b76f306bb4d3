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
 * The lock of a whole file that belongs to an open file ({@code F_OFD_SETLK}), not to the process: other opens of the
 * same file, here or elsewhere, do not have it, and closing them does not give it back, as it does with the locks of
 * {@link java.nio.channels.FileChannel}. The kernel gives it back when the open file is closed, however its process
 * ends. Asking whether somebody has it does not take it. One thread at a time.
 *
 * <p>{@code struct flock}:
 * <pre>
 *    0        2         4       8         16       24      28
 *   +--------+---------+-------+---------+--------+-------+----+
 *   | l_type |l_whence |       | l_start | l_len  | l_pid |    |
 *   +--------+---------+-------+---------+--------+-------+----+
 * </pre>
 */
public final class OpenFileLock {
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    private static final int TYPE_OFFSET = 0;
    private static final int SIZEOF_FLOCK = 32;

    private final UnsafeBuffer flock = new UnsafeBuffer(ByteBuffer.allocateDirect(SIZEOF_FLOCK));
    private final int fd;

    /**
     * Of an open file.
     *
     * @param fd its descriptor, open for reading and writing, which stays open as long as this is used
     * @throws RdmaException EBADF for a negative one
     */
    public OpenFileLock(final int fd) {
        Checks.fd("fcntl F_OFD_SETLK", fd);
        this.fd = fd;
    }

    /**
     * Takes it, unless somebody has it.
     *
     * @return whether this open file has it now
     * @throws RdmaException EINVAL if the kernel or the file system has no such locks
     */
    public boolean tryTake() {
        return call("fcntl F_OFD_SETLK", F_OFD_SETLK);
    }

    /**
     * Whether another open file has it.
     *
     * @return false if it is free, or this open file's own
     * @throws RdmaException EINVAL if the kernel or the file system has no such locks
     */
    public boolean isHeldElsewhere() {
        return !call("fcntl F_OFD_GETLK", F_OFD_GETLK) || flock.getShort(TYPE_OFFSET) != F_UNLCK;
    }

    private boolean call(final String call, final int command) {
        flock.setMemory(0, SIZEOF_FLOCK, (byte) 0); // From the first byte to the last, and the kernel wants no pid.
        flock.putShort(TYPE_OFFSET, F_WRLCK);
        if (Calls.bound(call).fcntl(fd, command, flock.addressOffset()) < 0) {
            final int errno = Native.getLastError();
            if (errno == RdmaException.EAGAIN || errno == RdmaException.EACCES) {
                return false;
            }
            throw Libc.failure(call, errno).detail("fd %d", fd).build();
        }
        Reference.reachabilityFence(flock);
        return true;
    }
}
