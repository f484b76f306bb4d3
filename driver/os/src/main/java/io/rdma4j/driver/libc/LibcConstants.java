/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

/**
 * Numbers of the C interface, under their C names. Reading them loads nothing.
 *
 * <p>x86-64 and aarch64 share nearly all of them, because both take the {@code asm-generic} headers of Linux:
 * {@code fcntl.h}, {@code mman-common.h}, {@code mman.h}, {@code hugetlb_encode.h}, {@code poll.h}, {@code resource.h},
 * and {@code linux/memfd.h}, {@code linux/eventfd.h}. The exceptions are the four flags of open that
 * {@code arch/arm64/include/uapi/asm/fcntl.h} redefines; {@link OpenFlags} is the table of them. {@code _SC_} numbers
 * are the C library's ({@code bits/confname.h} of glibc, {@code unistd.h} of musl: equal for those here).
 */
@SuppressWarnings("checkstyle:ConstantName") // C has names that begin with an underscore.
public final class LibcConstants {
    /** open: for reading. */
    public static final int O_RDONLY = 0;
    /** open: for writing. */
    public static final int O_WRONLY = 1;
    /** open: for both. */
    public static final int O_RDWR = 2;
    /** open: create the file if it is not there. */
    public static final int O_CREAT = 0x40;
    /** open: with O_CREAT, fail if it is there. */
    public static final int O_EXCL = 0x80;
    /** open: make the file empty. */
    public static final int O_TRUNC = 0x200;
    /** open: never block, here and on reads and writes. */
    public static final int O_NONBLOCK = 0x800;
    /** open: write through to the device, data only. */
    public static final int O_DSYNC = 0x1000;
    /** open: close on exec. {@link Libc#open} always sets it. */
    public static final int O_CLOEXEC = 0x80000;
    /** The place in the file system, without opening what is there. */
    public static final int O_PATH = 0x200000;
    /** open: fail unless it is a directory. Differs between architectures. */
    public static final int O_DIRECTORY = OpenFlags.HERE.directory();
    /** open: fail if it is a symbolic link. Differs between architectures. */
    public static final int O_NOFOLLOW = OpenFlags.HERE.noFollow();
    /** open: past the page cache. Differs between architectures. */
    public static final int O_DIRECT = OpenFlags.HERE.direct();
    /** open: files beyond 2 GiB; implied on 64-bit Linux. Differs between architectures. */
    public static final int O_LARGEFILE = OpenFlags.HERE.largeFile();

    /** mmap: no access at all. */
    public static final int PROT_NONE = 0;
    /** mmap: readable. */
    public static final int PROT_READ = 1;
    /** mmap: writable. */
    public static final int PROT_WRITE = 2;
    /** mmap: what is written is seen by others who map the same. */
    public static final int MAP_SHARED = 1;
    /** mmap: what is written stays here. */
    public static final int MAP_PRIVATE = 2;
    /** mmap: at this address, in place of whatever is there. */
    public static final int MAP_FIXED = 0x10;
    /** mmap: no file. */
    public static final int MAP_ANONYMOUS = 0x20;
    /** mmap: lock the pages. */
    public static final int MAP_LOCKED = 0x2000;
    /** mmap: reserve no swap space. */
    public static final int MAP_NORESERVE = 0x4000;
    /** mmap: fault the pages in. */
    public static final int MAP_POPULATE = 0x8000;
    /** mmap: of the hugepage pool. */
    public static final int MAP_HUGETLB = 0x40000;
    /** mmap: at this address or EEXIST. */
    public static final int MAP_FIXED_NOREPLACE = 0x100000;
    /** mmap: with MAP_HUGETLB, pages of 2 MiB. */
    public static final int MAP_HUGE_2MB = 21 << 26;
    /** mmap: with MAP_HUGETLB, pages of 1 GiB. */
    public static final int MAP_HUGE_1GB = 30 << 26;

    /** madvise: no special treatment. */
    public static final int MADV_NORMAL = 0;
    /** madvise: will be used soon. */
    public static final int MADV_WILLNEED = 3;
    /** madvise: not needed any more; private anonymous memory is zero afterwards. */
    public static final int MADV_DONTNEED = 4;
    /** madvise: the pages may be taken when memory is short; they are zero then. Private anonymous memory only. */
    public static final int MADV_FREE = 8;
    /** madvise: not needed any more, here and in the file behind it. */
    public static final int MADV_REMOVE = 9;
    /** madvise: not inherited by a child process, so that copy-on-write cannot move pages under a device. */
    public static final int MADV_DONTFORK = 10;
    /** madvise: undoes MADV_DONTFORK. */
    public static final int MADV_DOFORK = 11;
    /** madvise: with transparent hugepages. */
    public static final int MADV_HUGEPAGE = 14;
    /** madvise: without. */
    public static final int MADV_NOHUGEPAGE = 15;
    /** madvise: not part of a core dump. */
    public static final int MADV_DONTDUMP = 16;
    /** madvise: fault in for reading; since Linux 5.14. */
    public static final int MADV_POPULATE_READ = 22;
    /** madvise: fault in for writing; since Linux 5.14. */
    public static final int MADV_POPULATE_WRITE = 23;

    /** mremap: it may be moved. */
    public static final int MREMAP_MAYMOVE = 1;
    /** mremap: to this address, in place of whatever is there. */
    public static final int MREMAP_FIXED = 2;
    /** mremap: leave the old range mapped, and empty; since Linux 5.7. */
    public static final int MREMAP_DONTUNMAP = 4;

    /** userfaultfd: never for faults inside of the kernel; needs no privilege. Since Linux 5.11. */
    public static final int UFFD_USER_MODE_ONLY = 1;

    /** memfd_create: close on exec. {@link Libc#memfdCreate} always sets it. */
    public static final int MFD_CLOEXEC = 1;
    /** memfd_create: seals may be set. */
    public static final int MFD_ALLOW_SEALING = 2;
    /** memfd_create: of the hugepage pool. */
    public static final int MFD_HUGETLB = 4;
    /** memfd_create: with MFD_HUGETLB, pages of 2 MiB. */
    public static final int MFD_HUGE_2MB = 21 << 26;
    /** memfd_create: with MFD_HUGETLB, pages of 1 GiB. */
    public static final int MFD_HUGE_1GB = 30 << 26;

    /** fcntl: no more seals can be set on a sealed file. */
    public static final int F_SEAL_SEAL = 1;
    /** fcntl: a sealed file cannot shrink. */
    public static final int F_SEAL_SHRINK = 2;

    /** eventfd: close on exec. */
    public static final int EFD_CLOEXEC = O_CLOEXEC;
    /** eventfd: reads and writes do not block. */
    public static final int EFD_NONBLOCK = O_NONBLOCK;

    /** poll: there is something to read. */
    public static final short POLLIN = 1;
    /** poll: there is something urgent. */
    public static final short POLLPRI = 2;
    /** poll: writing will not block. */
    public static final short POLLOUT = 4;
    /** poll, result only: the file is in error. */
    public static final short POLLERR = 8;
    /** poll, result only: the other side is gone. */
    public static final short POLLHUP = 0x10;
    /** poll, result only: no open file descriptor. */
    public static final short POLLNVAL = 0x20;

    /** getrlimit: open files. */
    public static final int RLIMIT_NOFILE = 7;
    /** getrlimit: bytes of locked memory. */
    public static final int RLIMIT_MEMLOCK = 8;
    /** getrlimit: bytes of address space. */
    public static final int RLIMIT_AS = 9;
    /** getrlimit: no limit. */
    public static final long RLIM_INFINITY = -1;

    /** sysconf: bytes of a page. */
    public static final int _SC_PAGESIZE = 30;
    /** sysconf: processors online. */
    public static final int _SC_NPROCESSORS_ONLN = 84;
    /** sysconf: pages of physical memory. */
    public static final int _SC_PHYS_PAGES = 85;
    /** sysconf: pages of physical memory that are free. */
    public static final int _SC_AVPHYS_PAGES = 86;

    private LibcConstants() {
    }
}
