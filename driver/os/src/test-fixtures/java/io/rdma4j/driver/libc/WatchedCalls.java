/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** All functions of the C library, with somebody asked before each of them. */
final class WatchedCalls extends Calls {
    private static final int O_ACCMODE = 3;

    private final Watch watch;

    WatchedCalls(final Watch watch) {
        this.watch = watch;
    }

    /** Makes the calls, or does not. */
    @FunctionalInterface
    interface Watch {
        /**
         * A call is to be made.
         *
         * @param name the function; with its command or request, where there are several in one
         * @param call makes it
         * @return what it returned, or -1, with the errno that JNA keeps for the thread
         */
        long around(String name, LongSupplier call);
    }

    /** A file of a file system that is open for writing: of all others closing cannot fail. */
    private static boolean isWritten(final int fd) {
        final String number = Integer.toString(fd);
        try {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd", number)).toString();
            return target.startsWith("/") && !target.startsWith("/memfd:") && !target.startsWith("/dev/")
                && Files.readAllLines(Path.of("/proc/self/fdinfo", number)).stream()
                    .anyMatch(line -> line.startsWith("flags:") && (flags(line) & O_ACCMODE) != 0
                        && (flags(line) & LibcConstants.O_PATH) == 0);
        } catch (final IOException e) {
            return false;
        }
    }

    private static int flags(final String line) {
        return Integer.parseInt(line.substring(line.indexOf(':') + 1).trim(), 8);
    }

    @Override
    int open(final long path, final int flags, final int mode) {
        return (int) watch.around("open", () -> super.open(path, flags, mode));
    }

    @Override
    int close(final int fd) {
        return (int) watch.around(isWritten(fd) ? "close file" : "close", () -> super.close(fd));
    }

    @Override
    int ioctl(final int fd, final long request, final long argument) {
        return (int) watch.around("ioctl " + Long.toHexString(request), () -> super.ioctl(fd, request, argument));
    }

    @Override
    long read(final int fd, final long address, final long length) {
        return watch.around("read", () -> super.read(fd, address, length));
    }

    @Override
    long write(final int fd, final long address, final long length) {
        return watch.around("write", () -> super.write(fd, address, length));
    }

    @Override
    long pread(final int fd, final long address, final long length, final long position) {
        return watch.around("pread", () -> super.pread(fd, address, length, position));
    }

    @Override
    long pwrite(final int fd, final long address, final long length, final long position) {
        return watch.around("pwrite", () -> super.pwrite(fd, address, length, position));
    }

    @Override
    long mmap(final long hint, final long length, final int prot, final int flags, final int fd, final long offset) {
        return watch.around("mmap", () -> super.mmap(hint, length, prot, flags, fd, offset));
    }

    @Override
    int munmap(final long address, final long length) {
        return (int) watch.around("munmap", () -> super.munmap(address, length));
    }

    @Override
    int mlock(final long address, final long length) {
        return (int) watch.around("mlock", () -> super.mlock(address, length));
    }

    @Override
    int munlock(final long address, final long length) {
        return (int) watch.around("munlock", () -> super.munlock(address, length));
    }

    @Override
    int madvise(final long address, final long length, final int advice) {
        return (int) watch.around("madvise", () -> super.madvise(address, length, advice));
    }

    @Override
    long mremap(final long oldAddress, final long oldLength, final long newLength, final int flags,
            final long newAddress) {
        return watch.around("mremap",
            () -> super.mremap(oldAddress, oldLength, newLength, flags, newAddress));
    }

    @Override
    long syscall(final long number, final long argument) {
        return watch.around("userfaultfd", () -> super.syscall(number, argument));
    }

    @Override
    long syscall(final long number, final long address, final long operation, final long value, final long timeout) {
        return watch.around(operation == 0 ? "futex wait" : "futex wake",
            () -> super.syscall(number, address, operation, value, timeout));
    }

    @Override
    @SuppressWarnings("checkstyle:MethodName") // The C function's.
    int memfd_create(final long name, final int flags) {
        return (int) watch.around("memfd_create", () -> super.memfd_create(name, flags));
    }

    @Override
    int ftruncate(final int fd, final long length) {
        return (int) watch.around("ftruncate", () -> super.ftruncate(fd, length));
    }

    @Override
    int setns(final int fd, final int nstype) {
        return (int) watch.around("setns", () -> super.setns(fd, nstype));
    }

    @Override
    @SuppressWarnings("checkstyle:MethodName") // The C function's.
    int if_nametoindex(final long name) {
        return (int) watch.around("if_nametoindex", () -> super.if_nametoindex(name));
    }

    @Override
    int fallocate(final int fd, final int mode, final long offset, final long length) {
        return (int) watch.around(mode == 0 ? "fallocate" : "fallocate hole",
            () -> super.fallocate(fd, mode, offset, length));
    }

    @Override
    int fcntl(final int fd, final int command, final long argument) {
        return (int) watch.around("fcntl " + command, () -> super.fcntl(fd, command, argument));
    }

    @Override
    long lseek(final int fd, final long offset, final int whence) {
        return watch.around("lseek", () -> super.lseek(fd, offset, whence));
    }

    @Override
    int msync(final long address, final long length, final int flags) {
        return (int) watch.around("msync", () -> super.msync(address, length, flags));
    }

    @Override
    int eventfd(final int count, final int flags) {
        return (int) watch.around("eventfd", () -> super.eventfd(count, flags));
    }

    @Override
    int ppoll(final long fds, final long count, final long timeout, final long signalMask) {
        return (int) watch.around("ppoll", () -> super.ppoll(fds, count, timeout, signalMask));
    }

    @Override
    long sysconf(final int name) {
        return watch.around("sysconf", () -> super.sysconf(name));
    }

    @Override
    int getrlimit(final int resource, final long limit) {
        return (int) watch.around("getrlimit", () -> super.getrlimit(resource, limit));
    }

    @Override
    int geteuid() {
        return (int) watch.around("geteuid", () -> super.geteuid());
    }

    @Override
    int socket(final int domain, final int type, final int protocol) {
        return (int) watch.around("socket", () -> super.socket(domain, type, protocol));
    }

    @Override
    int setsockopt(final int fd, final int level, final int name, final long value, final int length) {
        return (int) watch.around("setsockopt", () -> super.setsockopt(fd, level, name, value, length));
    }

    @Override
    int bind(final int fd, final long address, final int length) {
        return (int) watch.around("bind", () -> super.bind(fd, address, length));
    }

    @Override
    int listen(final int fd, final int backlog) {
        return (int) watch.around("listen", () -> super.listen(fd, backlog));
    }

    @Override
    int accept4(final int fd, final long address, final long length, final int flags) {
        return (int) watch.around("accept4", () -> super.accept4(fd, address, length, flags));
    }

    @Override
    int connect(final int fd, final long address, final int length) {
        return (int) watch.around("connect", () -> super.connect(fd, address, length));
    }

    @Override
    long sendmsg(final int fd, final long message, final int flags) {
        return watch.around("sendmsg", () -> super.sendmsg(fd, message, flags));
    }

    @Override
    long recvmsg(final int fd, final long message, final int flags) {
        return watch.around("recvmsg", () -> super.recvmsg(fd, message, flags));
    }

    @Override
    int sendmmsg(final int fd, final long messages, final int count, final int flags) {
        return (int) watch.around("sendmmsg", () -> super.sendmmsg(fd, messages, count, flags));
    }

    @Override
    int recvmmsg(final int fd, final long messages, final int count, final int flags, final long timeout) {
        return (int) watch.around("recvmmsg", () -> super.recvmmsg(fd, messages, count, flags, timeout));
    }
}
