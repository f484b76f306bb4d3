/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.testing.Done;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What applications get wrong. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndpointMisuseTest {
    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void openingEndpointsAndQueues() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Side b = sides.open(Mode.PROV_KEY_VIRT.hints());
        assertRefused(FiErrno.FI_EINVAL, () -> a.domain.openEndpoint(null));
        assertRefused(FiErrno.FI_ENOCQ, () -> a.domain.openEndpoint(new EndpointOptions()));
        assertRefused(FiErrno.FI_ENOCQ,
            () -> a.domain.openEndpoint(new EndpointOptions().completionQueues(a.cq, null)));
        assertRefused(FiErrno.FI_ENOCQ,
            () -> a.domain.openEndpoint(new EndpointOptions().completionQueues(null, a.cq)));
        assertRefused(FiErrno.FI_EDOMAIN, () -> a.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq)));
        for (final int size : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 17}) {
            assertRefused(FiErrno.FI_EINVAL,
                () -> a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(size, 1)));
            assertRefused(FiErrno.FI_EINVAL,
                () -> a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(1, size)));
        }
        assertRefused(FiErrno.FI_EINVAL, () -> a.domain.openCompletionQueue(0));
        assertRefused(FiErrno.FI_EINVAL, () -> a.domain.openCompletionQueue(-1));
        assertRefused(FiErrno.FI_EINVAL, () -> a.domain.openCompletionQueue(Integer.MAX_VALUE));
        final CompletionQueue queue = a.domain.openCompletionQueue(1);
        queue.close();
        queue.close();
        assertThat(queue.isClosed()).isTrue();
        assertRefused(FiErrno.FI_EBADFD, () -> a.domain.openEndpoint(new EndpointOptions().completionQueue(queue)));
        assertThat(queue.read(e -> { }, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.awaitRead(e -> { }, 1, Duration.ZERO)).isEqualTo(-FiErrno.FI_EBADFD);
        for (final Side owner : new Side[] {a, b}) {
            try (AddressVector vector = owner.domain.openAddressVector(new AvAttributes())) {
                final EndpointOptions options = new EndpointOptions().completionQueue(a.cq).addressVector(vector);
                assertRefused(FiErrno.FI_EINVAL, () -> a.domain.openEndpoint(options), "connected endpoints have none");
            }
        }
        // Nothing of all that is left.
        try (MsgEndpoint one = a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(1, 1))) {
            assertThat(one.isConnected()).isFalse();
            assertRefused(FiErrno.FI_EBUSY, a.cq::close);
        }
    }

    @Test
    void readingQueues() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        assertThat(a.cq.read(null, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.cq.read(null, 0)).isZero();
        assertThat(a.cq.read(e -> { }, -1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.cq.read(e -> { }, Integer.MAX_VALUE)).isZero();
        assertThat(a.cq.awaitRead(e -> { }, 0, Duration.ZERO)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.cq.awaitRead(e -> { }, 1, null)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.cq.awaitRead(null, 1, Duration.ZERO)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.cq.awaitRead(e -> { }, 1, Duration.ofMillis(5))).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(a.cq.awaitRead(e -> { }, 1, Duration.ofMillis(-5))).isEqualTo(-FiErrno.FI_EAGAIN);
    }

    @Test
    void readingOutOfACallbackIsRefusedAndWhatItThrowsComesOut() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = both[1].register(0);
        for (int i = 0; i < 3; i++) {
            assertThat(a.ep.write(a.at(0), 8, desc, region.base(), region.key(), i)).isZero();
        }
        assertThatThrownBy(() -> {
            while (true) {
                a.cq.read(e -> {
                    assertThat(a.cq.read(f -> { }, 1)).isEqualTo(-FiErrno.FI_EINVAL);
                    throw new UnsupportedOperationException("by the test");
                }, 8);
            }
        }).isInstanceOf(UnsupportedOperationException.class);
        assertThat(a.next().context()).isEqualTo(1);
        assertThat(a.next().context()).isEqualTo(2);
    }

    @Test
    void localMemory() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion all = a.local();
        final MemoryRegion send = a.register(0, MrAccess.SEND);
        final MemoryRegion closed = a.local();
        final MemoryRegion far = b.register(0);
        closed.close();
        final int invalid = -FiErrno.FI_EINVAL;
        assertThat(a.ep.send(a.at(0), -1, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(a.at(0), Integer.MIN_VALUE, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(0, 8, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(0, 8, null, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(-4, 8, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(Long.MAX_VALUE, 8, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(a.at(-1), 8, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(a.at(Side.SIZE - 7), 8, all, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(a.at(0), 8, closed, 1)).isEqualTo(invalid);
        assertThat(a.ep.send(a.at(0), 8, far, 1)).isEqualTo(-FiErrno.FI_EDOMAIN);
        assertThat(a.ep.write(0, 0, closed, far.base(), far.key(), 1)).as("nothing, of nobody's").isEqualTo(invalid);
        a.succeeds(() -> a.ep.write(0, 0, all, far.base(), far.key(), 1));
        assertThat(a.ep.receive(a.at(0), 8, send, 1)).isEqualTo(-FiErrno.FI_EACCES);
        assertThat(a.ep.write(a.at(0), 8, send, far.base(), far.key(), 1)).isEqualTo(-FiErrno.FI_EACCES);
        assertThat(a.ep.read(a.at(0), 8, send, far.base(), far.key(), 1)).isEqualTo(-FiErrno.FI_EACCES);
        assertThat(a.ep.fetchAdd(a.at(0), send, 1, far.base(), far.key(), 1)).isEqualTo(-FiErrno.FI_EACCES);
        assertThat(a.ep.fetchAdd(a.at(4), all, 1, far.base(), far.key(), 1)).isEqualTo(invalid);
        assertThat(a.ep.compareSwap(a.at(0), all, 1, 1, far.base() + 4, far.key(), 1)).isEqualTo(invalid);
        assertThat(a.ep.receive(1, 8, null, 1)).isNegative();
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, all, far.base(), 1L << 32, 1));
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, all, far.base(), 0xfffe_0000_0001_0000L, 1));
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, all, far.base(), MemoryRegion.KEY_NOTAVAIL, 1));
        a.succeeds(() -> a.ep.write(a.at(0), 8, all, far.base(), far.key(), 1));
        assertThat(a.ep.isConnected()).isTrue();
    }

    @Test
    void descriptorsAreDemandedWithTheLocalBit() {
        final Side[] both = sides.pair(
            () -> new io.rdma4j.fabric.Hints().mrMode(MrMode.LOCAL, MrMode.ALLOCATED).demand(MrMode.LOCAL));
        final Side a = both[0];
        assertThat(a.ep.send(a.at(0), 8, null, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.receive(a.at(0), 8, null, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.receive(a.at(0), 0, null, 1)).isZero();
        assertThat(a.ep.receive(a.at(0), 8, a.local(), 1)).isZero();
    }

    /** The device does not touch what is copied before the call returns (fi_mr, FI_MR_LOCAL). */
    @Test
    void whatIsCopiedNeedsNoDescriptorButNoFalseOneEither() {
        final Side[] both = sides.pair(
            () -> Mode.PROV_KEY_OFFSETS.hints().mrMode(MrMode.LOCAL).demand(MrMode.LOCAL));
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion far = b.register(0);
        final MemoryRegion closed = a.local();
        closed.close();
        b.post(() -> b.ep.receive(b.at(0), 64, b.local(), 1));
        final Message bytes = new Message(1).add(a.at(0), 8, null).remote(far.base() + 64, far.key());
        a.bytes.putLong(0, 0x1234);
        a.succeeds(() -> a.ep.sendMessage(bytes, OpFlags.INJECT));
        assertThat(b.next().length()).isEqualTo(8);
        a.succeeds(() -> a.ep.writeMessage(bytes, OpFlags.INJECT));
        assertThat(b.bytes.getLong(64)).isEqualTo(0x1234);
        assertThat(a.ep.writeMessage(bytes, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        final Message falsely = new Message(1).add(a.at(0), 8, closed).remote(far.base(), far.key());
        assertThat(a.ep.sendMessage(falsely, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.writeMessage(falsely, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EINVAL);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUM", "CSWAP", "BXOR"})
    void descriptorsOfOperandsAreValidOrNull(final AtomicOp op) {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final MemoryRegion all = a.local();
        final MemoryRegion send = a.register(0, MrAccess.SEND);
        final MemoryRegion closed = a.local();
        final MemoryRegion far = both[1].register(0);
        closed.close();
        final AtomicRequest request = new AtomicRequest().operation(op, AtomicType.UINT64).operands(a.at(0), 1, null)
            .compare(a.at(8), null).result(a.at(16), all).remote(far.base(), far.key());
        a.succeeds(() -> a.ep.atomic(request.operands(a.at(0), 1, all).compare(a.at(8), all), 0));
        assertThat(a.ep.atomic(request.operands(a.at(0), 1, closed), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.atomic(request.operands(a.at(0), 1, far), 0)).isEqualTo(-FiErrno.FI_EDOMAIN);
        assertThat(a.ep.atomic(request.operands(a.at(0), 1, send), 0)).isEqualTo(-FiErrno.FI_EACCES);
        assertThat(a.ep.atomic(request.operands(a.at(Side.SIZE - 4), 1, all), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        final int compared = a.ep.atomic(request.operands(a.at(0), 1, null).compare(a.at(8), closed), 0);
        assertThat(compared).isEqualTo(op.compares() ? -FiErrno.FI_EINVAL : 0);
    }

    /** Before 1.22 descriptors were ignored without the local bit (checklist 23). */
    @Test
    void oldProgramsMayPassAnyDescriptor() {
        final Side[] both = sides.pair(
            () -> Mode.APPLICATION_KEY_OFFSETS.hints().apiVersion(1, 21));
        final Side a = both[0];
        final MemoryRegion far = both[1].register(0);
        assertThat(a.ep.receive(a.at(0), 8, far, 1)).isZero();
        a.succeeds(() -> a.ep.atomic(new AtomicRequest().operation(AtomicOp.SUM, AtomicType.UINT64)
            .operands(a.at(0), 1, far).remote(far.base(), far.key()), 0));
        final Side[] newer = sides.pair(
            () -> Mode.APPLICATION_KEY_OFFSETS.hints().apiVersion(1, 22));
        final Side c = newer[0];
        assertThat(c.ep.receive(c.at(0), 8, both[1].local(), 1)).isEqualTo(-FiErrno.FI_EDOMAIN);
    }

    /** It tells which memory is an accelerator's: one that is not valid is no descriptor. */
    @Test
    void oldProgramsWithAcceleratorsPassValidDescriptorsOrNone() {
        final Side[] both = sides.pair(() -> new io.rdma4j.fabric.Hints().apiVersion(1, 21)
            .capabilities(Capability.MSG, Capability.RMA, Capability.HMEM).mrMode(MrMode.ALLOCATED, MrMode.HMEM)
            .demand(MrMode.HMEM));
        final Side a = both[0];
        assertThat(a.ep.receive(a.at(0), 8, both[1].local(), 1)).isEqualTo(-FiErrno.FI_EDOMAIN);
        assertThat(a.ep.receive(a.at(0), 8, null, 1)).isZero();
        assertThat(a.ep.receive(a.at(0), 8, a.local(), 1)).isZero();
    }

    @Test
    void beforeConnectingAndAfterClosing() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final MemoryRegion desc = a.local();
        assertThat(a.ep.send(a.at(0), 8, desc, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(a.ep.write(a.at(0), 8, desc, 0, 1, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(a.ep.receive(a.at(0), 8, desc, 1)).isZero();
        final byte[] name = a.ep.name();
        a.ep.close();
        a.ep.close();
        assertThat(a.ep.isClosed()).isTrue();
        assertThat(a.ep.name()).isEqualTo(name);
        assertThat(a.ep.isConnected()).isFalse();
        assertRefused(FiErrno.FI_EBADFD, () -> a.ep.connect(name));
        final int closed = -FiErrno.FI_EBADFD;
        assertThat(a.ep.send(a.at(0), 8, desc, 1)).isEqualTo(closed);
        assertThat(a.ep.sendWithData(a.at(0), 8, desc, 1, 1)).isEqualTo(closed);
        assertThat(a.ep.receive(a.at(0), 8, desc, 1)).isEqualTo(closed);
        assertThat(a.ep.read(a.at(0), 8, desc, 0, 1, 1)).isEqualTo(closed);
        assertThat(a.ep.write(a.at(0), 8, desc, 0, 1, 1)).isEqualTo(closed);
        assertThat(a.ep.writeWithData(a.at(0), 8, desc, 0, 0, 1, 1)).isEqualTo(closed);
        assertThat(a.ep.fetchAdd(a.at(0), desc, 0, 0, 1, 1)).isEqualTo(closed);
        assertThat(a.ep.compareSwap(a.at(0), desc, 0, 0, 0, 1, 1)).isEqualTo(closed);
        final Done cancelled = a.next();
        assertThat(cancelled.errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(cancelled.endpoint()).isSameAs(a.ep);
        assertThat(cancelled.context()).isEqualTo(1);
        assertThat(a.ep.toString()).contains("closed");
    }
}
