/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers look while writers write. */
@Timeout(120)
@Tag("slow")
class LiveRacesTest extends LiveFixture {
    private static final int LOOKS = 3000;
    /** For the first find, where the other thread is slow to start. */
    private static final long DEADLINE_NANOS = Patience.nanos();
    private static final int PIECE = 64 * 1024;
    private static final byte OURS = 7;
    private static final byte OTHERS = 9;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void stop() throws Exception {
        over.set(true);
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    private CompletableFuture<Void> forever(final Runnable step) {
        return CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                step.run();
            }
        }, threads);
    }

    /** Writers that never rest leave readers no moment to look, and those that always do meet none of them. */
    private static void pause(final boolean isLong, final long nanos) {
        if (isLong) {
            LockSupport.parkNanos(nanos);
        } else {
            Thread.yield();
        }
    }

    private static void set(final LiveEntry entry, final long value) {
        for (int i = 0; i < Kinds.FULL.attributes().size(); i++) {
            entry.set(i, value);
        }
        entry.publish();
    }

    /** All attributes of an object are of one publication, and of this object, however often its place is reused. */
    @Test
    void anObjectIsAsItWasAtOneMoment() {
        System.setProperty(LiveSettings.OBJECTS, "3");
        final LiveDevice device = device("fake:");
        final LiveEntry steady = device.add(Kinds.FULL, 1);
        final long[] value = new long[1];
        set(steady, 0);
        final CompletableFuture<Void> changes = forever(() -> {
            set(steady, ++value[0]);
            pause(value[0] % 8 == 0, 10_000);
        });
        final CompletableFuture<Void> comings = forever(() -> {
            final LiveEntry entry = device.add(Kinds.FULL, 2);
            set(entry, -7);
            entry.close();
        });
        final LiveView view = view(device);
        long last = 0;
        int seen = 0;
        for (int look = 0; look < LOOKS; look++) {
            for (final LiveObject object : view.objects(Kinds.FULL)) {
                final long first = object.attribute(0);
                assertThat(object.attributes()).as("look %d, object %s", look, object)
                    .containsOnly(first);
                assertThat(first == -7).isEqualTo(object.handle() == 2);
                if (object.handle() == 1) {
                    assertThat(first).isGreaterThanOrEqualTo(last);
                    last = first;
                    seen++;
                }
            }
        }
        assertThat(seen).as("looks that found it; troubles: %s", view.troubles()).isGreaterThan(LOOKS / 2);
        assertThat(changes).isNotDone();
        assertThat(comings).isNotDone();
    }

    @Test
    void commandsAreWholeAndInOrder() {
        final LiveDevice device = device("fake:");
        final UnsafeBuffer request = new UnsafeBuffer(new byte[256]);
        final UnsafeBuffer response = new UnsafeBuffer(new byte[256]);
        final int[] count = new int[1];
        final CompletableFuture<Void> commands = forever(() -> {
            request.setMemory(0, 256, (byte) count[0]);
            response.setMemory(0, 256, (byte) ~count[0]);
            device.command(count[0], count[0], count[0], request, response);
            count[0]++;
        });
        final LiveView view = view(device);
        for (int look = 0; look < LOOKS / 10; look++) {
            long number = -1;
            for (final LiveCommand command : view.commands()) {
                assertThat(command.number()).isGreaterThan(number);
                number = command.number();
                final byte expected = (byte) number;
                assertThat(command.epochNanos()).isEqualTo(number);
                assertThat(command.request()).containsOnly(expected);
                assertThat(command.response()).containsOnly((byte) ~expected);
            }
        }
        assertThat(commands).isNotDone();
    }

    /** Memory that was given back, and is somebody else's, is never what a reader gets. */
    @Test
    void memoryIsReadOnlyWhileItIsASegments() throws Exception {
        final LiveDevice device = device("fake:");
        final int shared = memory(new byte[PIECE]);
        final RandomAccessFile memory = closing(new RandomAccessFile("/proc/self/fd/" + shared, "rw"));
        final byte[] ours = filled(OURS);
        final byte[] others = filled(OTHERS);
        final int[] round = new int[1];
        final CompletableFuture<Void> owner = forever(() -> {
            put(memory, ours);
            final LivePublisher.LiveEnd end = device.segment(new LiveSegment(0x1000, 0, PIECE, shared, 0));
            pause(++round[0] % 2 == 0, 100_000);
            end.close();
            put(memory, others);
        });
        final LiveView view = view(device);
        final long start = System.nanoTime();
        int seen = 0;
        for (int look = 0; look < LOOKS || seen == 0 && System.nanoTime() - start < DEADLINE_NANOS; look++) {
            final Optional<byte[]> bytes = view.read(0x1000, PIECE);
            bytes.ifPresent(read -> assertThat(Arrays.equals(read, ours)).as("first byte %d", read[0]).isTrue());
            seen += bytes.isPresent() ? 1 : 0;
        }
        assertThat(seen).as("looks that found it; troubles: %s", view.troubles()).isPositive();
        assertThat(owner).isNotDone();
    }

    private static byte[] filled(final byte value) {
        final byte[] bytes = new byte[PIECE];
        Arrays.fill(bytes, value);
        return bytes;
    }

    private static void put(final RandomAccessFile memory, final byte[] bytes) {
        try {
            memory.seek(0);
            memory.write(bytes);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void devicesAreOpenedClosedCountedAndReadAtOnce() {
        final List<CompletableFuture<Void>> all = List.of(forever(this::openAndClose), forever(this::openAndClose),
            forever(() -> LiveViews.list().forEach(listed -> assertThat(listed.status()).as(listed.toString())
                .isIn(LiveViews.Status.LIVE, LiveViews.Status.STALE, LiveViews.Status.CORRUPT))));
        for (int i = 0; i < 200; i++) {
            openAndClose();
        }
        assertThat(all).noneMatch(CompletableFuture::isDone);
    }

    private void openAndClose() {
        final LiveDevice device = LiveDevice.open("fake:");
        try {
            final LiveEntry entry = device.add(Kinds.COUNTED, 1);
            entry.publish();
            entry.count(0, 5);
            try (LiveView view = LiveViews.open(device.file().orElseThrow())) {
                assertThat(view.objects(Kinds.COUNTED)).hasSize(1);
            }
            device.close();
            entry.count(0, 6);
            entry.close();
        } finally {
            device.close();
        }
    }
}
