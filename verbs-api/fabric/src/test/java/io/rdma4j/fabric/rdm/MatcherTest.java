/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.PeerId;

import org.junit.jupiter.api.Test;

/** Receives without tags are used in the order in which they were posted, also if a message breaks off. */
class MatcherTest {
    private final PeerId one = new ModelEnd(true, 1, 4, 64, 1).channel.peer();
    private final PeerId other = new ModelEnd(false, 1, 4, 64, 1).channel.peer();
    private final Matcher matcher = new Matcher(0, 8, 1, true, true);

    private Receive post(final long context, final PeerId from) {
        final Receive receive = matcher.claim(context);
        if (from != null) {
            final PeerAddress address = new PeerAddress();
            address.set(from.gidHigh(), from.gidLow(), from.qpn(), from.qkey(), 0);
            receive.from(address, 1);
        }
        matcher.post(receive);
        return receive;
    }

    @Test
    void oneWhoseSenderDiedWaitsWhereItWas() {
        final Receive directed = post(1, one);
        final Receive open = post(2, null);
        final Receive last = post(3, null);
        assertThat(matcher.match(other, 8)).isSameAs(open);
        matcher.postAgain(open);
        assertThat(matcher.match(one, 8)).as("posted first").isSameAs(directed);
        assertThat(matcher.match(one, 8)).isSameAs(open);
        assertThat(matcher.match(one, 8)).isSameAs(last);
    }

    @Test
    void severalKeepTheirOrder() {
        final Receive first = post(1, null);
        final Receive second = post(2, null);
        assertThat(matcher.match(one, 8)).isSameAs(first);
        assertThat(matcher.match(other, 8)).isSameAs(second);
        matcher.postAgain(first);
        matcher.postAgain(second);
        assertThat(matcher.any()).isSameAs(first);
        assertThat(matcher.any()).isSameAs(second);
    }

    /** It was not posted then, and its turn had come all the same: it waits behind what was posted before it. */
    @Test
    void oneThatTookAMessageWhichThenBrokeOffHasItsTurn() {
        final Receive directed = post(1, one);
        final Slot begun = new Slot(new ModelEnd(false, 1, 4, 64, 1).channel, 0, 0);
        begun.first(300, false, 0, false);
        matcher.keep(begun);
        final Receive open = matcher.claim(2);
        assertThat(matcher.messageFor(open)).isSameAs(begun);
        final Receive last = post(3, null);
        matcher.postAgain(open);
        assertThat(matcher.match(one, 8)).as("posted first").isSameAs(directed);
        assertThat(matcher.match(one, 8)).isSameAs(open);
        assertThat(matcher.match(one, 8)).isSameAs(last);
    }

    /** A place that was used without a tag before comes no later among those with tags. */
    @Test
    void tagsHaveNoTurnsOfTheirOwn() {
        for (int i = 0; i < 100; i++) {
            matcher.giveBack(matcher.match(one, post(i, null).sequence > 0 ? 8 : 0));
        }
        final Slot begun = new Slot(new ModelEnd(false, 1, 4, 64, 1).channel, 0, 0);
        begun.first(300, false, 0, false);
        matcher.tags().keep(begun, 7);
        final Receive first = matcher.claim(1).tag(7, 0);
        assertThat(matcher.messageFor(first)).isSameAs(begun);
        final Receive second = matcher.claim(2).tag(7, 0);
        matcher.post(second);
        matcher.postAgain(first);
        assertThat(matcher.tags().match(one, 7)).isSameAs(first);
        assertThat(matcher.tags().match(one, 7)).isSameAs(second);
    }
}
