/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.testing.Await.LONG;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What there is beside reading: looking, failures, events of the application's own, calls out of a reader. */
@Timeout(60)
class EventQueueUseTest {
    private final AtomicInteger closed = new AtomicInteger();
    private final FabricEventQueue queue = open(new EqAttributes().writable(true));
    private final List<EventEntry> seen = new ArrayList<>();

    private FabricEventQueue open(final EqAttributes attributes) {
        return FabricEventQueue.open(null, attributes, any -> closed.incrementAndGet());
    }

    private static EventRecord failure(final int number) {
        return EventRecord.of(FabricEvent.CONNECTED, null, number).failed(FiErrno.FI_ECONNREFUSED, "refused");
    }

    private List<Object> contexts() {
        final List<Object> contexts = new ArrayList<>();
        seen.forEach(entry -> contexts.add(entry.context()));
        return contexts;
    }

    @Test
    void failuresAreInTheirPlaceAmongTheOthers() {
        queue.write(EventRecord.of(FabricEvent.CONNECTED, null, 0));
        queue.write(failure(1));
        queue.write(failure(2));
        queue.write(EventRecord.of(FabricEvent.SHUTDOWN, null, 3));
        assertThat(queue.readError(seen::add)).as("the first one is none").isZero();
        assertThat(queue.read(seen::add, 1)).isEqualTo(1);
        assertThat(queue.readError(seen::add)).isEqualTo(1);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.read(seen::add, 10)).isEqualTo(2);
        assertThat(queue.readError(seen::add)).as("nothing left").isZero();
        assertThat(contexts()).containsExactly(0, 1, 2, 3);
        assertThat(seen.get(1).errno()).isEqualTo(FiErrno.FI_ECONNREFUSED);
    }

    @Test
    void lookingTakesNothing() {
        assertThat(queue.peek(seen::add)).isZero();
        queue.write(failure(7));
        queue.write(failure(8));
        assertThat(queue.peek(seen::add)).isEqualTo(1);
        assertThat(queue.peek(seen::add)).isEqualTo(1);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(contexts()).containsExactly(7, 7);
    }

    @Test
    void theApplicationWritesEventsOfAnyKind() {
        final Object fid = new Object();
        queue.write(FabricEvent.NOTIFY, fid, "context", 42);
        queue.write(FabricEvent.SHUTDOWN, null, null, 0);
        assertThat(queue.read(seen::add, 10)).isEqualTo(2);
        assertThat(seen.get(0).event()).isEqualTo(FabricEvent.NOTIFY);
        assertThat(seen.get(0).fid()).isSameAs(fid);
        assertThat(seen.get(0).context()).isEqualTo("context");
        assertThat(seen.get(0).data()).isEqualTo(42);
        assertThat(seen.get(0).isError()).isFalse();
        assertThat(seen.get(1).event()).isEqualTo(FabricEvent.SHUTDOWN);
        assertRefused(FiErrno.FI_EINVAL, () -> queue.write(null, fid, null, 0));
    }

    @Test
    void onlyWritableOnesAreWritten() {
        final FabricEventQueue other = open(new EqAttributes());
        assertThat(assertRefused(FiErrno.FI_EACCES, () -> other.write(FabricEvent.NOTIFY, null, null, 0)))
            .hasMessageContaining("writable");
        assertThat(other.size()).isZero();
        other.close();
        assertRefused(FiErrno.FI_EBADFD, () -> other.write(FabricEvent.NOTIFY, null, null, 0));
    }

    @Test
    void aReaderMayCallTheQueue() {
        for (int i = 0; i < 4; i++) {
            queue.write(FabricEvent.NOTIFY, null, i, i);
        }
        final int taken = queue.read(entry -> {
            seen.add(entry);
            if (entry.data() == 0) {
                queue.write(FabricEvent.NOTIFY, null, 4, 4);
                queue.peek(seen::add);
                queue.awaitRead(seen::add, 2, LONG);
                queue.signal();
            }
        }, 10);
        assertThat(contexts()).containsExactly(0, 1, 1, 2, 3, 4);
        assertThat(taken).isEqualTo(3);
    }

    @Test
    void aReaderMayCloseTheQueue() {
        queue.write(FabricEvent.NOTIFY, null, 1, 1);
        queue.write(FabricEvent.NOTIFY, null, 2, 2);
        assertThat(queue.awaitRead(entry -> queue.close(), 10, LONG)).isEqualTo(1);
        assertThat(closed).hasValue(1);
        queue.write(failure(1));
        assertThat(queue.size()).as("dropped").isZero();
    }

    @Test
    void anEventAtWhichTheReaderThrowsWasTaken() {
        queue.write(FabricEvent.NOTIFY, null, 1, 1);
        queue.write(FabricEvent.NOTIFY, null, 2, 2);
        assertThatThrownBy(() -> queue.awaitRead(entry -> {
            throw new IllegalStateException("reader");
        }, 10, LONG)).hasMessage("reader");
        assertThat(queue.read(seen::add, 10)).isEqualTo(1);
        assertThat(contexts()).containsExactly(2);
    }

    @Test
    void aClosedOneRefusesAndSignalsInVain() {
        queue.close();
        assertRefused(FiErrno.FI_EBADFD, () -> queue.peek(seen::add));
        assertRefused(FiErrno.FI_EBADFD, () -> queue.readError(seen::add));
        assertRefused(FiErrno.FI_EBADFD, () -> queue.tryWait());
        assertRefused(FiErrno.FI_EBADFD, () -> queue.attach(null));
        queue.signal();
        queue.wake();
        assertThat(queue.fd()).isEqualTo(-1);
    }

    @Test
    void whatItIsMadeWithIsChecked() {
        assertRefused(FiErrno.FI_EINVAL, () -> open(null));
        assertRefused(FiErrno.FI_EINVAL, () -> open(new EqAttributes().size(-1)));
        assertRefused(FiErrno.FI_EINVAL, () -> open(new EqAttributes().waitObject(null)));
        assertThat(assertRefused(FiErrno.FI_ENOSYS, () -> open(new EqAttributes().waitObject(WaitObject.MUTEX_COND))))
            .hasMessageContaining("MUTEX_COND");
        assertThat(open(new EqAttributes().size(Integer.MAX_VALUE)).size()).isZero();
        assertThat(queue.waitObject()).isEqualTo(WaitObject.UNSPEC);
        assertRefused(FiErrno.FI_EINVAL, () -> queue.peek(null));
        assertRefused(FiErrno.FI_EINVAL, () -> queue.readError(null));
    }
}
