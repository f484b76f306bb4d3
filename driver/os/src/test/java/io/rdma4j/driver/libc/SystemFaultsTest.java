/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** System calls that fail on request. */
class SystemFaultsTest {
    private static final int ENFILE = 23;

    private static List<String> signatures(final Class<?> type, final int modifier) {
        return Arrays.stream(type.getDeclaredMethods())
            .filter(each -> !each.isSynthetic() && (modifier == 0 || (each.getModifiers() & modifier) != 0))
            .map(SystemFaultsTest::signature).toList();
    }

    private static String signature(final Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }

    @Test
    void eachFunctionIsWatched() {
        assertThat(signatures(WatchedCalls.class, 0)).containsAll(signatures(Calls.class, Modifier.NATIVE));
    }

    @Test
    void callsAreToldByThread() throws InterruptedException {
        try (SystemFaults counted = SystemFaults.counting()) {
            final EventFd event = EventFd.create();
            final Thread other = new Thread(event::signal);
            other.start();
            other.join();
            assertThat(event.read()).isEqualTo(1);
            event.close();
            assertThat(counted.calls(false)).containsExactly("eventfd", "read", "close");
            assertThat(counted.calls(true)).contains("write");
            assertThat(counted.hasFailed()).isFalse();
        }
    }

    @Test
    void theChosenOneFailsOnce() {
        try (SystemFaults faults = SystemFaults.failing(false, "eventfd", 2, ENFILE)) {
            final EventFd event = EventFd.create();
            assertThatThrownBy(EventFd::create).isInstanceOf(RdmaException.class)
                .hasMessageStartingWith("eventfd failed").hasMessageContaining("[ENFILE]; the system has too many");
            assertThat(faults.hasFailed()).isTrue();
            EventFd.create().close();
            event.close();
        }
        EventFd.create().close();
    }

    @Test
    void callsOfAnotherFunctionAndOfOtherThreadsGoOn() throws InterruptedException {
        try (SystemFaults faults = SystemFaults.failing(true, "eventfd", 1, ENFILE)) {
            EventFd.create().close();
            final Thread other = new Thread(Libc::geteuid);
            other.start();
            other.join();
            assertThat(faults.hasFailed()).isFalse();
        }
    }

    /** An interrupted close has given the descriptor up; memory that was not unmapped is so in the end. */
    @Test
    void closingIsDoneAllTheSame() throws IOException {
        final long files = ProcSelf.openFiles("eventfd");
        try (SystemFaults faults = SystemFaults.failing(false, "close", 1, Errno.EINTR)) {
            EventFd.create().close();
            assertThat(faults.hasFailed()).isTrue();
        }
        assertThat(ProcSelf.openFiles("eventfd")).isEqualTo(files);
        final FencedPages pages = new FencedPages(1);
        final MappedMemory memory = MappedMemory.of(pages.address(), Libc.pageSize());
        try (SystemFaults faults = SystemFaults.failing(false, "munmap", 1, RdmaException.ENOMEM)) {
            assertThatThrownBy(memory::close).hasMessageContaining("[ENOMEM]");
            assertThat(faults.owed()).isEqualTo(1);
            assertThat(ProcSelf.isMapped(pages.address())).isTrue();
        }
        assertThat(ProcSelf.isMapped(pages.address())).isFalse();
        pages.close();
    }
}
