/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Memory of peers that are named by a vector. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmRmaTest {
    @RegisterExtension
    final World world = new World();

    private static long key(final Rank a, final Rank b) {
        return b.region.key();
    }

    @Test
    void theFirstOperationConnects() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        a.bytes.putLong(0, 42);
        assertThat(a.succeeds(() -> a.ep.write(a.at(0), 8, a.region, toB, b.region.base() + 800, key(a, b), 3)))
            .isEqualTo(new Done(a.ep, OperationKind.WRITE, 3, 8, false, 0, -1, 0, 0, 0, "", 0, false));
        assertThat(b.bytes.getLong(800)).isEqualTo(42);
        b.bytes.putLong(808, 43);
        a.succeeds(() -> a.ep.read(a.at(16), 8, a.region, toB, b.region.base() + 808, key(a, b), 4));
        assertThat(a.bytes.getLong(16)).isEqualTo(43);
    }

    @Test
    void atomicsFetchWhatWasThere() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        b.bytes.putLong(800, 10);
        final long there = b.region.base() + 800;
        assertThat(a.succeeds(() -> a.ep.fetchAdd(a.at(0), a.region, 5, toB, there, key(a, b), 3)).kind())
            .isEqualTo(OperationKind.ATOMIC);
        assertThat(a.bytes.getLong(0)).isEqualTo(10);
        a.succeeds(() -> a.ep.compareSwap(a.at(0), a.region, 15, 77, toB, there, key(a, b), 3));
        assertThat(a.bytes.getLong(0)).isEqualTo(15);
        assertThat(b.bytes.getLong(800)).isEqualTo(77);
    }

    @Test
    void dataOfAWriteComesToTheReceiveQueueWithItsSource() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long toA = b.knows(a);
        for (int i = 0; i < 100; i++) {
            final int n = i;
            a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, a.region, n, toB, b.region.base(), key(a, b), 3));
            final Done got = b.next();
            assertThat(got.kind()).isEqualTo(OperationKind.REMOTE_WRITE);
            assertThat(got.data()).isEqualTo(i);
            assertThat(got.hasData()).isTrue();
            assertThat(got.source()).isEqualTo(toA);
        }
    }

    @Test
    void whatThePeerRefusesFailsAlone() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long there = b.region.base();
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, a.region, toB, there, 12_345, 1));
        a.succeeds(() -> a.ep.write(a.at(0), 8, a.region, toB, there, key(a, b), 2));
        final Done beyond = a.fails(FiErrno.FI_EINVAL,
            () -> a.ep.write(a.at(0), 8, a.region, toB, there + Rank.SIZE - 4, key(a, b), 3));
        assertThat(beyond.text()).isEqualTo("the range is not inside of the peer's region");
        a.succeeds(() -> a.ep.read(a.at(0), 8, a.region, toB, there, key(a, b), 4));
    }

    private void injects(final Rank a, final Message message, final int number) {
        a.bytes.putLong(0, number);
        a.bytes.putLong(512, -number);
        a.post(() -> a.ep.writeMessage(message.context(number), OpFlags.INJECT));
        a.bytes.putLong(0, 4711);
        a.bytes.putLong(512, 4711);
        final Done done = a.next();
        assertThat(done.errno()).as("%s", done).isZero();
        assertThat(done.context()).isEqualTo(number);
    }

    /** The first one waits: for its connection, and for what the peer says of the key. */
    @Test
    void injectedWritesAreCopied() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        for (int i = 1; i <= 20; i++) {
            final Message message = new Message(2).add(a.at(0), 8, a.region).add(a.at(512), 8, a.region)
                .peer(toB).remote(b.region.base() + 16L * i, key(a, b));
            injects(a, message, i);
            assertThat(b.bytes.getLong(16 * i)).isEqualTo(i);
            assertThat(b.bytes.getLong(16 * i + 8)).isEqualTo(-i);
        }
        final Message most = new Message(1).add(a.at(0), 128, a.region).peer(toB)
            .remote(b.region.base(), key(a, b));
        injects(a, most, 99);
        assertThat(b.bytes.getLong(0)).isEqualTo(99);
    }

    @Test
    void whatCannotBeInjectedIsRefusedAtOnce() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final long toB = a.knows(both[1]);
        final Message longer = new Message(1).add(a.at(0), 129, a.region).peer(toB);
        final Message nowhere = new Message(1).add(a.at(Rank.SIZE), 8, a.region).peer(toB);
        for (int i = 0; i < 2; i++) {
            assertThat(a.ep.writeMessage(longer, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EMSGSIZE);
            assertThat(a.ep.writeMessage(nowhere, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EINVAL);
            a.succeeds(() -> a.ep.write(a.at(0), 8, a.region, toB, both[1].region.base(), key(a, both[1]), 3));
        }
        assertThat(a.done).isEmpty();
    }

    @Test
    void toItself() {
        final Rank a = world.rank(world.device(""), World.options());
        final long self = a.knows(a);
        a.bytes.putLong(0, 99);
        a.succeeds(() -> a.ep.write(a.at(0), 8, a.region, self, a.region.base() + 64, key(a, a), 1));
        assertThat(a.bytes.getLong(64)).isEqualTo(99);
    }

    @Test
    void deviceWithoutItSaysSo() {
        final Rank[] both = world.pair(World.QEMU);
        final Rank a = both[0];
        final long toB = a.knows(both[1]);
        assertThat(a.ep.write(a.at(0), 8, a.region, toB, 0, 0, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.ep.fetchAdd(a.at(0), a.region, 1, toB, 0, 0, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
    }
}
