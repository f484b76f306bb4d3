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
}
