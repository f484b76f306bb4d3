/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The lanes inwards of many endpoints share one queue of the device: what one of them suffers harms no other. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedLanesTest {
    private static final int ENDS = 24;
    private static final int WRITES = 400;
    private static final int REFUSED_EVERY = 37;

    @RegisterExtension
    final Sides sides = new Sides(Mode.PROV_KEY_VIRT::hints);

    private final List<MsgEndpoint> near = new ArrayList<>();
    private final List<MsgEndpoint> far = new ArrayList<>();

    private void open(final Side a, final Side b, final int size) {
        for (int i = 0; i < ENDS; i++) {
            near.add(a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(size, size)));
            far.add(b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(size, size)));
            near.get(i).connect(far.get(i).name());
            far.get(i).connect(near.get(i).name());
        }
    }

    private void close() {
        near.forEach(MsgEndpoint::close);
        far.forEach(MsgEndpoint::close);
    }

    /** Each has its own data in order, none lost and none twice, though each is refused something again and again. */
    @Test
    void dataArriveInOrderThoughLanesAreMended() throws Exception {
        final Side a = sides.open();
        final Side b = sides.open();
        open(a, b, 8);
        final MemoryRegion desc = a.local();
        final MemoryRegion into = b.register(1);
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            final Future<Integer> refused = thread.submit(() -> write(a, desc, into));
            final Map<Object, Integer> next = new HashMap<>();
            int left = ENDS * WRITES;
            while (left > 0) {
                final Done one = b.next();
                assertThat(one.kind()).isEqualTo(OperationKind.REMOTE_WRITE);
                assertThat(one.length()).isEqualTo(8);
                assertThat(one.data()).as("%s", one).isEqualTo(next.merge(one.endpoint(), 1, Integer::sum) - 1);
                left--;
            }
            assertThat(refused.get(2 * Patience.millis(), TimeUnit.MILLISECONDS))
                .isEqualTo(ENDS * (WRITES / REFUSED_EVERY));
            assertThat(next).hasSize(ENDS);
        } finally {
            thread.shutdownNow();
        }
        close();
    }

    /** How many were refused. */
    private int write(final Side a, final MemoryRegion desc, final MemoryRegion into) {
        final int[] refused = new int[1];
        final int[] failed = new int[1];
        for (int i = 0; i < WRITES; i++) {
            for (final MsgEndpoint end : near) {
                final int data = i;
                post(a, refused, failed, () ->
                    end.writeWithData(a.at(0), 8, desc, data, into.base() + 64, into.key(), data));
                if (i % REFUSED_EVERY == REFUSED_EVERY - 1) {
                    post(a, refused, failed, () ->
                        end.write(a.at(0), 8, desc, into.base() + Side.SIZE, into.key() ^ 0x5555, -1));
                }
            }
        }
        while (refused[0] < ENDS * (WRITES / REFUSED_EVERY)) {
            read(a, refused, failed);
        }
        assertThat(failed[0]).isZero();
        return refused[0];
    }

    private static void post(
        final Side a, final int[] refused, final int[] failed, final java.util.function.IntSupplier operation) {
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN) {
            read(a, refused, failed);
            code = operation.getAsInt();
        }
        assertThat(code).as(FiErrno.name(code)).isZero();
    }

    private static void read(final Side a, final int[] refused, final int[] failed) {
        final int taken = a.cq.read(entry -> {
            refused[0] += entry.context() == -1 && entry.errno() == FiErrno.FI_EKEYREJECTED ? 1 : 0;
            failed[0] += entry.context() != -1 && entry.isError() ? 1 : 0;
        }, 64);
        assertThat(taken).isNotNegative();
        if (taken == 0) {
            Thread.yield();
        }
    }

    /** A peer whose data nobody takes waits; the others go on. */
    @Test
    void unreadDataHoldTheirPeerBackAndNobodyElse() {
        final Side a = sides.open();
        final Side b = sides.open();
        open(a, b, 4);
        final MemoryRegion desc = a.local();
        final MemoryRegion into = b.register(1);
        // More than the target has receives for: the rest waits until it is read.
        for (int i = 0; i < 4; i++) {
            final int data = i;
            a.post(() -> near.get(0).writeWithData(a.at(0), 8, desc, data, into.base(), into.key(), data));
        }
        a.until(() -> a.done.size() == 4);
        a.post(() -> near.get(0).writeWithData(a.at(0), 8, desc, 4, into.base(), into.key(), 4));
        for (int i = 1; i < ENDS; i++) {
            final MsgEndpoint end = near.get(i);
            a.post(() -> end.write(a.at(0), 8, desc, into.base(), into.key(), 100));
        }
        a.until(() -> a.done.size() == 4 + ENDS - 1);
        assertThat(a.done.stream().filter(one -> one.context() == 4)).as("still waiting").isEmpty();
        b.until(() -> b.done.size() == 5);
        a.until(() -> a.done.size() == 4 + ENDS);
        assertThat(b.done).extracting(Done::data).containsExactly(0, 1, 2, 3, 4);
        close();
    }

    /** What arrived before its endpoint was closed is read all the same. */
    @Test
    void dataOfClosedEndpointsAreReadAmongThoseOfOthers() {
        final Side a = sides.open();
        final Side b = sides.open();
        open(a, b, 4);
        final MemoryRegion desc = a.local();
        final MemoryRegion into = b.register(1);
        for (int i = 0; i < ENDS; i++) {
            final MsgEndpoint end = near.get(i);
            final int data = i;
            a.post(() -> end.writeWithData(a.at(0), 8, desc, data, into.base(), into.key(), data));
        }
        a.until(() -> a.done.size() == ENDS);
        for (int i = 0; i < ENDS; i += 2) {
            far.get(i).close();
        }
        b.until(() -> b.done.size() == ENDS);
        assertThat(b.done).extracting(Done::data).hasSize(ENDS).doesNotHaveDuplicates();
        final MsgEndpoint later = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(4, 4));
        final MsgEndpoint peer = a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(4, 4));
        later.connect(peer.name());
        peer.connect(later.name());
        b.done.clear();
        a.post(() -> peer.writeWithData(a.at(0), 8, desc, 4711, into.base(), into.key(), 0));
        final Done one = b.next();
        assertThat(one.endpoint()).isSameAs(later);
        assertThat(one.data()).isEqualTo(4711);
        peer.close();
        later.close();
        close();
    }
}
