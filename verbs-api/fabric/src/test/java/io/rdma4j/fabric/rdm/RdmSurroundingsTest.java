/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.name.TestNames;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an endpoint has to do with queues that sleep, counters and names. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmSurroundingsTest {
    private static final Duration LONG = Patience.duration();

    @RegisterExtension
    final World world = new World();

    /** Both sides do nothing but sleep in their queues: all that wakes them is what the other does. */
    @Test
    void whoSleepsIsWokenUpByPeers() throws Exception {
        final RdmaContext device = world.device("");
        final Rank a = world.rank(device, World.options().connectTimeout(LONG));
        final Rank b = world.rank(device, World.options());
        final long toB = a.knows(b);
        final int rounds = 20;
        assertThat(b.ep.receive(b.at(0), 16, b.region, FiAddr.UNSPEC, 1)).isZero();
        final CompletableFuture<Integer> receiver = CompletableFuture.supplyAsync(() -> {
            int got = 0;
            while (got < rounds) {
                final int code = b.cq.awaitRead(entry -> assertThat(entry.isError()).isFalse(), 8, LONG);
                assertThat(code).as(FiErrno.name(-code)).isPositive();
                for (int i = 0; i < code; i++) {
                    assertThat(b.ep.receive(b.at(0), 16, b.region, FiAddr.UNSPEC, 1)).isZero();
                }
                got += code;
            }
            return got;
        }, Background::run);
        for (int i = 0; i < rounds; i++) {
            final int round = i;
            a.post(() -> a.ep.send(a.at(0), 8, a.region, toB, round));
            final int code = a.cq.awaitRead(
                entry -> assertThat(entry.isError()).as("%s", entry).isFalse(), 1, LONG);
            assertThat(code).as("%s of round %d: %s", FiErrno.name(-code), i, a.ep).isEqualTo(1);
        }
        assertThat(Patience.get(receiver)).isEqualTo(rounds);
    }

    @Test
    void countersCountAllThatIsOver() {
        final RdmaContext device = world.device("");
        final Counter[] counters = new Counter[2];
        final Rank a = world.rank(device, World.hints(device), World.options().selectiveCompletion(true),
            new AvAttributes(), (rank, own) -> {
                counters[0] = rank.keep(rank.domain.openCounter());
                own.counter(counters[0], CounterEvent.SEND);
            });
        final Rank b = world.rank(device, World.hints(device), World.options(), new AvAttributes(), (rank, own) -> {
            counters[1] = rank.keep(rank.domain.openCounter());
            own.counter(counters[1], CounterEvent.RECV);
        });
        world.acquainted(a, b);
        final long toB = a.knows(b);
        for (int i = 0; i < 10; i++) {
            b.post(() -> b.ep.receive(b.at(0), 16, b.region, FiAddr.UNSPEC, 1));
            a.post(() -> a.ep.send(a.at(0), 8, a.region, toB, 2));
            b.next();
        }
        b.post(() -> b.ep.receive(b.at(0), 4, b.region, FiAddr.UNSPEC, 1));
        a.post(() -> a.ep.send(a.at(0), 8, a.region, toB, 2));
        assertThat(b.next().errno()).isEqualTo(FiErrno.FI_ETRUNC);
        a.until(() -> counters[0].read() == 11);
        assertThat(counters[1].read()).isEqualTo(10);
        assertThat(counters[1].readError()).isEqualTo(1);
        assertThat(a.done).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = AddressFormat.class, names = {"SOCKADDR_IN", "SOCKADDR_IN6", "STR"})
    void addressesOfAllFormats(final AddressFormat format) {
        TestNames.use();
        final RdmaContext device = world.device("");
        final Rank a = world.rank(device, World.hints(device).addressFormat(format), World.options(),
            new AvAttributes());
        final Rank b = world.rank(device, World.hints(device).addressFormat(format), World.options(),
            new AvAttributes());
        world.acquainted(a, b);
        assertThat(b.ep.address().format()).isEqualTo(format);
        final long toB = a.knows(b);
        final long toA = b.knows(a);
        b.post(() -> b.ep.receive(b.at(0), 16, b.region, toA, 1));
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toB, 2));
        assertThat(b.next().source()).isEqualTo(toA);
    }
}
