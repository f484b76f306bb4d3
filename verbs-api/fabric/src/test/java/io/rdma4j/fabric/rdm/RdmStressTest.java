/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All ranks send to all, at random, with few slots and few connections: nothing is lost, doubled or out of order. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RdmStressTest {
    private static final int SLOT = 16_384;
    private static final int RECEIVES = 4;
    /** Of each rank to all. */
    private static final int MESSAGES = TestBudget.rounds(60, 600);

    @RegisterExtension
    final World world = new World();

    /** What a rank has done and seen. */
    private static final class State {
        final Rank rank;
        final int index;
        final long[] names;
        final int[] sent;
        final int[] got;
        int sending;

        State(final Rank rank, final int index, final int ranks) {
            this.rank = rank;
            this.index = index;
            this.names = new long[ranks];
            this.sent = new int[ranks];
            this.got = new int[ranks];
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 0, ''", "2, 4, 2, ''", "3, 8, 3, ''", "4, 5, 2, quirks=qemu-7.2", "5, 6, 4, ''"})
    void allToAll(final long seed, final int ranks, final int connections, final String device) {
        final Random random = new Random(seed);
        final int messages = MESSAGES / ranks;
        final RdmaContext[] devices = {world.device(device), world.device(device)};
        final State[] states = new State[ranks];
        for (int i = 0; i < ranks; i++) {
            states[i] = new State(world.rank(devices[i % 2], World.options()
                .window(4 + random.nextInt(6), 256 + random.nextInt(2_000)).mostConnections(connections)
                .connectTimeout(Await.LONG)), i, ranks);
        }
        for (final State state : states) {
            for (int i = 0; i < ranks; i++) {
                state.names[i] = state.rank.av.insert(states[i].rank.ep.address());
            }
            for (int i = 0; i < RECEIVES; i++) {
                receive(state, i);
            }
        }
        Await.until(Duration.ofSeconds(100), () -> describe(states), () -> {
            step(states[random.nextInt(ranks)], states, random, messages);
            return isOver(states, messages);
        });
        for (final State state : states) {
            assertThat(state.got).containsOnly(messages);
        }
    }

    private static String describe(final State[] states) {
        final StringBuilder text = new StringBuilder("all is over:\n");
        for (final State state : states) {
            text.append(state.index).append(" sent ").append(java.util.Arrays.toString(state.sent)).append(" got ")
                .append(java.util.Arrays.toString(state.got)).append(' ').append(state.rank.ep).append('\n');
        }
        return text.toString();
    }

    private static boolean isOver(final State[] states, final int messages) {
        for (final State state : states) {
            for (int i = 0; i < states.length; i++) {
                if (state.got[i] < messages) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void step(final State one, final State[] states, final Random random, final int messages) {
        final int to = random.nextInt(states.length);
        if (one.sending == 0 && one.sent[to] < messages) {
            send(one, to, random);
        }
        one.rank.take();
        while (!one.rank.done.isEmpty()) {
            final Done done = one.rank.done.poll();
            assertThat(FiErrno.name(done.errno())).as("%s at %s", done, one.rank.ep)
                .isEqualTo(FiErrno.name(0));
            if (done.kind() == OperationKind.SEND) {
                one.sending--;
            } else {
                check(one, done);
                receive(one, (int) done.context());
            }
        }
    }

    /** The bytes tell who sent it, and which of his messages it is. */
    private static void send(final State one, final int to, final Random random) {
        final int most =
            (int) Math.min(8_000, one.rank.domain.info().endpointAttributes().maxMessageSize() - 16);
        final int length =
            16 + (random.nextInt(5) == 0 ? random.nextInt(most) : random.nextInt(100));
        final long seed = one.index * 1_000_000L + to * 10_000L + one.sent[to];
        final int at = RECEIVES * SLOT;
        one.rank.bytes.setMemory(at, length, (byte) seed);
        one.rank.bytes.putInt(at, one.index);
        one.rank.bytes.putInt(at + 4, one.sent[to]);
        one.rank.bytes.putInt(at + 8, length);
        final int code =
            one.rank.ep.sendWithData(one.rank.at(at), length, one.rank.region, length, one.names[to], 1);
        if (code == 0) {
            one.sent[to]++;
            one.sending++;
        } else {
            assertThat(FiErrno.name(-code)).isEqualTo("FI_EAGAIN");
        }
    }

    private static void receive(final State one, final int slot) {
        one.rank.post(() -> one.rank.ep.receive(one.rank.at(slot * SLOT), SLOT, one.rank.region, FiAddr.UNSPEC, slot));
    }

    private static void check(final State one, final Done done) {
        final int at = (int) done.context() * SLOT;
        final int from = one.rank.bytes.getInt(at);
        final int number = one.rank.bytes.getInt(at + 4);
        assertThat(done.source()).isEqualTo(one.names[from]);
        assertThat(number).as("in order, from %d at %d", from, one.index).isEqualTo(one.got[from]);
        assertThat(done.length()).isEqualTo(one.rank.bytes.getInt(at + 8)).isEqualTo(done.data());
        final byte fill = (byte) (from * 1_000_000L + one.index * 10_000L + number);
        for (int i = 12; i < done.length(); i++) {
            if (one.rank.bytes.getByte(at + i) != fill) {
                throw new AssertionError("byte " + i + " of " + done + " differs");
            }
        }
        one.got[from]++;
    }
}
