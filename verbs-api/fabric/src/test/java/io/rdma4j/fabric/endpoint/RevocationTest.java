/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.PinnedMemory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.agrona.concurrent.UnsafeBuffer;

/** When closing a region has returned no peer changes its memory any more, however hard they try (checklist 46). */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RevocationTest {
    private static final int ROUNDS = TestBudget.rounds(6, 12);
    private static final long WATCHED_NANOS =
        TestBudget.time(Duration.ofMillis(40), Duration.ofMillis(250)).toNanos();
    private static final int WORDS = 64;

    @RegisterExtension
    final Sides sides = new Sides();

    private volatile long key;
    private volatile boolean stopped;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    @ParameterizedTest
    @EnumSource(names = {"PROV_KEY_OFFSETS", "APPLICATION_KEY_OFFSETS"})
    void underLoad(final Mode mode) throws Exception {
        final Side b = sides.open(mode.hints());
        final Side[] writers = {sides.open(mode.hints()), sides.open(mode.hints())};
        final List<MsgEndpoint> ends = new ArrayList<>();
        for (final Side writer : writers) {
            final MsgEndpoint end = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(16, 16));
            ends.add(end);
            writer.ep.connect(end.name());
            end.connect(writer.ep.name());
        }
        final ExecutorService threads = Executors.newFixedThreadPool(writers.length);
        try (PinnedMemory other = b.domain.allocate(8192)) {
            MemoryRegion region = register(b, b.memory);
            key = region.key();
            final List<Future<?>> running = new ArrayList<>();
            for (final Side writer : writers) {
                running.add(threads.submit(() -> hammer(writer)));
            }
            for (int round = 0; round < ROUNDS; round++) {
                final UnsafeBuffer now = round % 2 == 0 ? b.bytes : other.buffer();
                final long before = written.get();
                b.until(() -> written.get() > before + 200 || running.stream().anyMatch(Future::isDone));
                region.close();
                final long[] content = snapshot(now);
                // The same key means other memory meanwhile, where keys are the application's.
                region = register(b, round % 2 == 0 ? other : b.memory);
                key = region.key();
                final long end = System.nanoTime() + WATCHED_NANOS;
                while (System.nanoTime() - end < 0) {
                    assertThat(snapshot(now)).as("round %d, written %d refused %d", round, written.get(),
                        refused.get()).isEqualTo(content);
                }
            }
            stopped = true;
            for (final Future<?> one : running) {
                Patience.get(one);
            }
            region.close();
            assertThat(written.get()).isGreaterThan(200L * ROUNDS);
        } finally {
            stopped = true;
            threads.shutdownNow();
            ends.forEach(MsgEndpoint::close);
        }
        assertThat(b.ep.isClosed()).isFalse();
    }

    private static MemoryRegion register(final Side b, final PinnedMemory memory) {
        final Set<io.rdma4j.fabric.MrAccess> access =
            EnumSet.of(io.rdma4j.fabric.MrAccess.REMOTE_WRITE, io.rdma4j.fabric.MrAccess.REMOTE_READ);
        return b.domain.register(memory.address(), 8192, access, 9);
    }

    private static long[] snapshot(final UnsafeBuffer from) {
        final long[] words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = from.getLongVolatile(8 * i);
        }
        return words;
    }

    private Void hammer(final Side side) {
        final MemoryRegion desc = side.local();
        final int[] underWay = new int[1];
        long value = 0;
        while (!stopped) {
            final long wanted = key;
            side.bytes.putLong(8 * (int) (value % WORDS), ++value);
            final int code = side.ep.write(side.at(0), 8 * WORDS, desc, 0, wanted, value);
            underWay[0] += code == 0 ? 1 : 0;
            if (code != 0 && code != -FiErrno.FI_EAGAIN) {
                throw new AssertionError(FiErrno.name(code) + " of " + side.ep);
            }
            take(side, underWay);
        }
        while (underWay[0] > 0) {
            take(side, underWay);
        }
        return null;
    }

    private void take(final Side side, final int[] underWay) {
        side.cq.read(entry -> {
            underWay[0]--;
            if (!entry.isError()) {
                written.incrementAndGet();
            } else if (entry.errno() == FiErrno.FI_EACCES || entry.errno() == FiErrno.FI_EKEYREJECTED) {
                refused.incrementAndGet();
            } else {
                throw new AssertionError(entry + " of " + side.ep);
            }
        }, 16);
    }
}
