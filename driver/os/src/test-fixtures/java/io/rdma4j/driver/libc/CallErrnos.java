/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static java.util.Map.entry;

import io.rdma4j.RdmaException;
import java.util.List;
import java.util.Map;

/**
 * How each call can fail although nobody made a mistake, by its page of the manual: what a signal, a limit, a lack of
 * memory or room, a filter of a container or another process brings about. Functions by the names that
 * {@link WatchedCalls} gives them.
 */
final class CallErrnos {
    private static final int EINTR = Errno.EINTR;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int EFBIG = 27;
    private static final int ENOSPC = 28;
    private static final int EPIPE = 32;
    private static final int ENOLCK = 37;
    private static final int ENOSYS = Errno.ENOSYS;
    private static final int EAFNOSUPPORT = 97;
    private static final int ENETUNREACH = 101;
    private static final int ECONNRESET = 104;
    private static final int ENOBUFS = 105;
    private static final int ECONNREFUSED = 111;
    private static final int EPERM = RdmaException.EPERM;
    private static final int ENOENT = RdmaException.ENOENT;
    private static final int EIO = RdmaException.EIO;
    private static final int EAGAIN = RdmaException.EAGAIN;
    private static final int ENOMEM = RdmaException.ENOMEM;
    private static final int EACCES = RdmaException.EACCES;
    private static final int EFAULT = RdmaException.EFAULT;
    private static final int EBUSY = RdmaException.EBUSY;
    private static final int EINVAL = RdmaException.EINVAL;
    private static final int EOPNOTSUPP = RdmaException.EOPNOTSUPP;
    private static final int EADDRINUSE = RdmaException.EADDRINUSE;

    private static final Map<String, List<Integer>> BY_CALL = Map.ofEntries(
        entry("open", List.of(EINTR, EMFILE, ENFILE, ENOMEM, EACCES, ENOENT)),
        entry("close", List.of(EINTR)),
        entry("close file", List.of(EINTR, EIO, ENOSPC)), // as on NFS
        entry("read", List.of(EINTR, EAGAIN)),
        entry("write", List.of(EINTR, EAGAIN)),
        entry("pread", List.of(EINTR, EIO)),
        entry("pwrite", List.of(EINTR, EIO, ENOSPC)),
        entry("mmap", List.of(ENOMEM, EAGAIN, EPERM, ENFILE)),
        entry("munmap", List.of(ENOMEM)),
        entry("mlock", List.of(ENOMEM, EAGAIN, EPERM)),
        entry("munlock", List.of(ENOMEM)),
        entry("madvise", List.of(ENOMEM, EAGAIN, EINVAL)),
        entry("mremap", List.of(ENOMEM, EAGAIN)),
        entry("userfaultfd", List.of(EMFILE, ENFILE, ENOMEM, EPERM, ENOSYS)),
        entry("futex wait", List.of(EINTR, EAGAIN, RdmaException.ETIMEDOUT)),
        entry("memfd_create", List.of(EMFILE, ENFILE, ENOMEM, ENOSYS)),
        entry("ftruncate", List.of(EINTR, EFBIG, EIO)),
        entry("fallocate", List.of(EINTR, ENOSPC, ENOMEM, EOPNOTSUPP)),
        entry("fallocate hole", List.of(EINTR, EOPNOTSUPP, ENOMEM)),
        entry("fcntl 1030", List.of(EMFILE)), // F_DUPFD_CLOEXEC
        entry("fcntl 1033", List.of(EBUSY, EPERM)), // F_ADD_SEALS
        entry("fcntl 36", List.of(ENOLCK, EINVAL)), // F_OFD_GETLK
        entry("fcntl 37", List.of(EAGAIN, EACCES, ENOLCK, EINVAL)), // F_OFD_SETLK
        entry("msync", List.of(EIO, ENOMEM, EBUSY)),
        entry("eventfd", List.of(EMFILE, ENFILE, ENOMEM)),
        entry("ppoll", List.of(EINTR, ENOMEM)),
        entry("socket", List.of(EMFILE, ENFILE, ENOBUFS, ENOMEM, EACCES, EAFNOSUPPORT)),
        entry("setsockopt", List.of(ENOMEM, EPERM, ENOBUFS)),
        entry("bind", List.of(EADDRINUSE, EACCES, ENOMEM)),
        entry("listen", List.of(EADDRINUSE)),
        entry("accept4", List.of(EINTR, EAGAIN, Errno.ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM)),
        entry("connect", List.of(EINTR, EAGAIN, ECONNREFUSED, EACCES, ENOENT)),
        entry("sendmsg", List.of(EINTR, EAGAIN, EPIPE, ECONNRESET, ENOBUFS, ENOMEM)),
        entry("recvmsg", List.of(EINTR, EAGAIN, ECONNRESET, ENOMEM)),
        entry("sendmmsg", List.of(EINTR, EAGAIN, ENOBUFS, ENOMEM, EPERM, ENETUNREACH)),
        entry("recvmmsg", List.of(EINTR, EAGAIN, ECONNREFUSED, ENOMEM)),
        entry("ioctl c018aa3f", List.of(EINVAL, EFAULT)), // UFFDIO_API
        entry("ioctl c020aa00", List.of(EBUSY, EINVAL, ENOMEM, EPERM)), // UFFDIO_REGISTER
        entry("ioctl 8010aa01", List.of(EINVAL, ENOMEM)), // UFFDIO_UNREGISTER
        entry("ioctl c018aa06", List.of(EAGAIN, ENOENT)), // UFFDIO_WRITEPROTECT
        entry("ioctl 40086200", List.of(EINTR, EAGAIN))); // DMA_BUF_IOCTL_SYNC

    private CallErrnos() {
    }

    /** None for a call that cannot fail. */
    static List<Integer> of(final String call) {
        return BY_CALL.getOrDefault(call, List.of());
    }
}
