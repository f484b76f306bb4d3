/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.name.TestNames;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Endpoints come while their queue is in use. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmOpeningTest {
    private static final int ENDPOINTS = 20;

    @RegisterExtension
    final World world = new World();

    /** Some of them are known by a service, which takes a while to tell. */
    @Test
    void anotherThreadMayReadTheQueueMeanwhile() throws Exception {
        TestNames.use();
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final AtomicBoolean over = new AtomicBoolean();
        final CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                a.cq.read(null, 0);
            }
        });
        final List<AddressedEndpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < ENDPOINTS; i++) {
            endpoints.add(world.keep(a.domain.openAddressedEndpoint(World.options().completionQueue(a.cq)
                .addressVector(a.av).service(i % 2 == 0 ? null : Integer.toString(61_000 + i)))));
        }
        over.set(true);
        reader.get();
        for (int i = 0; i < ENDPOINTS; i++) {
            final AddressedEndpoint endpoint = endpoints.get(i);
            final long context = i;
            final long to = b.av.insert(endpoint.address());
            a.post(() -> endpoint.receive(a.at(0), 8, a.region, FiAddr.UNSPEC, context));
            b.succeeds(() -> b.ep.send(b.at(0), 8, b.region, to, context));
            assertThat(a.next().context()).isEqualTo(context);
        }
    }
}
