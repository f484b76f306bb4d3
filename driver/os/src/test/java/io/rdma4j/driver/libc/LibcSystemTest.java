/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.LibcConstants.RLIMIT_MEMLOCK;
import static io.rdma4j.driver.libc.LibcConstants.RLIM_INFINITY;
import static io.rdma4j.driver.libc.LibcConstants._SC_NPROCESSORS_ONLN;
import static io.rdma4j.driver.libc.LibcConstants._SC_PAGESIZE;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class LibcSystemTest {
    private static final int SC_WITHOUT_LIMIT = 24; // _SC_AIO_MAX: glibc has no limit.
    private static final int ROUNDS = 3000;

    @Test
    void sysconfAnswers() {
        assertThat(Libc.sysconf(_SC_PAGESIZE)).isEqualTo(UnsafeApi.pageSize()).isEqualTo(Libc.pageSize());
        assertThat(Libc.sysconf(_SC_NPROCESSORS_ONLN)).isPositive();
    }

    @Test
    void sysconfTellsNoLimitFromNoSuchName() {
        assertFails("sysconf", "EINVAL", () -> Libc.sysconf(99_999)).hasMessageContaining("99999");
        assertThat(Libc.sysconf(SC_WITHOUT_LIMIT)).as("just after a failure").isEqualTo(-1);
    }

    @Test
    void getrlimitSaysWhatProcSays() throws Exception {
        final String[] words = ProcSelf.field(Path.of("/proc/self/limits"), "Max locked memory").split("\\s+");
        final Rlimit limit = Libc.getrlimit(RLIMIT_MEMLOCK);
        assertThat(List.of(limit.soft(), limit.hard())).isEqualTo(List.of(number(words[0]), number(words[1])));
        assertFails("getrlimit", "EINVAL", () -> Libc.getrlimit(4711)).hasMessageContaining("resource 4711");
    }

    @Test
    void anInterfaceHasItsNumber() throws Exception {
        assertThat(NetNamespace.interfaceIndex("lo")).isEqualTo(NetworkInterface.getByName("lo").getIndex());
        assertFails("if_nametoindex", "ENODEV", () -> NetNamespace.interfaceIndex("is-not-there"))
            .hasMessageContaining("is-not-there");
    }

    private static long number(final String word) {
        return "unlimited".equals(word) ? RLIM_INFINITY : Long.parseLong(word);
    }

    @Test
    void anInfiniteLimitAllowsEverything() {
        final Rlimit infinite = new Rlimit(RLIM_INFINITY, RLIM_INFINITY);
        assertThat(infinite.isUnlimited()).isTrue();
        assertThat(infinite.allows(Long.MAX_VALUE)).isTrue();
        final Rlimit some = new Rlimit(4096, RLIM_INFINITY);
        assertThat(some.isUnlimited()).isFalse();
        assertThat(some.allows(4096)).isTrue();
        assertThat(some.allows(4097)).isFalse();
    }

    @Test
    void geteuidSaysWhatProcSays() throws Exception {
        final String effective = ProcSelf.field(Path.of("/proc/self/status"), "Uid:").split("\\s+")[1];
        assertThat(Libc.geteuid()).isEqualTo(Integer.parseInt(effective));
    }

    /** Each thread fails in its own way, thousands of times at once: none ever sees another's errno. */
    @Test
    void errnoIsThatOfTheFailingCallOfThisThread() throws Exception {
        final List<Callable<Integer>> failing = new ArrayList<>();
        failing.add(() -> rounds("EBADF", "close", () -> Libc.close(1 << 29)));
        failing.add(() -> rounds("ENOENT", "open", () -> Libc.open("/nowhere/at/all", 0)));
        failing.add(() -> rounds("ENOMEM", "mmap", () -> MappedMemory.anonymous(1L << 50)));
        failing.add(() -> rounds("EINVAL", "getrlimit", () -> Libc.getrlimit(4711)));
        try (EventFd event = EventFd.create()) {
            final UnsafeBuffer word = Failing.offHeap(8);
            failing.add(() -> rounds("EAGAIN", "read", () -> Libc.read(event.fd(), word, 8)));
            final ExecutorService threads = Executors.newFixedThreadPool(failing.size());
            try {
                for (final Future<Integer> result : threads.invokeAll(failing, 50, TimeUnit.SECONDS)) {
                    assertThat(result.get()).isEqualTo(ROUNDS);
                }
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static int rounds(final String errno, final String call, final Runnable failing) {
        for (int i = 0; i < ROUNDS; i++) {
            assertFails(call, errno, failing::run);
            Libc.geteuid(); // A call that succeeds in between changes nothing.
        }
        return ROUNDS;
    }

    @Test
    void theOtherArchitecturesFlagsAreOnlyPermuted() {
        assertThat(OpenFlags.of("aarch64")).isSameAs(OpenFlags.AARCH64);
        assertThat(OpenFlags.of("amd64")).isSameAs(OpenFlags.X86_64);
        assertThat(bits(OpenFlags.AARCH64)).isEqualTo(bits(OpenFlags.X86_64)).isEqualTo(0x3C000);
    }

    private static int bits(final OpenFlags flags) {
        return flags.direct() + flags.largeFile() + flags.directory() + flags.noFollow();
    }
}
