/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Peers that are gone without a word, and memory that is. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmLossTest {
    @RegisterExtension
    final World world = new World();

    private static void talk(final Rank a, final Rank b, final long toB) {
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 21));
        a.succeeds(() -> a.ep.send(a.at(0), 32, a.region, toB, 22));
        assertThat(b.next().errno()).isZero();
    }

    private static Connections links(final Rank rank) {
        return ((RdmEndpoint) rank.ep).resources().links();
    }

    /** As when its process is killed: its queue pairs are gone, and it says nothing. */
    private static void kill(final Rank rank) {
        for (int i = 0; i < 8; i++) {
            final LinkEnd link = links(rank).link(i);
            if (link != null) {
                link.link().close();
            }
        }
    }

    @Test
    void aMessageThatWaitsForCreditsOfAPeerThatWasKilledFails() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        talk(a, b, toB);
        a.post(() -> a.ep.send(a.at(0), 200_000, a.region, toB, 9));
        for (int i = 0; i < 100; i++) {
            a.progress();
        }
        a.others.clear();
        kill(b);
        final Done failed = a.nextAfterSilence();
        assertThat(FiErrno.name(failed.errno())).as("%s", failed).isEqualTo("FI_ECONNRESET");
        assertThat(failed.context()).isEqualTo(9);
    }

    @Test
    void aReceiveThatAKilledPeerFillsIsForOthersAgain() {
        final RdmaContext device = world.device("");
        final Rank[] all = world.acquainted(world.rank(device, World.options()),
            world.rank(device, World.options()), world.rank(device, World.options()));
        final Rank a = all[0];
        final Rank b = all[1];
        final Rank c = all[2];
        final long aToC = a.knows(c);
        final long bToC = b.knows(c);
        talk(a, c, aToC);
        talk(b, c, bToC);
        a.post(() -> a.ep.send(a.at(0), Rank.SIZE, a.region, aToC, 3));
        for (int i = 0; i < 100; i++) {
            // What fits the window.
            a.take();
        }
        c.post(() -> c.ep.receive(c.at(0), Rank.SIZE, c.region, FiAddr.UNSPEC, 77));
        for (int i = 0; i < 50; i++) {
            c.take();
        }
        b.post(() -> {
            b.take();
            c.take();
            return b.ep.send(b.at(0), 8, b.region, bToC, 4);
        });
        for (int i = 0; i < 100; i++) {
            b.take();
            c.take();
        }
        assertThat(c.done).as("a's message is not complete").isEmpty();
        kill(a);
        b.others.clear();
        c.others.clear();
        final Done got = c.nextAfterSilence();
        assertThat(got.context()).isEqualTo(77);
        assertThat(got.errno()).isZero();
        assertThat(got.length()).isEqualTo(8);
    }

    @Test
    void aReceiveWhoseRegionIsGoneIsNotWritten() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        talk(a, b, toB);
        final PinnedMemory memory = b.domain.allocate(4096);
        final MemoryRegion region = b.domain.register(new MrAttributes().buffer(memory)
            .access(EnumSet.of(MrAccess.RECV, MrAccess.SEND)).requestedKey(99));
        b.post(() -> b.ep.receive(memory.address(), 4096, region, FiAddr.UNSPEC, 5));
        memory.buffer().putLong(0, 4711);
        region.close();
        a.bytes.putLong(0, 815);
        a.succeeds(() -> a.ep.send(a.at(0), 4096, a.region, toB, 6));
        final Done got = b.next();
        assertThat(FiErrno.name(got.errno())).as("%s", got).isEqualTo("FI_EFAULT");
        assertThat(memory.buffer().getLong(0)).isEqualTo(4711);
        memory.close();
        talk(a, b, toB);
    }

    @Test
    void aSendThatWaitsIsNotSentOnceItsRegionIsGone() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final PinnedMemory memory = a.domain.allocate(4096);
        final MemoryRegion region = a.domain.register(new MrAttributes().buffer(memory)
            .access(EnumSet.of(MrAccess.RECV, MrAccess.SEND)).requestedKey(99));
        a.post(() -> a.ep.send(memory.address(), 64, region, toB, 5));
        region.close();
        memory.close();
        final Done done = a.next();
        assertThat(FiErrno.name(done.errno())).as("%s", done).isEqualTo("FI_EFAULT");
        talk(a, b, toB);
    }

    @Test
    void peersThatComeAndGoLeaveNothing() {
        final Rank a = world.rank(world.device(""), World.options().connectTimeout(Duration.ofMillis(50)));
        for (int i = 0; i < 5; i++) {
            final Gid gid = i % 2 == 0 ? a.context.queryGid(1, 0) : new Gid(0xfe80L << 48, 0x1234);
            final long nobody = a.av.insert(FabricAddress.device(gid, 77 + i, 5, EndpointType.RDM));
            a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, nobody, 1));
            a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, nobody, 2));
            a.av.remove(new long[] {nobody}, 1, 0);
        }
        assertThat(links(a).known()).isZero();
    }

    @Test
    void aPeerThatBeganAnewWithAnotherQueueKeyIsAnotherOne() {
        final Rank a = world.rank(world.device(""), World.options());
        final Connections links = links(a);
        final Gid gid = new Gid(0xfe80L << 48, 0x1234);
        final io.rdma4j.fabric.av.PeerAddress address = new io.rdma4j.fabric.av.PeerAddress();
        address.set(gid.high(), gid.low(), 77, 5, 0);
        final Connection before = links.find(address);
        assertThat(links.find(address)).isSameAs(before);
        address.set(gid.high(), gid.low(), 77, 6, 0);
        final Connection now = links.find(address);
        assertThat(now).isNotSameAs(before).isSameAs(links.find(address));
        assertThat(now.id.qkey()).isEqualTo(6);
        assertThat(links.known()).as("nothing is left of the other one").isEqualTo(1);
    }
}
