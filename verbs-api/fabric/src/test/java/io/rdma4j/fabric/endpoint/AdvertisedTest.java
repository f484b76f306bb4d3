/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.RdmaContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

/** What an info tells can be had. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AdvertisedTest {
    @RegisterExtension
    final Sides sides = new Sides();

    @ParameterizedTest
    @EnumSource(value = Capability.class, names = {"MSG", "TAGGED", "RMA", "ATOMIC"})
    void anEndpointHasTheSizesOfItsInfo(final Capability capability) {
        final TestDomain one = sides.keep(new TestDomain(new Hints().capabilities(capability).context(
            sides.device(""))));
        final CompletionQueue sends = one.keep(one.domain.openCompletionQueue(1));
        final CompletionQueue receives = one.keep(one.domain.openCompletionQueue(1));
        final int most = one.info.transmitAttributes().size();
        assertThat(most).isGreaterThan(8000);
        one.domain.openEndpoint(new EndpointOptions().completionQueues(sends, receives).sizes(most, 1)).close();
        one.domain.openEndpoint(new EndpointOptions().completionQueues(sends, receives)
            .sizes(1, one.info.receiveAttributes().size())).close();
    }

    /** The queue of peers' RMA has room to spare, but no more than the device has. */
    @Test
    void halfAQueueOfReceivesIsNotTooMuch() {
        final TestDomain one = sides.keep(new TestDomain(new Hints().capabilities(Capability.MSG, Capability.RMA)
            .context(sides.device("max_cqe=16384"))));
        final CompletionQueue queue = one.keep(one.domain.openCompletionQueue(64));
        one.domain.openEndpoint(new EndpointOptions().completionQueue(queue).sizes(16, 8192)).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", TestDevices.QEMU})
    void aReceiveHasTheBuffersOfItsInfo(final String options) {
        final Side[] both = sides.pair(() -> new Hints().mrMode(MrMode.ALLOCATED), options);
        final Side b = both[1];
        final MemoryRegion desc = b.local();
        final int most = b.info.receiveAttributes().iovLimit();
        assertThat(most).isGreaterThan(2);
        final Message message = new Message(most).context(1);
        for (int i = 0; i < most; i++) {
            message.add(b.at(64 * i), 8, desc);
        }
        assertThat(b.ep.receiveMessage(message, 0)).isZero();
    }

    /** Each of them needs to know when one of its queue pairs failed, and the device tells one listener. */
    @Test
    void twoFabricsOfOneContextBothMendWhatWasRefused() {
        final RdmaContext shared = sides.device("");
        sides.open(shared, Mode.PROV_KEY_VIRT.hints(), new EndpointOptions().sizes(16, 16));
        final Side b = sides.open(shared, Mode.PROV_KEY_VIRT.hints(), new EndpointOptions().sizes(16, 16));
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        Side.connect(a, b);
        final MemoryRegion desc = a.local();
        final MemoryRegion gone = b.register(0);
        final long key = gone.key();
        final long there = gone.base();
        gone.close();
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, there, key, 1));
        assertThat(a.ep.isConnected()).isTrue();
    }
}
