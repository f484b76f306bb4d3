/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Calls into the C library about stream sockets of this machine ({@code AF_UNIX}). They do what Java's cannot: a
 * message takes open files along. The rules are those of {@link Libc}. No socket blocks; sending and receiving answer
 * instead of throwing.
 */
public final class LocalSockets {
    /** Bytes of a path, without the NUL that ends it ({@code sun_path} has 108). */
    public static final int MAX_PATH = 107;

    private static final String LISTEN = "listen at socket";
    private static final int AF_UNIX = 1;
    private static final int SIZEOF_SOCKADDR_UN = 110;
    private static final int PATH_OFFSET = 2;
    private static final int SOCK_STREAM = 1;
    private static final int FLAGS = LibcConstants.O_NONBLOCK | LibcConstants.O_CLOEXEC;
    private static final int S_IFMT = 0170000;
    private static final int S_IFSOCK = 0140000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x4000_0000;

    private LocalSockets() {
    }

    /** The two calls that take a name. */
    @FunctionalInterface
    private interface NameCall {
        int apply(int fd, long address, int length);
    }

    /**
     * Makes a socket that others can connect to. Its file is to be removed by whoever made it.
     *
     * @param path    of the file; must not be there
     * @param backlog how many may wait to be accepted
     * @return the owner
     * @throws RdmaException EADDRINUSE if there is such a file, EINVAL for a path that is too long, and those of the
     *                       folder
     */
    public static Fd listen(final String path, final int backlog) {
        final Calls calls = Calls.bound(LISTEN);
        final Fd socket = named(LISTEN, path, calls::bind);
        if (calls.listen(socket.fd(), backlog) < 0) {
            final RdmaException failure = failure(LISTEN, Native.getLastError(), path);
            socket.close();
            throw failure;
        }
        return socket;
    }

    /**
     * Connects to a socket.
     *
     * @param path of its file
     * @return the owner of this end
     * @throws RdmaException ENOENT if there is no such file, ECONNREFUSED if nobody listens, EAGAIN if too many wait
     */
    public static Fd connect(final String path) {
        return named("connect", path, Calls.bound("connect")::connect);
    }

    private static Fd named(final String call, final String path, final NameCall apply) {
        final UnsafeBuffer text = CString.of(call, path);
        final int length = text.capacity() - 1;
        if (length > MAX_PATH) {
            throw RdmaException.of(call).object(path).detail("the path of a socket has at most %d bytes, this one %d",
                MAX_PATH, length).errno(RdmaException.EINVAL).hint("put it into a folder with a shorter name").build();
        }
        final UnsafeBuffer name = new UnsafeBuffer(ByteBuffer.allocateDirect(SIZEOF_SOCKADDR_UN));
        name.putShort(0, (short) AF_UNIX);
        name.putBytes(PATH_OFFSET, text, 0, length);
        final int fd = Calls.bound(call).socket(AF_UNIX, SOCK_STREAM | FLAGS, 0);
        if (fd < 0) {
            throw Libc.failure("socket", Native.getLastError()).detail("local, for %s", path).build();
        }
        final Fd socket = Fd.of(fd, path);
        final int result = apply.apply(fd, name.addressOffset(), SIZEOF_SOCKADDR_UN);
        if (result < 0) {
            final RdmaException failure = failure(call, Native.getLastError(), path);
            socket.close();
            throw failure;
        }
        Reference.reachabilityFence(name);
        return socket;
    }

    private static RdmaException failure(final String call, final int errno, final String path) {
        final RdmaException.Builder failure = Libc.failure(call, errno).object(path);
        if (call.equals(LISTEN) && errno == RdmaException.ENOENT) {
            failure.detail("there is no folder '%s'", Path.of(path).toAbsolutePath().getParent())
                .hint("make it, or name another");
        } else if (call.equals(LISTEN) && errno == RdmaException.EADDRINUSE) {
            final boolean isSocket = isSocket(path);
            failure.detail("%s", isSocket ? "another process serves there" : "it is there, and is no socket")
                .hint(isSocket ? "end that process, or take another path" : "remove it, or take another path");
        }
        return failure.build();
    }

    private static boolean isSocket(final String path) {
        try {
            return ((int) Files.getAttribute(Path.of(path), "unix:mode", LinkOption.NOFOLLOW_LINKS) & S_IFMT)
                == S_IFSOCK;
        } catch (final IOException e) {
            return false;
        }
    }

    /**
     * Takes the next that has connected.
     *
     * @param fd a socket that listens
     * @return the owner of this end; null if nobody is there
     * @throws RdmaException EMFILE if the process has too many files
     */
    public static Fd accept(final int fd) {
        Checks.fd("accept4", fd);
        final Calls calls = Calls.bound("accept4");
        while (true) {
            final int accepted = calls.accept4(fd, 0, 0, FLAGS);
            if (accepted >= 0) {
                return Fd.of(accepted, "connection");
            }
            final int errno = Native.getLastError();
            if (errno == RdmaException.EAGAIN || errno == Errno.ECONNABORTED) {
                return null;
            }
            if (errno != Errno.EINTR) {
                throw Libc.failure("accept4", errno).detail("fd %d", fd).build();
            }
        }
    }

    /**
     * Sends bytes, and files with the first of them.
     *
     * @param fd     the socket
     * @param from   off-heap
     * @param offset of the first byte
     * @param length bytes, above 0
     * @param files  open file descriptors, at most {@link PassedFiles#MAX}
     * @return how many bytes went, and then the files went, too; or the negative errno why none did
     * @throws RdmaException EINVAL or EBADF for arguments that cannot be
     */
    public static int send(final int fd, final DirectBuffer from, final int offset, final int length,
            final int... files) {
        final long address = address("sendmsg", fd, from, offset, length);
        final Calls calls = Calls.bound("sendmsg");
        final SocketMessage message = new SocketMessage(address, length);
        message.pass(files);
        while (true) {
            final long sent = calls.sendmsg(fd, message.address(), MSG_DONTWAIT | MSG_NOSIGNAL);
            final int errno = sent < 0 ? Native.getLastError() : 0;
            if (errno != Errno.EINTR) {
                Reference.reachabilityFence(message);
                Reference.reachabilityFence(from);
                return sent < 0 ? -errno : (int) sent;
            }
        }
    }

    /**
     * Receives bytes, and the files that came with them.
     *
     * @param fd     the socket
     * @param to     off-heap
     * @param offset where the first byte goes
     * @param length bytes at most, above 0
     * @param files  gets what came
     * @return how many bytes came, 0 at the end of the stream; or a negative errno, EAGAIN if there is nothing
     * @throws RdmaException EINVAL or EBADF for arguments that cannot be
     */
    public static int receive(final int fd, final DirectBuffer to, final int offset, final int length,
            final PassedFiles files) {
        final long address = address("recvmsg", fd, to, offset, length);
        final Calls calls = Calls.bound("recvmsg");
        final SocketMessage message = files.message();
        message.prepare(address, length);
        while (true) {
            final long came = calls.recvmsg(fd, message.address(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
            final int errno = came < 0 ? Native.getLastError() : 0;
            if (errno != Errno.EINTR) {
                if (came >= 0) {
                    files.take();
                }
                Reference.reachabilityFence(to);
                return came < 0 ? -errno : (int) came;
            }
        }
    }

    private static long address(final String call, final int fd, final DirectBuffer buffer, final int offset,
            final int length) {
        Checks.fd(call, fd);
        final long start = Checks.offHeap(call, buffer, 0);
        if (length <= 0 || offset < 0 || offset > buffer.capacity() - length) { // Unboxed: called for each message.
            throw Checks.invalid(call, "%d bytes at %d of a buffer of %d", length, offset, buffer.capacity());
        }
        return start + offset;
    }
}
