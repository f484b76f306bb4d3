/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.util.function.IntUnaryOperator;

/**
 * Where a userfaultfd comes from: the system call, or the device file that an administrator gives to those who may have
 * one (since Linux 6.1).
 */
final class UserfaultSource {
    static final String DEVICE = "/dev/userfaultfd";
    private static final IoctlRequest USERFAULTFD_IOC_NEW = IoctlRequest.ofValue("USERFAULTFD_IOC_NEW", 0xAA00);
    private static final int FLAGS = LibcConstants.O_NONBLOCK | LibcConstants.O_CLOEXEC;
    private static final int ENOSYS = 38;

    private final IntUnaryOperator call;
    private final IntUnaryOperator device;

    /** Both make one with some flags, or throw. */
    UserfaultSource(final IntUnaryOperator call, final IntUnaryOperator device) {
        this.call = call;
        this.device = device;
    }

    static UserfaultSource ofLinux() {
        return new UserfaultSource(AddressSpace::userfaultfd, UserfaultSource::fromDevice);
    }

    private static int fromDevice(final int flags) {
        try (Fd file = Fd.open(DEVICE, LibcConstants.O_RDWR)) {
            return Libc.ioctl(file.fd(), USERFAULTFD_IOC_NEW, flags);
        }
    }

    Fd open() {
        try {
            return Fd.of(called(), "userfaultfd");
        } catch (final RdmaException e) {
            return fallBack(e);
        }
    }

    private int called() {
        try {
            return call.applyAsInt(FLAGS | LibcConstants.UFFD_USER_MODE_ONLY);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EINVAL) {
                throw e;
            }
            return call.applyAsInt(FLAGS); // Before Linux 5.11.
        }
    }

    private Fd fallBack(final RdmaException refused) {
        try {
            return Fd.of(device.applyAsInt(FLAGS | LibcConstants.UFFD_USER_MODE_ONLY), DEVICE);
        } catch (final RdmaException e) {
            final RdmaException why = RdmaException.of("open userfaultfd").errno(refused.errno()).cause(refused)
                .detail("the system call says %s, and %s %s", RdmaException.errnoName(refused.errno()), DEVICE,
                    RdmaException.errnoName(e.errno())).hint(hint(refused.errno())).build();
            why.addSuppressed(e);
            throw why;
        }
    }

    private static String hint(final int errno) {
        return switch (errno) {
            case ENOSYS -> "the kernel is built without CONFIG_USERFAULTFD, or a seccomp filter hides it";
            case RdmaException.EPERM -> "a seccomp filter, as of a container, forbids it (allow userfaultfd in its "
                + "profile), or the kernel is older than 5.11 and vm.unprivileged_userfaultfd is 0 (set it to 1); or "
                + "give the process " + DEVICE;
            case RdmaException.EOPNOTSUPP -> "the C library cannot be called in this JVM";
            default -> "the process may have too many open files (ulimit -n)";
        };
    }
}
