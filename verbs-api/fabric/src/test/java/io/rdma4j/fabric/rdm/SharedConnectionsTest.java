/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.SharedReceiveContext;
import io.rdma4j.fabric.SharedReceiveOptions;
import io.rdma4j.fabric.endpoint.FabricEndpoint;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestNode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Allocations;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receives that connected endpoints share, whose messages go in pieces. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedConnectionsTest {
    private static final long ANY = FiAddr.UNSPEC;
    private static final int SIZE = 1 << 16;

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private TestNode a;
    private TestNode b;
    private SharedReceiveContext shared;
    private MsgEndpoint[] senders;
    private MsgEndpoint[] receivers;

    private TestNode node(final String device, final Capability... capabilities) {
        return devices.keep(new TestNode(new Hints().context(devices.device(device)).capabilities(Set.of(capabilities))
            .mrMode(MrMode.LOCAL, MrMode.ALLOCATED, MrMode.VIRT_ADDR, MrMode.PROV_KEY), SIZE));
    }

    private void open(final String device) {
        a = node(device, Capability.MSG, Capability.TAGGED, Capability.MULTI_RECV);
        b = node(device, Capability.MSG, Capability.TAGGED, Capability.MULTI_RECV);
        a.others.add(b);
        b.others.add(a);
        shared = devices.keep(
            b.domain.openSharedReceiveContext(new SharedReceiveOptions().completionQueue(b.cq).size(8)));
        senders = new MsgEndpoint[2];
        receivers = new MsgEndpoint[2];
        for (int i = 0; i < 2; i++) {
            senders[i] = devices.keep(a.domain.openEndpoint(options().completionQueue(a.cq)));
            receivers[i] = devices.keep(
                b.domain.openEndpoint(options().completionQueue(b.cq).sharedReceiveContext(shared)));
            senders[i].connect(receivers[i].name());
            receivers[i].connect(senders[i].name());
        }
    }

    private static EndpointOptions options() {
        return new EndpointOptions().sizes(16, 16);
    }

    private int receive(final long context) {
        return shared.receive(b.at(0), 1_000, null, ANY, context);
    }

    private void send(final int from, final int length) {
        a.succeeds(() -> senders[from].send(a.at(0), length, null, length));
    }

    private void gets(final int which, final long context, final int length) {
        assertThat(b.next()).extracting(Done::endpoint, Done::context, Done::length, Done::errno)
            .containsExactly(receivers[which], context, (long) length, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", TestDevices.QEMU})
    void whicheverConnectionsMessageComesFirst(final String device) {
        open(device);
        for (int i = 0; i < 3; i++) {
            assertThat(receive(i)).isZero();
        }
        send(1, 10);
        gets(1, 0, 10);
        send(0, 11);
        gets(0, 1, 11);
        send(0, 12);
        gets(0, 2, 12);
        // One that waits, and others behind it.
        send(1, 13);
        send(0, 14);
        for (int i = 0; i < 2; i++) {
            assertThat(receive(i)).isZero();
            final Done done = b.next();
            assertThat(done.endpoint()).isSameAs(receivers[done.length() == 13 ? 1 : 0]);
        }
        assertThat(receivers[0].receive(b.at(0), 8, null, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(receivers[0].tagged().receive(b.at(0), 8, null, 0, 1, 0, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(receivers[0].cancel(1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
    }

    /** What is posted is the context's, and what came already can still be received. */
    @Test
    void aConnectionThatEndsTakesNothingAlong() {
        open("");
        assertThat(shared.receiveTagged(b.at(0), 100, null, ANY, 5, 0, 1)).isZero();
        send(0, 20);
        a.until(() -> {
            a.progress();
            return shared.toString().contains("1 messages wait");
        });
        senders[0].close();
        ((FabricEndpoint) receivers[0]).disconnect("test");
        b.until(() -> !receivers[0].isConnected());
        for (int i = 0; i < 20; i++) {
            b.progress();
        }
        assertThat(b.done).isEmpty();
        assertThat(receive(2)).isZero();
        gets(0, 2, 20);
        a.succeeds(() -> senders[1].tagged().send(a.at(0), 30, null, 0, 5, 3));
        gets(1, 1, 30);
        receivers[0].close();
        assertRefused(FiErrno.FI_EBUSY, shared::close, "1 endpoints");
        assertThat(receive(3)).isZero();
        receivers[1].close();
        assertThat(b.done).isEmpty();
        shared.close();
        assertThat(b.next()).extracting(Done::endpoint, Done::context, Done::errno)
            .containsExactly(null, 3L, FiErrno.FI_ECANCELED);
    }

    /** Nobody has read what came before: they are received once somebody has, though all connections have ended. */
    @Test
    void messagesThatWaitForReadersOutliveTheirConnections() {
        open("");
        final Message whole = new Message(1).add(b.at(0), 10_000, null).context(7);
        assertThat(shared.receiveMessage(whole, OpFlags.MULTI_RECV)).isZero();
        // Eight have a place.
        for (int i = 0; i < 11; i++) {
            a.until(() -> {
                a.take();
                b.cq.read(entry -> { }, 0);
                return senders[0].send(a.at(0), 16, null, 1) == 0;
            });
        }
        a.until(() -> {
            a.take();
            b.cq.read(entry -> { }, 0);
            return a.done.size() == 11 && shared.toString().contains("3 messages wait");
        });
        for (int i = 0; i < 2; i++) {
            senders[i].close();
            ((FabricEndpoint) receivers[i]).disconnect("test");
        }
        b.cq.read(entry -> { }, 0);
        assertThat(shared.toString()).contains("3 messages wait");
        for (int i = 0; i < 11; i++) {
            assertThat(b.next()).extracting(Done::endpoint, Done::context, Done::errno, Done::buffer)
                .containsExactly(receivers[0], 7L, 0, b.at(16 * i));
        }
    }

    @Test
    void plainMessagesAreInTheHandsOfTheDevice() {
        open("");
        final TestNode plain = node("", Capability.MSG);
        assertRefused(FiErrno.FI_EOPNOTSUPP, () -> plain.domain.openSharedReceiveContext(
            new SharedReceiveOptions().completionQueue(plain.cq)), "TAGGED");
        assertRefused(FiErrno.FI_EOPNOTSUPP, () -> plain.domain.openEndpoint(
            options().completionQueue(plain.cq).sharedReceiveContext(shared)), "hands of the device");
        final TestNode other = node("", Capability.MSG, Capability.TAGGED);
        assertRefused(FiErrno.FI_EDOMAIN, () -> other.domain.openEndpoint(
            options().completionQueue(other.cq).sharedReceiveContext(shared)), "another domain");
        final TestNode datagrams = devices.keep(new TestNode(
            new Hints().context(devices.device("")).endpointType(EndpointType.DGRAM), SIZE));
        assertRefused(FiErrno.FI_EOPNOTSUPP, () -> datagrams.domain.openSharedReceiveContext(
            new SharedReceiveOptions().completionQueue(datagrams.cq)), "cannot share");
    }

    @Test
    void optionsOfConnectedEndpoints() {
        open("");
        assertThat(senders[0].getopt(EndpointOption.CM_DATA_SIZE)).isEqualTo(MsgEndpoint.MAX_PRIVATE_DATA);
        assertThat(senders[0].getopt(EndpointOption.MIN_MULTI_RECV)).isEqualTo(64);
        senders[0].setopt(EndpointOption.MIN_MULTI_RECV, 500);
        final Message message = new Message(1).add(a.at(0), 499, null);
        assertThat(senders[0].receiveMessage(message, OpFlags.MULTI_RECV)).isEqualTo(-FiErrno.FI_EINVAL);
        assertRefused(FiErrno.FI_ENOPROTOOPT, () -> senders[0].setopt(EndpointOption.CM_DATA_SIZE, 1), "CM_DATA_SIZE");
        assertRefused(FiErrno.FI_ENOPROTOOPT, () -> receivers[0].getopt(EndpointOption.MIN_MULTI_RECV), "MIN_MULTI");
        final TestNode plain = node("", Capability.MSG);
        final MsgEndpoint endpoint = devices.keep(plain.domain.openEndpoint(options().completionQueue(plain.cq)));
        assertThat(endpoint.getopt(EndpointOption.CM_DATA_SIZE)).isEqualTo(MsgEndpoint.MAX_PRIVATE_DATA);
        assertRefused(FiErrno.FI_ENOPROTOOPT, () -> endpoint.getopt(EndpointOption.MIN_MULTI_RECV), "MIN_MULTI");
        assertRefused(FiErrno.FI_ENOPROTOOPT, () -> endpoint.setopt(EndpointOption.BUFFERED_LIMIT, 1), "BUFFERED");
        assertRefused(FiErrno.FI_EINVAL, () -> endpoint.getopt(null), "null");
        endpoint.close();
        assertRefused(FiErrno.FI_EBADFD, () -> endpoint.getopt(EndpointOption.CM_DATA_SIZE), "closed");
    }

    /** Counts, and keeps nothing. */
    private static final class Tally implements CompletionReader {
        private int good;
        private int bad;

        @Override
        public void onCompletion(final CompletionEntry entry) {
            good += entry.isError() ? 0 : 1;
            bad += entry.isError() ? 1 : 0;
        }
    }

    @Test
    void nothingIsAllocated() {
        open("");
        for (int i = 0; i < 2; i++) {
            assertThat(receive(i)).isZero();
            send(i, 8);
            b.next();
        }
        final Tally tally = new Tally();
        final int[] refused = new int[1];
        assertThat(Allocations.perStep(20_000, () -> {
            refused[0] |= receive(1);
            refused[0] |= receive(2);
            refused[0] |= senders[0].send(a.at(0), 64, null, 1);
            refused[0] |= senders[1].send(a.at(0), 64, null, 1);
            tally.good = 0;
            for (int i = 0; i < 1_000_000 && tally.good + tally.bad < 4; i++) {
                a.cq.read(tally, 16);
                b.cq.read(tally, 16);
            }
        })).isZero();
        assertThat(refused[0]).isZero();
        assertThat(tally.bad).isZero();
    }

    private void refuse(final int before) {
        if (before == 0) {
            EmulatedCommands.refuseNext(b.context, Command.DESTROY_MR);
        } else {
            EmulatedCommands.afterNext(b.context, Command.DESTROY_MR, () -> refuse(before - 1));
        }
    }

    /** Of copies in the queue pair, of pieces, of slots: all else goes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aRegionThatTheDeviceKeepsDoesNotKeepTheContextOpen(final int which) {
        open("");
        refuse(which);
        assertThatThrownBy(receivers[0]::close).hasMessageContaining("DESTROY_MR");
        receivers[1].close();
        shared.close();
        assertThatThrownBy(b::close).hasMessageContaining("DESTROY_PD");
        b.close();
        b.context.close();
    }
}
