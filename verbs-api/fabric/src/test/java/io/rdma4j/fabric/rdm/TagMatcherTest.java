/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.PeerId;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a model that looks at everything in order, as fi_tagged(3) says it. */
class TagMatcherTest {
    private static final int RECEIVES = 64;
    private static final int STEPS = 20_000;

    private final Channel[] peers = {
        new ModelEnd(true, 1, 4, 64, 1).channel, new ModelEnd(false, 1, 4, 64, 1).channel};
    private final Matcher matcher = new Matcher(0, RECEIVES, 1, true, false);
    private final TagMatcher tags = matcher.tags();
    private final List<Receive> posted = new ArrayList<>();
    private final List<Slot> waiting = new ArrayList<>();

    private static boolean fits(final Receive receive, final PeerId peer, final long tag) {
        return (tag & ~receive.ignore) == (receive.tag & ~receive.ignore) && receive.takes(peer);
    }

    private Receive receive(final long context, final long tag, final long ignore, final Channel from) {
        final Receive receive = matcher.claim(context).tag(tag, ignore);
        if (from != null) {
            receive.from(addressOf(from.peer()), 1);
        }
        return receive;
    }

    private static PeerAddress addressOf(final PeerId peer) {
        final PeerAddress address = new PeerAddress();
        address.set(peer.gidHigh(), peer.gidLow(), peer.qpn(), peer.qkey(), 0);
        return address;
    }

    private Receive receiveAtRandom(final Random random, final long context) {
        final long ignore = random.nextInt(3) == 0 ? random.nextInt(8) : 0;
        return receive(context, tagAtRandom(random), random.nextInt(10) == 0 ? -1 : ignore,
            random.nextBoolean() ? null : peers[random.nextInt(2)]);
    }

    private static long tagAtRandom(final Random random) {
        return random.nextInt(6) << (random.nextBoolean() ? 0 : 61);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theFirstOfThoseThatFitIsTaken(final long seed) {
        final Random random = new Random(seed);
        int matches = 0;
        for (int i = 0; i < STEPS; i++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> matches += message(random);
                case 3, 4, 5 -> matches += post(random, i);
                case 6 -> takeBack(random);
                default -> giveUp(random);
            }
            assertThat(tags.posted()).isEqualTo(posted.size());
            assertThat(tags.waiting()).isEqualTo(waiting.size());
        }
        assertThat(matches).isGreaterThan(STEPS / 10);
    }

    private int message(final Random random) {
        final Channel from = peers[random.nextInt(2)];
        final long tag = tagAtRandom(random);
        final Receive wanted =
            posted.stream().filter(one -> fits(one, from.peer(), tag)).findFirst().orElse(null);
        final Receive found = tags.match(from.peer(), tag);
        assertThat(found).isSameAs(wanted);
        if (found == null) {
            final Slot slot = new Slot(from, 0, 0);
            slot.first(8, false, 0, true);
            tags.keep(slot, tag);
            waiting.add(slot);
            return 0;
        }
        posted.remove(found);
        if (random.nextInt(8) == 0) {
            // Its message broke off: it is where it was.
            tags.postAgain(found);
            posted.add(found);
            posted.sort((one, other) -> Long.compare(one.sequence, other.sequence));
            return 0;
        }
        matcher.giveBack(found);
        return 1;
    }

    private int post(final Random random, final long context) {
        if (posted.size() == RECEIVES) {
            return 0;
        }
        final Receive receive = receiveAtRandom(random, context);
        final Slot wanted = waiting.stream().filter(one -> fits(receive, one.channel.peer(), one.tag)).findFirst()
            .orElse(null);
        assertThat(tags.look(receive)).isSameAs(wanted);
        assertThat(matcher.messageFor(receive)).isSameAs(wanted);
        if (wanted == null) {
            tags.post(receive);
            posted.add(receive);
            return 0;
        }
        waiting.remove(wanted);
        matcher.giveBack(receive);
        return 1;
    }

    private void takeBack(final Random random) {
        if (!posted.isEmpty()) {
            final Receive receive = posted.remove(random.nextInt(posted.size()));
            assertThat(matcher.find(receive.context)).isSameAs(receive);
            matcher.giveBack(receive);
        }
        assertThat(matcher.find(-5)).isNull();
    }

    /** A peer is gone, with one message. */
    private void giveUp(final Random random) {
        if (!waiting.isEmpty()) {
            matcher.remove(waiting.remove(random.nextInt(waiting.size())));
        }
    }

    @Test
    void aPeerThatMovesKeepsThePlacesOfItsReceives() {
        final Receive first = receive(1, 7, 0, peers[0]);
        final Receive second = receive(2, 7, 0, peers[1]);
        final Receive third = receive(3, 7, 0, null);
        tags.post(first);
        tags.post(second);
        tags.post(third);
        tags.unlink(first);
        first.from(addressOf(peers[1].peer()), 1);
        tags.link(first);
        assertThat(tags.match(peers[1].peer(), 7)).isSameAs(first);
        assertThat(tags.match(peers[1].peer(), 7)).isSameAs(second);
        assertThat(tags.match(peers[1].peer(), 7)).isSameAs(third);
        assertThat(tags.match(peers[1].peer(), 7)).isNull();
    }

    @Test
    void aClaimedMessageIsForItsContextAlone() {
        final Slot slot = new Slot(peers[0], 0, 0);
        slot.first(8, false, 0, true);
        tags.keep(slot, 5);
        tags.claim(slot, 77);
        assertThat(tags.look(receive(1, 5, -1, null))).isNull();
        assertThat(tags.takeClaimed(76)).isNull();
        assertThat(tags.oldestClaimed()).isSameAs(slot);
        assertThat(tags.takeClaimed(77)).isSameAs(slot);
        assertThat(tags.takeClaimed(77)).isNull();
    }

    /** What a message has to look at does not grow with how many receives are posted. */
    @ParameterizedTest
    @ValueSource(longs = {1, 1 << 8, 1 << 20, 1L << 32, 1L << 40, 1L << 56, 0x9e37_79b9_7f4a_7c15L})
    void chainsAreShortWhateverDistinguishesTags(final long step) {
        final int many = 10_000;
        final Matcher large = new Matcher(0, many, 1, true, false);
        final int[] depths = new int[256];
        for (int i = 0; i < many; i++) {
            final Receive receive = large.claim(i).tag(step == 1L << 56 ? i % 256 * step + i : i * step, 0);
            large.tags().post(receive);
            int depth = 0;
            for (Receive before = receive.chainOlder; before != null; before = before.chainOlder) {
                depth++;
            }
            depths[depth]++;
        }
        assertThat(depths[12]).as("receives that have twelve before them").isZero();
    }

    /** A tag that all use, from thousands of sources. */
    @Test
    void chainsAreShortWhereSourcesDiffer() {
        final int many = 10_000;
        final Matcher large = new Matcher(0, many, 1, true, false);
        final int[] depths = new int[many];
        for (int i = 0; i < many; i++) {
            final Receive receive = large.claim(i).tag(3, 0);
            final PeerAddress address = new PeerAddress();
            address.set(0xfe80L << 48, i / 10, i % 10, 0x1234_5678 * i, i);
            receive.from(address, 1);
            large.tags().post(receive);
            int depth = 0;
            for (Receive before = receive.chainOlder; before != null; before = before.chainOlder) {
                depth++;
            }
            depths[depth]++;
        }
        assertThat(depths[20]).as("receives that have twenty before them").isZero();
    }
}
