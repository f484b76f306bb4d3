/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Both ends refuse accesses of each other, again and again, while messages and good accesses go on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MendingUnderLoadTest {
    private static final int ROUNDS = 60;

    @RegisterExtension
    final Sides sides = new Sides();

    @ParameterizedTest
    @EnumSource(names = {"PROV_KEY_VIRT", "APPLICATION_KEY_OFFSETS", "RAW_OFFSETS"})
    void bothWays(final Mode mode) throws Exception {
        final Side[] both = sides.pair(mode::hints);
        final MemoryRegion[] kept = {both[0].register(1), both[1].register(1)};
        final MemoryRegion[] closed = {both[0].register(2), both[1].register(2)};
        final long[] good = {mode.key(both[0], kept[1]), mode.key(both[1], kept[0])};
        final long[] bad = {mode.key(both[0], closed[1]), mode.key(both[1], closed[0])};
        closed[0].close();
        closed[1].close();
        final ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            final Future<?>[] running = new Future<?>[2];
            for (int i = 0; i < 2; i++) {
                final int me = i;
                running[i] = threads.submit(
                    () -> load(both[me], kept[me], kept[1 - me].base(), good[me], bad[me]));
            }
            for (final Future<?> one : running) {
                one.get(2 * Patience.millis(), TimeUnit.MILLISECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        for (int i = 0; i < 2; i++) {
            assertThat(both[i].ep.isConnected()).isTrue();
            mode.release(both[i], good[i]);
            mode.release(both[i], bad[i]);
        }
    }

    private static Void load(
        final Side me, final MemoryRegion desc, final long base, final long good, final long bad) {
        int receives = 0;
        int wanted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final int n = round;
            me.post(() -> me.ep.receive(me.at(4096), 8, desc, 1));
            me.post(() -> me.ep.send(me.at(0), 8, desc, 2));
            me.post(() -> me.ep.writeWithData(me.at(0), 8, desc, n, base + 8192, good, 3));
            me.post(() -> me.ep.write(me.at(0), 8, desc, base, bad, 4));
            me.post(() -> me.ep.read(me.at(0), 8, desc, base + 8192, good, 5));
            receives++;
            wanted += 6;
        }
        int data = 0;
        for (int i = 0; i < wanted; i++) {
            final Done one = me.next();
            if (one.context() == 4) {
                assertThat(one.errno()).as(one.toString()).isIn(FiErrno.FI_EACCES, FiErrno.FI_EKEYREJECTED);
            } else {
                assertThat(one.errno()).as(one.toString()).isZero();
            }
            if (one.context() == 0) {
                assertThat(one.data()).as(one.toString()).isEqualTo(data++);
            }
        }
        assertThat(receives).isEqualTo(ROUNDS);
        return null;
    }
}
