/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** What the tests on the kernel of this machine share. */
final class MappingMachine {
    static final int PAGE = (int) Libc.pageSize();
    static final long HUGE = 2L << 20;
    static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final long GAP = 1 << 20;
    static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;
    private static final long DEADLINE_NANOS = Patience.nanos();

    private MappingMachine() {
    }

    /** Open, and able to watch; except where userfaultfd is filtered or not built, which nobody can mend here. */
    static MappingWatch open() throws IOException {
        final MappingWatch watch = MappingWatch.open();
        if (!watch.available()) {
            final String why = watch.whyNot();
            watch.close();
            final boolean filtered = Files.readAllLines(Path.of("/proc/self/status")).contains("Seccomp:\t2");
            assumeTrue(!filtered && Files.exists(Path.of("/proc/sys/vm/unprivileged_userfaultfd")), why);
            throw new AssertionError(why);
        }
        return watch;
    }

    /** With nothing of the JVM's right below, in which something may look like a block of malloc. */
    static long map(final long length) {
        final long reserved = Libc.mmap(0, length + 2 * GAP, RW, ANONYMOUS, -1, 0);
        final long address = reserved + GAP;
        Libc.munmap(reserved, GAP);
        Libc.munmap(address + length, GAP);
        touch(address, length);
        return address;
    }

    static long mapShared(final long length, final int memfdFlags) {
        try (Fd fd = Fd.of(Libc.memfdCreate("rdma4j-watched", memfdFlags), "memfd")) {
            Libc.ftruncate(fd.fd(), length);
            final long address = Libc.mmap(0, length, RW, LibcConstants.MAP_SHARED, fd.fd(), 0);
            touch(address, length);
            return address;
        }
    }

    /** 0 if the machine has no hugepages. */
    static long mapHuge(final long length, final boolean shared) {
        try {
            if (shared) {
                return mapShared(length, LibcConstants.MFD_HUGETLB | LibcConstants.MFD_HUGE_2MB);
            }
            final long address = Libc.mmap(0, length, RW, ANONYMOUS | LibcConstants.MAP_HUGETLB
                | LibcConstants.MAP_HUGE_2MB, -1, 0);
            touch(address, length);
            return address;
        } catch (final RdmaException e) {
            return 0;
        }
    }

    static void touch(final long address, final long length) {
        for (long at = 0; at < length; at += PAGE) {
            Libc.directBuffer(address + at, Long.BYTES).putLong(0, at + 1);
        }
    }

    static void await(final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** The mappings that are registered with a userfaultfd for write protection; proc_pid_smaps(5) calls that uw. */
    static List<String> registered() throws IOException {
        final List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        final List<String> found = new ArrayList<>();
        String area = "";
        for (final String line : lines) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                area = line;
            } else if (line.startsWith("VmFlags:") && line.contains(" uw")) {
                found.add(area);
            }
        }
        return found;
    }

    static long openUserfaultfds() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> target(file).contains("[userfaultfd]")).count();
        }
    }

    private static String target(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final IOException e) {
            return ""; // Closed meanwhile.
        }
    }
}
