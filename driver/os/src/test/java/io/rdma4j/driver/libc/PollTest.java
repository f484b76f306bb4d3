/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.LibcConstants.POLLERR;
import static io.rdma4j.driver.libc.LibcConstants.POLLHUP;
import static io.rdma4j.driver.libc.LibcConstants.POLLIN;
import static io.rdma4j.driver.libc.LibcConstants.POLLNVAL;
import static io.rdma4j.driver.libc.LibcConstants.POLLOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PollTest {
    private static final long LONG = Patience.nanos();
    private static final int MANY = 20_000;

    private final PollSet set = new PollSet(4);

    @Test
    void findsWhatIsReady() {
        try (EventFd quiet = EventFd.create(); EventFd signalled = EventFd.create()) {
            final int first = set.add(quiet.fd(), POLLIN);
            final int second = set.add(signalled.fd(), POLLIN | POLLOUT);
            final int third = set.add(quiet.fd(), POLLOUT);
            signalled.signal();
            assertThat(set.size()).isEqualTo(3);
            assertThat(Libc.poll(set, LONG)).isEqualTo(2);
            assertThat(set.revents(first)).isZero();
            assertThat(set.revents(second)).isEqualTo(POLLIN | POLLOUT);
            assertThat(set.revents(third)).isEqualTo(POLLOUT);
        }
    }

    @Test
    void reportsHangUpsErrorsAndClosedFiles() {
        final Fd[] pipe = PosixThreads.newPipe();
        final Fd[] other = PosixThreads.newPipe();
        try (Fd out = pipe[0]; Fd in = other[1]) {
            final int hungUp = set.add(out.fd(), POLLIN);
            final int broken = set.add(in.fd(), 0);
            final int closed = set.add(1 << 29, POLLIN);
            pipe[1].close();
            other[0].close();
            assertThat(Libc.poll(set, LONG)).isEqualTo(3);
            assertThat(set.revents(hungUp)).isEqualTo(POLLHUP);
            assertThat(set.revents(broken)).isEqualTo(POLLERR);
            assertThat(set.revents(closed)).isEqualTo(POLLNVAL);
        }
    }

    @Test
    void endsWithTheTimeAndNotLong() {
        try (EventFd event = EventFd.create()) {
            set.add(event.fd(), POLLIN);
            final long begun = System.nanoTime();
            assertThat(Libc.poll(set, TimeUnit.MILLISECONDS.toNanos(30))).isZero();
            final long took = System.nanoTime() - begun;
            assertThat(took).isBetween(TimeUnit.MILLISECONDS.toNanos(30), Patience.nanos());
            assertThat(set.revents(0)).isZero();
        }
    }

    @Test
    void waitsForLessThanAMillisecond() {
        try (EventFd event = EventFd.create()) {
            set.add(event.fd(), POLLIN);
            long shortest = Long.MAX_VALUE;
            for (int i = 0; i < 100; i++) {
                final long begun = System.nanoTime();
                Libc.poll(set, 100_000);
                shortest = Math.min(shortest, System.nanoTime() - begun);
            }
            assertThat(shortest).isBetween(100_000L, 900_000L);
        }
    }

    @Test
    void onlyLooksWhenTheTimeIsOver() {
        try (EventFd event = EventFd.create()) {
            set.add(event.fd(), POLLIN);
            assertThat(Libc.poll(set, 0)).isZero();
            assertThat(Libc.poll(set, Long.MIN_VALUE)).isZero();
            event.signal();
            assertThat(Libc.poll(set, -1)).isOne();
            assertThat(Libc.poll(set, Long.MAX_VALUE)).isOne();
        }
    }

    @Test
    void wakesWhenAnotherThreadSignals() throws Exception {
        try (EventFd event = EventFd.create()) {
            set.add(event.fd(), POLLIN);
            final FutureTask<Integer> poll = new FutureTask<>(() -> Libc.poll(set, LONG));
            start(poll);
            Thread.sleep(20);
            assertThat(poll.isDone()).isFalse();
            event.signal();
            assertThat(Patience.get(poll)).isOne();
            assertThat(set.revents(0)).isEqualTo(POLLIN);
        }
    }

    @Test
    void aSignalEndsItEarlyWithNothing() throws Exception {
        PosixThreads.needSignalHandler();
        try (EventFd event = EventFd.create(); EventFd ready = EventFd.create()) {
            set.add(ready.fd(), POLLOUT);
            Libc.poll(set, 0);
            assertThat(set.revents(0)).as("left over from the call before").isEqualTo(POLLOUT);
            set.clear();
            set.add(event.fd(), POLLIN);
            final long[] posix = new long[1];
            final FutureTask<Integer> poll = new FutureTask<>(() -> {
                synchronized (posix) {
                    posix[0] = PosixThreads.pthread_self();
                }
                final int found = Libc.poll(set, LONG);
                posix[0] = 0;
                return found;
            });
            final long begun = System.nanoTime();
            start(poll);
            while (!poll.isDone() && System.nanoTime() - begun < LONG) {
                Thread.sleep(5);
                synchronized (posix) {
                    if (posix[0] != 0) {
                        PosixThreads.interrupt(posix[0]);
                    }
                }
            }
            assertThat(Patience.get(poll)).isZero();
            assertThat(System.nanoTime() - begun).isLessThan(LONG / 2);
            assertThat(set.revents(0)).isZero();
        }
    }

    @Test
    void aSetIsReusableAndHasItsBounds() {
        try (EventFd event = EventFd.create()) {
            for (int i = 0; i < 4; i++) {
                assertThat(set.add(event.fd(), POLLIN)).isEqualTo(i);
            }
            assertFails("poll set", "ENOMEM", () -> set.add(event.fd(), POLLIN)).hasMessageContaining("room for 4");
            assertFails("poll set", "EINVAL", () -> set.revents(4)).hasMessageContaining("index 4 of 4");
            assertFails("poll set", "EINVAL", () -> set.revents(-1));
            set.clear();
            assertThat(set.size()).isZero();
            assertFails("poll set", "EINVAL", () -> set.revents(0));
            assertThat(Libc.poll(set, 1000)).as("nothing to wait for but the time").isZero();
        }
        assertFails("poll set", "EBADF", () -> set.add(-1, POLLIN));
        assertFails("poll set", "EINVAL", () -> new PollSet(0));
        assertFails("poll set", "EINVAL", () -> new PollSet(Integer.MAX_VALUE));
        assertFails("ppoll", "EINVAL", () -> Libc.poll(null, 0));
    }

    @Test
    void moreFilesThanTheLimitAllowsAreRefused() {
        final int capacity = 1 << 20;
        final long allowed = Libc.getrlimit(LibcConstants.RLIMIT_NOFILE).soft();
        assumeTrue(Long.compareUnsigned(allowed, capacity) < 0, "the limit of open files is " + allowed);
        final PollSet large = new PollSet(capacity);
        for (int i = 0; i <= allowed; i++) {
            large.add(1 << 29, POLLIN);
        }
        assertFails("ppoll", "EINVAL", () -> Libc.poll(large, 0)).hasMessageContaining(allowed + 1 + " files");
    }

    @Test
    void pollingAndReadingAllocateNothing() {
        try (EventFd event = EventFd.create()) {
            set.add(event.fd(), POLLIN);
            assertThat(Allocations.perStep(MANY, 0.9, () -> {
                event.signal();
                if (Libc.poll(set, LONG) != 1 || set.revents(0) != POLLIN || event.read() != 1) {
                    throw new AssertionError("revents " + set.revents(0));
                }
            })).as("bytes in a round").isLessThan(1);
        }
    }

    private static void start(final FutureTask<?> task) {
        final Thread thread = new Thread(task, "poller");
        thread.setDaemon(true);
        thread.start();
    }
}
