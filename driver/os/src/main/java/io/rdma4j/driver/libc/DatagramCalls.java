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
 * Calls into the C library about datagram sockets of IPv4 and IPv6. They do what Java's sockets cannot: many datagrams
 * a call, without an object for any, with the fields of the network header. The rules are those of {@link Libc};
 * sending and receiving answer instead of throwing, and allocate nothing.
 */
public final class DatagramCalls {
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_NONBLOCK = LibcConstants.O_NONBLOCK;
    private static final int SOCK_CLOEXEC = LibcConstants.O_CLOEXEC;
    private static final int MSG_DONTWAIT = 0x40;

    private DatagramCalls() {
    }

    /**
     * Makes a socket that does not block.
     *
     * @param ipv6 which of the two families
     * @return the owner
     * @throws RdmaException EMFILE if the process has too many files, EAFNOSUPPORT if the kernel lacks the family
     */
    public static Fd open(final boolean ipv6) {
        final int family = ipv6 ? DatagramBatch.AF_INET6 : DatagramBatch.AF_INET;
        final int fd = Calls.bound("socket").socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            throw Libc.failure("socket", Native.getLastError()).detail("datagrams, family %d", family).build();
        }
        return Fd.of(fd, "socket");
    }

    /**
     * Sets an option.
     *
     * @param fd     the socket
     * @param option which
     * @param value  its value
     * @throws RdmaException ENOPROTOOPT if the kernel or the family has no such option
     */
    public static void set(final int fd, final DatagramOption option, final int value) {
        final int errno = trySet(fd, option, value);
        if (errno != 0) {
            throw Libc.failure("setsockopt", errno).object(option).detail("fd %d, value %d", fd, value).build();
        }
    }

    /**
     * Sets an option if that is allowed.
     *
     * @param fd     the socket
     * @param option which
     * @param value  its value
     * @return 0, or the errno
     * @throws RdmaException EBADF for a negative descriptor
     */
    public static int trySet(final int fd, final DatagramOption option, final int value) {
        Checks.fd("setsockopt", fd);
        final Calls calls = Calls.bound("setsockopt");
        final UnsafeBuffer word = new UnsafeBuffer(ByteBuffer.allocateDirect(Integer.BYTES));
        word.putInt(0, value);
        final int result = calls.setsockopt(fd, option.level(), option.number(), word.addressOffset(), Integer.BYTES);
        final int errno = result < 0 ? Native.getLastError() : 0;
        Reference.reachabilityFence(word);
        return errno;
    }

    /**
     * Gives a socket its address.
     *
     * @param fd    the socket
     * @param batch whose first message is addressed to it
     * @throws RdmaException EADDRINUSE if somebody else has it, EADDRNOTAVAIL if this host has no such address
     */
    public static void bind(final int fd, final DatagramBatch batch) {
        Checks.fd("bind", fd);
        if (Calls.bound("bind").bind(fd, batch.nameAddress(0), batch.nameLength(0)) < 0) {
            throw Libc.failure("bind", Native.getLastError()).detail("fd %d", fd).build();
        }
        Reference.reachabilityFence(batch);
    }

    /**
     * Sends some messages of a batch. They go in turn, up to the first that cannot.
     *
     * @param fd    the socket
     * @param batch the messages
     * @param first index of the first
     * @param count how many
     * @return how many went; or the negative errno why the first did not
     */
    public static int send(final int fd, final DatagramBatch batch, final int first, final int count) {
        final Calls calls = Calls.bound("sendmmsg");
        final long messages = batch.messageAddress(first, count);
        while (true) {
            final int sent = calls.sendmmsg(fd, messages, count, MSG_DONTWAIT);
            if (sent >= 0) {
                Reference.reachabilityFence(batch);
                return sent;
            }
            final int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    /**
     * Receives what has come into the first messages of a batch, which must have room ({@link DatagramBatch#prepare}).
     *
     * @param fd    the socket
     * @param batch for the messages
     * @param count how many at most
     * @return how many came; or a negative errno, EAGAIN if there was none
     */
    public static int receive(final int fd, final DatagramBatch batch, final int count) {
        final Calls calls = Calls.bound("recvmmsg");
        final int came = calls.recvmmsg(fd, batch.messageAddress(0, count), count, MSG_DONTWAIT, 0);
        final int answer = came < 0 ? -Native.getLastError() : came;
        Reference.reachabilityFence(batch);
        return answer;
    }
}
