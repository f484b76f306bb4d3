/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.testing.TestDevices;

import java.util.function.IntSupplier;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Datagram endpoints asked for what makes no sense. */
@Timeout(120)
class DatagramMisuseTest {
    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final DatagramNode node = DatagramNode.on(devices, "");
    private final UnsafeBuffer heap = new UnsafeBuffer(new byte[16]);

    private static void refused(final int errno, final IntSupplier operation) {
        assertThat(operation.getAsInt()).isEqualTo(-errno);
    }

    @Test
    void endpointsNeedAVectorAndQueuesOfTheirDomain() {
        final EndpointOptions none = new EndpointOptions();
        assertRefused(FiErrno.FI_EINVAL, () -> node.domain.openAddressedEndpoint(null), "options");
        assertRefused(FiErrno.FI_ENOAV, () -> node.domain.openAddressedEndpoint(none.completionQueue(node.cq)),
            "vector");
        assertRefused(FiErrno.FI_ENOCQ, () -> node.open(node.options().completionQueues(null, node.cq)),
            "transmit queue");
        assertRefused(FiErrno.FI_ENOCQ, () -> node.open(node.options().completionQueues(node.cq, null)),
            "receive queue");
        assertRefused(FiErrno.FI_EINVAL, () -> node.open(node.options().sizes(0, 1)), "transmit size is 0");
        assertRefused(FiErrno.FI_EINVAL, () -> node.open(node.options().sizes(1, 1 << 30)), "receive size");
        assertRefused(FiErrno.FI_EINVAL, () -> node.open(node.options().receiveContexts(node.cq)), "receive contexts");
        assertRefused(FiErrno.FI_EINVAL, () -> node.domain.openEndpoint(node.options()), "FI_EP_DGRAM",
            "openAddressedEndpoint");
        final DatagramNode other = DatagramNode.on(devices, "");
        assertRefused(FiErrno.FI_EDOMAIN, () -> node.open(node.options().addressVector(other.vector)),
            "another domain");
        assertRefused(FiErrno.FI_EDOMAIN, () -> node.open(node.options().completionQueue(other.cq)), "another domain");
        assertThat(node.vector.isClosed()).isFalse();
    }

    @Test
    void whatIsInUseCannotBeClosed() {
        final AddressedEndpoint a = node.open();
        assertRefused(FiErrno.FI_EBUSY, node.vector::close);
        assertRefused(FiErrno.FI_EBUSY, node.cq::close);
        assertRefused(FiErrno.FI_EBUSY, node.domain::close, "1 endpoint");
        a.close();
        a.close();
        node.vector.close();
        assertRefused(FiErrno.FI_EBADFD, () -> node.open(node.options()));
        node.cq.close();
    }

    @Test
    void closedEndpointsRefuseEverything() {
        final AddressedEndpoint a = node.open();
        final long self = node.name(a);
        assertThat(a.receive(node.at(0), 64, null, FiAddr.UNSPEC, 7)).isZero();
        a.close();
        assertThat(a.isClosed()).isTrue();
        assertThat(node.received(a)).matches(one -> one.context() == 7 && one.error().equals("FI_ECANCELED"));
        final Message message = new Message(1).add(node.at(0), 1, null).peer(self);
        final IntSupplier[] all = {
            () -> a.send(node.at(0), 1, null, self, 1), () -> a.send(heap, 0, 1, self, 1),
            () -> a.sendWithData(node.at(0), 1, null, 1, self, 1), () -> a.inject(heap, 0, 1, self),
            () -> a.injectWithData(heap, 0, 1, 1, self), () -> a.sendMessage(message, 0),
            () -> a.receive(node.at(0), 1, null, 0, 1), () -> a.receive(heap, 0, 1, 0, 1),
            () -> a.receiveMessage(message, 0), () -> a.read(node.at(0), 1, null, self, 0, 0, 1),
            () -> a.readMessage(message, 0), () -> a.cancel(7)};
        for (final IntSupplier one : all) {
            refused(FiErrno.FI_EBADFD, one);
        }
        assertThat(a.toString()).contains("closed");
        assertThat(a.address()).isNotNull();
        node.silence();
    }

    @Test
    void memoryOfPeersIsOutOfReach() {
        final AddressedEndpoint a = node.open();
        final long self = node.name(a);
        final Message message = new Message(1).add(node.at(0), 8, null).peer(self).remote(0, 1);
        final IntSupplier[] all = {
            () -> a.read(node.at(0), 8, null, self, 0, 1, 1), () -> a.write(node.at(0), 8, null, self, 0, 1, 1),
            () -> a.writeWithData(node.at(0), 8, null, 1, self, 0, 1, 1),
            () -> a.fetchAdd(node.at(0), null, 1, self, 0, 1, 1),
            () -> a.compareSwap(node.at(0), null, 1, 2, self, 0, 1, 1), () -> a.readMessage(message, 0),
            () -> a.writeMessage(message, 0)};
        for (final IntSupplier one : all) {
            refused(FiErrno.FI_EOPNOTSUPP, one);
        }
        refused(FiErrno.FI_ENOSYS, () -> a.cancel(1));
        assertRefused(FiErrno.FI_EINVAL, () -> a.receiveContext(0), "FI_EP_DGRAM");
    }

    @Test
    void nonsenseIsRefused() {
        final AddressedEndpoint a = node.open();
        final long self = node.name(a);
        final MemoryRegion sends = node.keep(node.domain.register(
            new MrAttributes().buffer(node.at(0), 4096).access(MrAccess.SEND)));
        final MemoryRegion closed = node.domain.register(
            new MrAttributes().buffer(node.at(0), 4096).access(MrAccess.SEND, MrAccess.RECV));
        closed.close();
        final int[] invalid = {
            a.send(node.at(0), -1, null, self, 1), a.send(0, 1, null, self, 1), a.send(-1, 5, null, self, 1),
            a.send(Long.MAX_VALUE, 5, null, self, 1), a.send(node.at(0), 1, closed, self, 1),
            a.send(node.at(4090), 7, sends, self, 1), a.send(null, 0, 1, self, 1), a.send(heap, -1, 1, self, 1),
            a.send(heap, 0, 1, self, 1), a.inject(null, 0, 1, self), a.inject(heap, 10, 7, self),
            a.inject(heap, -1, 1, self), a.inject(heap, 0, -1, self),
            a.inject(heap, Integer.MAX_VALUE, Integer.MAX_VALUE, self), a.injectWithData(null, 0, 0, 0, self),
            a.sendMessage(null, 0), a.sendMessage(new Message(1).add(node.at(0), -1, null).peer(self), 0),
            a.sendMessage(new Message(1).add(node.at(0), 1, null), 0), a.receive(node.at(0), -1, null, 0, 1),
            a.receive(0, 5, null, 0, 1), a.receive(null, 0, 5, 0, 1), a.receive(heap, 0, 5, 0, 1),
            a.receiveMessage(null, 0), a.receiveMessage(new Message(1).add(0, 5, null), 0)};
        for (int i = 0; i < invalid.length; i++) {
            assertThat(invalid[i]).as("number %d", i).isEqualTo(-FiErrno.FI_EINVAL);
        }
        refused(FiErrno.FI_EACCES, () -> a.receive(node.at(0), 10, sends, 0, 1));
        for (final long bit : new long[] {1, 1L << 40, Long.MIN_VALUE}) {
            refused(FiErrno.FI_EBADFLAGS, () -> a.sendMessage(new Message(1).peer(self), bit));
            refused(FiErrno.FI_EBADFLAGS, () -> a.receiveMessage(new Message(1), bit));
        }
        refused(FiErrno.FI_EBADFLAGS, () -> a.receiveMessage(new Message(1), OpFlags.INJECT));
        refused(FiErrno.FI_EBADFLAGS, () -> a.sendMessage(new Message(1).peer(self), OpFlags.MULTI_RECV));
        refused(FiErrno.FI_EBADFLAGS, () -> a.receiveMessage(new Message(1), OpFlags.MULTI_RECV | 1L << 40));
        refused(FiErrno.FI_EOPNOTSUPP, () -> a.receiveMessage(new Message(1), OpFlags.MULTI_RECV));
        refused(FiErrno.FI_EOPNOTSUPP,
            () -> a.sendMessage(new Message(1).peer(self), OpFlags.DELIVERY_COMPLETE));
        node.silence();
        assertThat(node.domain.cache().statistics().inUse()).isZero();
    }

    @Test
    void memoryOfAnotherDomain() {
        final AddressedEndpoint a = node.open();
        final long self = node.name(a);
        final DatagramNode other = DatagramNode.on(devices, "");
        final MemoryRegion foreign = other.region();
        refused(FiErrno.FI_EDOMAIN, () -> a.send(other.at(0), 8, foreign, self, 1));
        refused(FiErrno.FI_EDOMAIN, () -> a.receive(other.at(0), 8, foreign, 0, 1));
    }

    @Test
    void noMoreThanItsSize() {
        final AddressedEndpoint a = node.open(node.options().sizes(4, 3));
        final long self = node.name(a);
        for (int i = 0; i < 3; i++) {
            assertThat(a.receive(node.at(0), 64, null, 0, i)).isZero();
        }
        refused(FiErrno.FI_EAGAIN, () -> a.receive(node.at(0), 64, null, 0, 9));
        refused(FiErrno.FI_EAGAIN, () -> a.receiveMessage(new Message(1).add(node.at(0), 64, null), 0));
        // It will never do, however long one waits.
        final Message tooMany = new Message(9).peer(self);
        for (int i = 0; i < 9; i++) {
            tooMany.add(node.at(0), 1, null);
        }
        refused(FiErrno.FI_EINVAL, () -> a.receiveMessage(tooMany, 0));
        for (int i = 0; i < 4; i++) {
            assertThat(a.send(node.at(64), 8, null, self, i)).isZero();
        }
        refused(FiErrno.FI_EAGAIN, () -> a.send(node.at(64), 8, null, self, 9));
        refused(FiErrno.FI_EAGAIN, () -> a.inject(heap, 0, 8, self));
        refused(FiErrno.FI_EINVAL, () -> a.sendMessage(tooMany, 0));
        for (int i = 0; i < 3; i++) {
            assertThat(node.received(a).context()).isEqualTo(i);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(node.sent(a).context()).isEqualTo(i);
        }
        assertThat(a.receive(node.at(0), 64, null, 0, 9)).isZero();
    }

    /** With FI_MR_LOCAL nothing is sent from memory without a descriptor, but for what is copied. */
    @Test
    void demandedDescriptors() {
        final DatagramNode strict = DatagramNode.on(devices, new Hints().context(devices.device(""))
            .mrMode(MrMode.ALLOCATED, MrMode.LOCAL).demand(MrMode.LOCAL));
        final AddressedEndpoint a = strict.open();
        final long self = strict.name(a);
        final MemoryRegion region = strict.region();
        refused(FiErrno.FI_EINVAL, () -> a.send(strict.at(0), 8, null, self, 1));
        refused(FiErrno.FI_EINVAL, () -> a.receive(strict.at(0), 8, null, 0, 1));
        assertThat(a.receive(strict.at(0), 8, region, 0, 1)).isZero();
        assertThat(a.inject(heap, 0, 8, self)).isZero();
        assertThat(strict.received(a).length()).isEqualTo(8);
        assertThat(a.receive(strict.at(0), 8, region, 0, 1)).isZero();
        final Message bytes = new Message(1).add(strict.at(8), 8, null).peer(self);
        refused(FiErrno.FI_EINVAL, () -> a.sendMessage(bytes, 0));
        assertThat(a.sendMessage(bytes, OpFlags.INJECT)).isZero();
        assertThat(strict.received(a).length()).isEqualTo(8);
    }

    @Test
    void aClosedDomainOpensNothing() {
        final DatagramNode other = DatagramNode.on(devices, "");
        final CompletionQueue cq = other.cq;
        final EndpointOptions options = other.options();
        other.vector.close();
        cq.close();
        other.memory.close();
        other.domain.close();
        assertRefused(FiErrno.FI_EBADFD, () -> other.domain.openAddressedEndpoint(options));
        assertRefused(FiErrno.FI_EBADFD, () -> other.domain.openAddressVector(new AvAttributes()));
        assertThat(node.info.endpointType()).isEqualTo(EndpointType.DGRAM);
    }
}
