/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.device.common.Counter;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.testing.Done;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

/**
 * Own memory that is gone while several requests are under way together, as between processes: the peer may have
 * carried out those behind, and must not be asked for them again.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MendingOverWireTest {
    private static final String WIRE = "wire=shm&shortcut=false&progress=";

    @RegisterExtension
    final Sides sides = new Sides();

    private Side[] pair(final String progress) {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints, WIRE + progress);
        both[0].others.add(both[1]);
        both[1].others.add(both[0]);
        return both;
    }

    /** How often a side's device had no receive for a message. */
    private static long refusals(final Side side) {
        return count(side, Counter.RNR);
    }

    private static long count(final Side side, final Counter counter) {
        final String address = side.context.address();
        return EmulatedDevice.lookup(address.substring(address.indexOf(':') + 1, address.indexOf('?'))).counters()
            .get(counter);
    }

    /** It was refused for want of a receive, and has been sent before: the peer has taken nothing of it. */
    @ParameterizedTest
    @ValueSource(strings = {"thread", "poll"})
    void aMessageThatWaitsForAReceiveAndLosesItsMemoryTakesNothingAlong(final String progress) {
        Side[] both = pair(progress);
        int lost = 0;
        for (int round = 1; lost < 3 && round < 100; round++) {
            final int first = sendTwo(both[0], both[1], round);
            if (first < 0) {
                both = pair(progress);
            } else {
                lost += first == FiErrno.FI_EFAULT ? 1 : 0;
            }
        }
        assertThat(lost).as("sends that lost their memory").isEqualTo(3);
    }

    /**
     * What became of the first of two messages; -1 if the peer had no processor for half a second: then it was sent
     * twice, and the number at which the peer goes on is not known.
     */
    private static int sendTwo(final Side a, final Side b, final int round) {
        final MemoryRegion desc = a.local();
        final MemoryRegion there = b.local();
        final MemoryRegion gone = a.local();
        final long before = refusals(b);
        a.bytes.putLong(64, round);
        assertThat(a.ep.send(a.at(0), 8, gone, 1)).isZero();
        assertThat(a.ep.send(a.at(64), 8, desc, 2)).isZero();
        a.until(() -> refusals(b) > before);
        gone.close();
        b.post(() -> b.ep.receive(b.at(4096), 64, there, 20));
        final Done first = a.next();
        final boolean twice = count(a, Counter.RETRIES) > 0;
        assertThat(first.context()).as("%s", first).isEqualTo(1);
        assertThat(first.error()).isIn(FiErrno.name(0), FiErrno.name(FiErrno.FI_EFAULT));
        if (first.errno() == 0) {
            // It was just on its way again.
            assertThat(b.next().context()).isEqualTo(20);
            b.post(() -> b.ep.receive(b.at(4096), 64, there, 20));
        }
        final Done second = a.next();
        assertThat(second.context()).as("%s", second).isEqualTo(2);
        if (twice && second.errno() == FiErrno.FI_ETIMEDOUT) {
            return -1;
        }
        assertThat(second.errno()).as("%s", second).isZero();
        assertThat(b.next().context()).isEqualTo(20);
        assertThat(b.bytes.getLong(4096)).isEqualTo(round);
        assertThat(a.ep.isConnected()).isTrue();
        return first.errno();
    }

    /** The peer's device is at work when somebody looks there, or has not for long: mostly, both are under way then. */
    @Test
    void whatWasUnderWayBehindAReadIsNotAskedForTwice() {
        final Side[] both = pair("poll");
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(1);
        final long key = region.key();
        final long base = region.base();
        b.bytes.putLong(8, 0);
        a.succeeds(() -> a.ep.fetchAdd(a.at(0), desc, 1, base + 8, key, 0));
        long added = 1;
        int lost = 0;
        for (int round = 0; lost < 5 && round < 1000; round++) {
            final MemoryRegion gone = a.local();
            assertThat(a.ep.read(a.at(1024), 64, gone, base, key, 1)).isZero();
            assertThat(a.ep.fetchAdd(a.at(64), desc, 1, base + 8, key, 2)).isZero();
            gone.close();
            final Done read = a.next();
            assertThat(read.context()).as("%s", read).isEqualTo(1);
            assertThat(read.error()).isIn(FiErrno.name(0), FiErrno.name(FiErrno.FI_EFAULT));
            lost += read.errno() == 0 ? 0 : 1;
            final Done behind = a.next();
            assertThat(behind.context()).as("%s", behind).isEqualTo(2);
            assertThat(behind.error()).isIn(FiErrno.name(0), FiErrno.name(FiErrno.FI_ECANCELED));
            a.succeeds(() -> a.ep.fetchAdd(a.at(64), desc, 1, base + 8, key, 3));
            final long now = b.bytes.getLong(8);
            assertThat(now - added).as("%s and one more", behind).isBetween(behind.errno() == 0 ? 2L : 1L, 2L);
            added = now;
        }
        assertThat(lost).as("reads that lost their memory").isEqualTo(5);
        assertThat(a.ep.isConnected()).isTrue();
    }
}
