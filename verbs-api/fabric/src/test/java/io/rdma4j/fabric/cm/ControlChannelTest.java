/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import org.agrona.concurrent.UnsafeBuffer;

import static org.assertj.core.api.Assertions.assertThat;

class ControlChannelTest {
    /** An event of a datagram comes once; who is woken up by it while another call has the lock does not sleep on. */
    @Test
    void whoFindsTheLockTakenLooksAgain() {
        final LossyNet net = new LossyNet(1);
        final ReentrantLock lock = new ReentrantLock();
        try (UdEnd peer = net.open(2, LossyNet.QKEY);
            ControlChannel channel = new ControlChannel(net.open(1, LossyNet.QKEY), lock, () -> 0)) {
            assertThat(channel.idleNanos()).isEqualTo(Long.MAX_VALUE);
            final PeerId to = LossyNet.key(1);
            assertThat(peer.send(to.gidHigh(), to.gidLow(), to.qpn(), to.qkey(), new UnsafeBuffer(new byte[8]), 0, 8))
                .isZero();
            lock.lock();
            try {
                CompletableFuture.runAsync(channel::progress).join();
                assertThat(channel.ignored()).isZero();
                assertThat(channel.idleNanos()).isLessThan(1_000_000);
            } finally {
                lock.unlock();
            }
            channel.progress();
            assertThat(channel.ignored()).isEqualTo(1);
            assertThat(channel.idleNanos()).isEqualTo(Long.MAX_VALUE);
        }
    }
}
