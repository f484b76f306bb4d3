/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Patience;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Carriers in a folder of their own, which are closed and leave nothing. */
abstract class ShmFixture {
    private static final int YIELDS_AFTER = 64;
    /** What comes by way of the folder takes its time: the processor is others' meanwhile. */
    private static final int PAUSES_AFTER = 1024;
    static final Gid A = new Gid(0xfe80_0000_0000_0000L, 0xa);
    static final Gid B = new Gid(0xfe80_0000_0000_0000L, 0xb);
    static final Gid C = Gid.ofIpv4(0x7f00_0003);
    static final int SMALL_RING = ShmRing.LEAST_DATA;

    private final List<ShmCarrier> carriers = new ArrayList<>();
    private int files;
    private int mappings;
    @TempDir
    private Path top;
    Path folder;

    @BeforeEach
    void look() {
        folder = top.resolve("shm");
        files = Fd.openCount();
        mappings = MappedMemory.mappedCount();
    }

    @AfterEach
    void closeAll() {
        carriers.forEach(ShmCarrier::close);
        assertThat(Fd.openCount()).as("open files").isEqualTo(files);
        // Fewer where what another class left to the collector goes meanwhile.
        assertThat(MappedMemory.mappedCount()).as("mappings").isLessThanOrEqualTo(mappings);
    }

    ShmFolder place() throws IOException {
        return ShmFolder.prepare(folder);
    }

    ShmCarrier carrier(final Gid... gids) throws IOException {
        return register(ShmCarrier.open(place(), SMALL_RING), gids);
    }

    ShmCarrier register(final ShmCarrier made, final Gid... gids) {
        carriers.add(made);
        for (final Gid gid : gids) {
            assertThat(made.bind(gid)).isTrue();
        }
        return made;
    }

    static void await(final String what, final BooleanSupplier condition) {
        final long end = System.nanoTime() + Patience.nanos();
        for (int turn = 1; !condition.getAsBoolean(); turn++) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited until: " + what);
            }
            pause(turn);
        }
    }

    /** Most goes on in the thread of the test, which on a busy machine gets its processor back late. */
    static void pause(final int turn) {
        if (turn % PAUSES_AFTER == 0) {
            Patience.pause();
        } else if (turn % YIELDS_AFTER == 0) {
            Thread.yield();
        }
    }

    List<String> files() throws IOException {
        try (var all = Files.list(folder)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Polls until a number of frames have come, and checks that each is the next one. */
    static void receive(final Carrier carrier, final long first, final int count) {
        final long[] next = {first};
        await("frame " + count + " from " + first, () -> {
            carrier.poll(frame -> ShmPattern.check(frame, next[0]++), (int) Math.min(64, first + count - next[0]));
            return next[0] == first + count;
        });
    }

    static void receiveNone(final ShmCarrier carrier) {
        for (int i = 0; i < 200; i++) {
            assertThat(carrier.poll(frame -> {
                throw new AssertionError("frame " + ShmPattern.number(frame));
            }, 64)).isZero();
        }
    }

    /** Where the ring of a lane begins to which nothing was written. */
    static long ring(final Lane lane) {
        lane.lock().lock();
        try {
            return lane.claim(4) - ShmRing.WORD - ShmRing.DATA_OFFSET;
        } finally {
            lane.lock().unlock();
        }
    }

    static void poke(final long ring, final int at, final long value) {
        UnsafeApi.putLongVolatile(null, ring + ShmRing.DATA_OFFSET + at, value);
    }
}
