/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.testing.TestNode;
import io.rdma4j.verbs.PinnedMemory;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Endpoints do what was negotiated, and nothing else. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DirectionsTest {
    private static final int KEY = 5;
    private static final int DATA = 9;

    /** A call, and all that has to have been negotiated for it. */
    private record Operation(String name, Set<Capability> needs, IntSupplier call) {
    }

    @RegisterExtension
    final Sides sides = new Sides();

    private final List<Operation> operations = new ArrayList<>();
    private PinnedMemory memory;
    private UnsafeBuffer buffer;

    private void add(
        final String name, final Capability itsInterface, final Capability direction, final IntSupplier call) {
        operations.add(new Operation(name, Set.of(itsInterface, direction), call));
    }

    private Message message(final long peer) {
        return new Message(1).add(memory.address(), 8, null).peer(peer).remote(0, KEY);
    }

    private AtomicRequest atomic(final long peer) {
        return new AtomicRequest().operation(AtomicOp.SUM, AtomicType.UINT64).operands(memory.address(), 1, null)
            .remote(0, KEY).peer(peer);
    }

    private void addCommon(final Endpoint ep, final long peer) {
        add("sendMessage", Capability.MSG, Capability.SEND, () -> ep.sendMessage(message(peer), 0));
        add("receiveMessage", Capability.MSG, Capability.RECV,
            () -> ep.receiveMessage(message(FiAddr.UNSPEC), 0));
        add("readMessage", Capability.RMA, Capability.READ, () -> ep.readMessage(message(peer), 0));
        add("writeMessage", Capability.RMA, Capability.WRITE, () -> ep.writeMessage(message(peer), 0));
        add("atomic", Capability.ATOMIC, Capability.WRITE, () -> ep.atomic(atomic(peer), 0));
        add("atomic that fetches", Capability.ATOMIC, Capability.READ,
            () -> ep.atomic(atomic(peer).result(memory.address(), null), 0));
    }

    private void addTagged(final TaggedMessages tagged, final long peer) {
        final long at = memory.address();
        add("tagged send", Capability.TAGGED, Capability.SEND, () -> tagged.send(at, 8, null, peer, 1, 1));
        add("tagged sendWithData", Capability.TAGGED, Capability.SEND,
            () -> tagged.sendWithData(at, 8, null, DATA, peer, 1, 1));
        add("tagged inject", Capability.TAGGED, Capability.SEND, () -> tagged.inject(buffer, 0, 8, peer, 1));
        add("tagged sendMessage", Capability.TAGGED, Capability.SEND, () -> tagged.sendMessage(message(peer), 0));
        add("tagged receive", Capability.TAGGED, Capability.RECV,
            () -> tagged.receive(at, 8, null, FiAddr.UNSPEC, 2, 0, 1));
        add("tagged receiveMessage", Capability.TAGGED, Capability.RECV,
            () -> tagged.receiveMessage(message(FiAddr.UNSPEC), 0));
    }

    private void addAll(final MsgEndpoint ep) {
        final long at = memory.address();
        addCommon(ep, 0);
        add("send", Capability.MSG, Capability.SEND, () -> ep.send(at, 8, null, 1));
        add("sendWithData", Capability.MSG, Capability.SEND, () -> ep.sendWithData(at, 8, null, DATA, 1));
        add("send of a buffer", Capability.MSG, Capability.SEND, () -> ep.send(buffer, 0, 8, 1));
        add("inject", Capability.MSG, Capability.SEND, () -> ep.inject(buffer, 0, 8));
        add("injectWithData", Capability.MSG, Capability.SEND, () -> ep.injectWithData(buffer, 0, 8, DATA));
        add("receive", Capability.MSG, Capability.RECV, () -> ep.receive(at, 8, null, 1));
        add("receive into a buffer", Capability.MSG, Capability.RECV, () -> ep.receive(buffer, 0, 8, 1));
        add("read", Capability.RMA, Capability.READ, () -> ep.read(at, 8, null, 0, KEY, 1));
        add("read into a buffer", Capability.RMA, Capability.READ, () -> ep.read(buffer, 0, 8, 0, KEY, 1));
        add("write", Capability.RMA, Capability.WRITE, () -> ep.write(at, 8, null, 0, KEY, 1));
        add("write of a buffer", Capability.RMA, Capability.WRITE, () -> ep.write(buffer, 0, 8, 0, KEY, 1));
        add("writeWithData", Capability.RMA, Capability.WRITE, () -> ep.writeWithData(at, 8, null, DATA, 0, KEY, 1));
        add("fetchAdd", Capability.ATOMIC, Capability.READ, () -> ep.fetchAdd(at, null, 1, 0, KEY, 1));
        add("compareSwap", Capability.ATOMIC, Capability.READ, () -> ep.compareSwap(at, null, 1, 2, 0, KEY, 1));
    }

    private void addAll(final AddressedEndpoint ep, final long peer) {
        final long at = memory.address();
        addCommon(ep, peer);
        add("send", Capability.MSG, Capability.SEND, () -> ep.send(at, 8, null, peer, 1));
        add("sendWithData", Capability.MSG, Capability.SEND, () -> ep.sendWithData(at, 8, null, DATA, peer, 1));
        add("send of a buffer", Capability.MSG, Capability.SEND, () -> ep.send(buffer, 0, 8, peer, 1));
        add("inject", Capability.MSG, Capability.SEND, () -> ep.inject(buffer, 0, 8, peer));
        add("injectWithData", Capability.MSG, Capability.SEND, () -> ep.injectWithData(buffer, 0, 8, DATA, peer));
        add("receive", Capability.MSG, Capability.RECV, () -> ep.receive(at, 8, null, FiAddr.UNSPEC, 1));
        add("receive into a buffer", Capability.MSG, Capability.RECV,
            () -> ep.receive(buffer, 0, 8, FiAddr.UNSPEC, 1));
        add("read", Capability.RMA, Capability.READ, () -> ep.read(at, 8, null, peer, 0, KEY, 1));
        add("write", Capability.RMA, Capability.WRITE, () -> ep.write(at, 8, null, peer, 0, KEY, 1));
        add("writeWithData", Capability.RMA, Capability.WRITE,
            () -> ep.writeWithData(at, 8, null, DATA, peer, 0, KEY, 1));
        add("fetchAdd", Capability.ATOMIC, Capability.READ, () -> ep.fetchAdd(at, null, 1, peer, 0, KEY, 1));
        add("compareSwap", Capability.ATOMIC, Capability.READ,
            () -> ep.compareSwap(at, null, 1, 2, peer, 0, KEY, 1));
    }

    private static Arguments asked(final EndpointType type, final Capability... capabilities) {
        return Arguments.of(type, Set.of(capabilities));
    }

    static List<Arguments> wishes() {
        final List<Arguments> all = new ArrayList<>();
        for (final EndpointType type : EndpointType.values()) {
            all.add(asked(type));
            all.add(asked(type, Capability.MSG));
            all.add(asked(type, Capability.SEND));
            all.add(asked(type, Capability.MSG, Capability.SEND));
            all.add(asked(type, Capability.MSG, Capability.RECV));
        }
        for (final EndpointType type : new EndpointType[] {EndpointType.MSG, EndpointType.RDM}) {
            all.add(asked(type, Capability.TAGGED));
            all.add(asked(type, Capability.TAGGED, Capability.SEND));
            all.add(asked(type, Capability.TAGGED, Capability.RECV));
            all.add(asked(type, Capability.MSG, Capability.TAGGED));
            all.add(asked(type, Capability.MULTI_RECV));
            all.add(asked(type, Capability.RMA));
            all.add(asked(type, Capability.RMA, Capability.READ));
            all.add(asked(type, Capability.RMA, Capability.WRITE));
            all.add(asked(type, Capability.RMA, Capability.REMOTE_READ));
            all.add(asked(type, Capability.MSG, Capability.RMA));
            all.add(asked(type, Capability.ATOMIC));
            all.add(asked(type, Capability.ATOMIC, Capability.READ));
            all.add(asked(type, Capability.ATOMIC, Capability.WRITE));
            all.add(asked(type, Capability.READ));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("wishes")
    void whatWasNotNegotiatedIsRefused(final EndpointType type, final Set<Capability> asked) {
        final TestNode node = sides.keep(new TestNode(
            new Hints().context(sides.device("")).endpointType(type).capabilities(asked), 4096));
        final Set<Capability> given = node.info.capabilities();
        memory = node.memory;
        buffer = node.bytes;
        final EndpointOptions options = new EndpointOptions().completionQueue(node.cq).sizes(64, 64);
        final Endpoint ep;
        long peer = 0;
        if (type == EndpointType.MSG) {
            final MsgEndpoint connected = node.domain.openEndpoint(options);
            addAll(connected);
            ep = connected;
        } else {
            final AddressVector vector = node.keep(node.domain.openAddressVector(new AvAttributes()));
            final AddressedEndpoint addressed = node.domain.openAddressedEndpoint(options.addressVector(vector));
            peer = vector.insert(addressed.address());
            addAll(addressed, peer);
            ep = addressed;
        }
        node.keep(ep);
        if (given.contains(Capability.TAGGED)) {
            addTagged(ep.tagged(), peer);
        }
        for (final Operation one : operations) {
            final int code = one.call.getAsInt();
            assertThat(code == -FiErrno.FI_EOPNOTSUPP).as("%s of %s: %d", one, given, code)
                .isEqualTo(!given.containsAll(one.needs));
        }
    }

    private Side[] pair(final Mode mode, final Capability way) {
        final Side[] both = {sides.open(mode.hints()), sides.open(mode.hints().capabilities(Capability.RMA, way))};
        Side.connect(both[0], both[1]);
        return both;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void memoryThatMayOnlyBeReadIsNotWritten(final Mode mode) {
        final Side[] both = pair(mode, Capability.REMOTE_READ);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = b.register(KEY);
        final MemoryRegion local = a.local();
        final long key = mode.key(a, region);
        b.bytes.putLong(0, 42);
        a.bytes.putLong(8, 43);
        a.succeeds(() -> a.ep.read(a.at(0), 8, local, region.base(), key, 1));
        assertThat(a.bytes.getLong(0)).isEqualTo(42);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(8), 8, local, region.base(), key, 2));
        a.fails(FiErrno.FI_EACCES, () -> a.ep.fetchAdd(a.at(8), local, 1, region.base(), key, 3));
        assertThat(b.bytes.getLong(0)).isEqualTo(42);
        mode.release(a, key);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void memoryThatMayOnlyBeWrittenIsNotRead(final Mode mode) {
        final Side[] both = pair(mode, Capability.REMOTE_WRITE);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion region = b.register(KEY);
        final MemoryRegion local = a.local();
        final long key = mode.key(a, region);
        b.bytes.putLong(0, 42);
        a.bytes.putLong(0, 7);
        a.bytes.putLong(8, 43);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.read(a.at(0), 8, local, region.base(), key, 1));
        assertThat(a.bytes.getLong(0)).isEqualTo(7);
        a.succeeds(() -> a.ep.write(a.at(8), 8, local, region.base(), key, 2));
        assertThat(b.bytes.getLong(0)).isEqualTo(43);
        mode.release(a, key);
    }
}
