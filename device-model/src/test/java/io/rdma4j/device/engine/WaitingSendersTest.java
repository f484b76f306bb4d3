/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.link.Agenda;
import io.rdma4j.device.link.Waiter;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

class WaitingSendersTest {
    private final WaitingSenders senders = new WaitingSenders();
    private final List<String> resumed = new ArrayList<>();
    private final Waiter a = sender("a");
    private final Waiter b = sender("b");
    private final Waiter c = sender("c");

    private Waiter sender(String name) {
        return new Waiter(() -> resumed.add(name));
    }

    private void add(Waiter... some) {
        for (final Waiter each : some) {
            senders.add(each);
            assertThat(each.isWaiting()).isTrue();
        }
    }

    private void areResumed(String... names) {
        assertThat(senders.count()).isEqualTo(names.length);
        assertThat(senders.areThere()).isEqualTo(names.length > 0);
        final Agenda agenda = new Agenda();
        senders.moveTo(agenda);
        assertThat(senders.count()).isZero();
        assertThat(senders.areThere()).isFalse();
        agenda.drain();
        assertThat(resumed).containsExactly(names);
        resumed.clear();
    }

    @Test
    void areResumedInTheirOrder() {
        areResumed();
        add(a, b, c);
        areResumed("a", "b", "c");
        areResumed();
        add(c, a);
        areResumed("c", "a");
    }

    @Test
    void oneThatWaitsTwiceIsResumedOnce() {
        add(a, b, a, b);
        areResumed("a", "b");
    }

    @Test
    void whoFoundSomethingAfterAllIsNotResumed() {
        add(a, b, c);
        senders.remove(b);
        assertThat(b.isWaiting()).isFalse();
        assertThat(senders.areThere()).isTrue();
        areResumed("a", "c");
        add(a);
        senders.remove(a);
        areResumed();
        add(a, b, c);
        senders.remove(a);
        senders.remove(c);
        areResumed("b");
    }

    /** There is room for two: the third one takes the place of those whose wait ended otherwise. */
    @Test
    void thoseThatWaitNoMoreMakeRoom() {
        add(a, b);
        a.end();
        add(c);
        areResumed("b", "c");
        add(a, b);
        b.end();
        add(c);
        areResumed("a", "c");
        add(a, b);
        a.end();
        b.end();
        add(c);
        areResumed("c");
    }
}
