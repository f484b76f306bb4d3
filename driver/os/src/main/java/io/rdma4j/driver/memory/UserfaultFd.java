/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Linux' userfaultfd(2), asked for what happens to mappings and never for faults: memory is registered in the mode that
 * would report writes to protected pages, and no page is ever protected. Numbers from {@code linux/userfaultfd.h}.
 */
final class UserfaultFd implements UserfaultKernel {
    static final long UFFD_FEATURE_PAGEFAULT_FLAG_WP = 1;
    static final long UFFD_FEATURE_EVENT_REMAP = 1 << 2;
    static final long UFFD_FEATURE_EVENT_REMOVE = 1 << 3;
    static final long UFFD_FEATURE_EVENT_UNMAP = 1 << 6;
    /** Since Linux 5.19. */
    static final long UFFD_FEATURE_WP_HUGETLBFS_SHMEM = 1 << 12;
    /** Since Linux 6.7: of any memory, and the kernel itself would resolve the faults. */
    static final long UFFD_FEATURE_WP_ASYNC = 1 << 15;
    static final long NEEDED = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE
        | UFFD_FEATURE_EVENT_UNMAP;
    static final long WANTED = NEEDED | UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_WP_ASYNC;

    private static final IoctlRequest UFFDIO_API = new IoctlRequest("UFFDIO_API", 0xC018AA3FL, 24, false);
    private static final IoctlRequest UFFDIO_REGISTER = new IoctlRequest("UFFDIO_REGISTER", 0xC020AA00L, 32, false);
    private static final IoctlRequest UFFDIO_UNREGISTER =
        new IoctlRequest("UFFDIO_UNREGISTER", 0x8010AA01L, 16, false);
    private static final IoctlRequest UFFDIO_WRITEPROTECT =
        new IoctlRequest("UFFDIO_WRITEPROTECT", 0xC018AA06L, 24, false);
    private static final long UFFD_API = 0xAA;
    private static final long UFFDIO_REGISTER_MODE_WP = 2;
    private static final int FEATURES_OFFSET = 8;
    private static final int START_OFFSET = 0;
    private static final int LENGTH_OFFSET = 8;
    private static final int MODE_OFFSET = 16;
    private static final int SIZEOF_ARGUMENT = 32;
    private static final long NO_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MOST_WITHOUT_MEMORY = 1_000;

    private final Fd fd;
    private final EventFd stop = EventFd.create();
    private final PollSet pollSet = new PollSet(2);
    private final UnsafeBuffer argument = buffer();
    /** An empty range: the kernel refuses it, but not before it has looked whether something is changing. */
    private final UnsafeBuffer nothing = buffer();
    /** Of the thread that waits. */
    private int withoutMemory;

    private UserfaultFd(final Fd fd) {
        this.fd = fd;
        pollSet.add(fd.fd(), LibcConstants.POLLIN);
        pollSet.add(stop.fd(), LibcConstants.POLLIN);
    }

    private static UnsafeBuffer buffer() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(SIZEOF_ARGUMENT).order(ByteOrder.nativeOrder()));
    }

    /**
     * Two of them, as the manual says: the first one is asked what there is, because asking for what there is not fails
     * and each can be asked once.
     */
    static UserfaultFd open(final UserfaultSource source) {
        final long offered;
        try (Fd probe = source.open()) {
            offered = enable(probe, 0);
        }
        if ((offered & NEEDED) != NEEDED) {
            throw RdmaException.of("open userfaultfd").errno(RdmaException.EOPNOTSUPP)
                .detail("this kernel offers features %#x, and the watch of mappings needs %#x", offered, NEEDED)
                .hint("it needs Linux 5.7 or later on x86-64, or one whose userfaultfd can write-protect").build();
        }
        final Fd fd = source.open();
        try {
            enable(fd, offered & WANTED);
            return new UserfaultFd(fd);
        } catch (final RdmaException e) {
            fd.close();
            throw e;
        }
    }

    private static long enable(final Fd fd, final long features) {
        final UnsafeBuffer api = buffer();
        api.putLong(0, UFFD_API);
        api.putLong(FEATURES_OFFSET, features);
        Libc.ioctl(fd.fd(), UFFDIO_API, api);
        return api.getLong(FEATURES_OFFSET);
    }

    @Override
    public boolean await(final long nanos) {
        try {
            final int ready = Libc.poll(pollSet, nanos);
            withoutMemory = 0;
            return ready > 0 && pollSet.revents(0) != 0;
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.ENOMEM || ++withoutMemory > MOST_WITHOUT_MEMORY) {
                throw e;
            }
            // The kernel needs some for the call, and has some again soon. Giving up would be for good.
            LockSupport.parkNanos(NO_MEMORY_NANOS);
            return false;
        }
    }

    @Override
    public void read(final UserfaultEvents events) {
        try {
            events.readFrom(fd.fd());
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EAGAIN) {
                throw e;
            }
            // Whoever made the change was killed before it was taken.
        }
    }

    @Override
    public int register(final long from, final long to) {
        range(from, to);
        argument.putLong(MODE_OFFSET, UFFDIO_REGISTER_MODE_WP);
        return errno(Libc.tryIoctl(fd.fd(), UFFDIO_REGISTER, argument));
    }

    @Override
    public int unregister(final long from, final long to) {
        range(from, to);
        return errno(Libc.tryIoctl(fd.fd(), UFFDIO_UNREGISTER, argument));
    }

    private void range(final long from, final long to) {
        argument.putLong(START_OFFSET, from);
        argument.putLong(LENGTH_OFFSET, to - from);
    }

    private static int errno(final int answer) {
        return answer < 0 ? -answer : 0;
    }

    @Override
    public boolean changing() {
        return Libc.tryIoctl(fd.fd(), UFFDIO_WRITEPROTECT, nothing) == -RdmaException.EAGAIN;
    }

    @Override
    public void stop() {
        try {
            stop.signal();
        } catch (final RdmaException e) {
            if (fd.isOpen()) {
                throw e;
            }
            // Closed before, because reading failed: nobody waits.
        }
    }

    @Override
    public void close() {
        fd.close();
        stop.close();
    }

    @Override
    public String toString() {
        return fd.toString();
    }
}
