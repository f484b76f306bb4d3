/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.LibcConstants.O_CLOEXEC;
import static io.rdma4j.driver.libc.LibcConstants.O_NONBLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class EventFdTest {
    private static final int SIGNALS = 5000;

    @Test
    void countsSignalsAndReadingTakesThem() {
        try (EventFd event = EventFd.create()) {
            assertThat(event.read()).isZero();
            event.signal();
            event.signal();
            event.signal();
            assertThat(event.read()).isEqualTo(3);
            assertThat(event.read()).isZero();
        }
    }

    @Test
    void neverBlocksAndIsNotInherited() throws Exception {
        try (EventFd event = EventFd.create()) {
            assertThat(ProcSelf.flags(event.fd()) & (O_NONBLOCK | O_CLOEXEC)).isEqualTo(O_NONBLOCK | O_CLOEXEC);
        }
    }

    @Test
    void aFullCounterStaysFull() {
        try (EventFd event = EventFd.create()) {
            final UnsafeBuffer word = Failing.offHeap(8);
            word.putLong(0, -2);
            Libc.write(event.fd(), word, 8);
            event.signal();
            assertThat(event.read()).isEqualTo(-2);
        }
    }

    @Test
    void noSignalIsLostBetweenThreads() throws Exception {
        try (EventFd event = EventFd.create()) {
            final AtomicBoolean done = new AtomicBoolean();
            final Thread signaller = new Thread(() -> {
                for (int i = 0; i < SIGNALS; i++) {
                    event.signal();
                }
                done.set(true);
            });
            signaller.start();
            long sum = 0;
            while (!done.get()) {
                sum += event.read();
            }
            signaller.join();
            assertThat(sum + event.read()).isEqualTo(SIGNALS);
        }
    }

    @Test
    void afterCloseNothingReachesTheFileThatGotTheNumber() throws Exception {
        final long before = ProcSelf.openFiles("[eventfd]");
        final EventFd event = EventFd.create();
        final int number = event.fd();
        assertThat(ProcSelf.openFiles("[eventfd]")).isEqualTo(before + 1);
        event.close();
        assertThat(ProcSelf.openFiles("[eventfd]")).isEqualTo(before);
        try (EventFd next = EventFd.create()) {
            event.close();
            assertFails("use of file", "EBADFD", event::signal).hasMessageContaining("fd " + number + " is closed");
            assertFails("use of file", "EBADFD", event::read);
            assertFails("use of file", "EBADFD", event::fd);
            assertThat(next.read()).isZero();
            next.signal();
            assertThat(next.read()).as("still open").isOne();
        }
        assertThat(event).hasToString("eventfd (fd " + number + ", closed)");
    }
}
