/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.TestBudget;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data path allocates nothing. */
@Timeout(120)
class DatagramAllocationTest {
    private static final int STEPS = TestBudget.rounds(4_000, 20_000);

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    /** Adds up what it is told. */
    private static final class Counter implements CompletionReader {
        private long received;
        private long failed;
        private long sum;

        @Override
        public void onCompletion(final CompletionEntry entry) {
            sum += entry.context() + entry.length() + entry.source() + entry.overflow();
            failed += entry.isError() ? 1 : 0;
            received += entry.source() != FiAddr.NOTAVAIL ? 1 : 0;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", TestDevices.QEMU})
    void everyForm(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        node.name(a);
        final MemoryRegion desc = node.region();
        final Message out = new Message(2).add(node.at(0), 8, desc).add(node.at(100), 8, desc).peer(toB);
        final Message in = new Message(2).add(node.at(4096), 10, desc).add(node.at(5000), 100, desc);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        final Counter counter = new Counter();
        final int[] refused = new int[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            refused[0] |= b.receive(node.at(4096), 64, desc, FiAddr.UNSPEC, 1);
            refused[0] |= b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 1);
            refused[0] |= b.receiveMessage(in, 0);
            refused[0] |= b.receive(node.at(4096), 4, desc, FiAddr.UNSPEC, 1);
            refused[0] |= a.send(node.at(0), 64, desc, toB, 2);
            refused[0] |= a.send(node.at(0), 64, null, toB, 2);
            refused[0] |= a.sendMessage(out, OpFlags.COMPLETION);
            refused[0] |= a.inject(heap, 0, 64, toB);
            node.cq.read(counter, 64);
            node.cq.read(counter, 64);
        })).as("bytes").isZero();
        assertThat(refused[0]).isZero();
        assertThat(counter.received).isGreaterThanOrEqualTo(4L * STEPS);
        assertThat(counter.failed).isGreaterThanOrEqualTo(STEPS).isLessThanOrEqualTo(counter.received / 4 + 1);
        assertThat(counter.sum).isNotZero();
    }
}
