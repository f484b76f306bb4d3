/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.testing.LineProcess;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A JVM that has no room for as many addresses as are announced. Found by the campaign of misuse. */
@Timeout(120)
class SmallHeapTest {
    /** What it answers. */
    private static final String INSERTED = "inserted as 0";

    private static final class Small extends LineProcess {
        Small() throws IOException {
            super(SmallHeapTest.class, List.of("-Xmx14m"));
        }
    }

    /** The small JVM: opens a vector for ever so many, and inserts one. */
    public static void main(final String[] args) {
        try (RdmaContext context = RdmaDevices.open("emulated:small?wire=none")) {
            final FabricInfo info = Fabrics.getInfo(
                new Hints().context(context).endpointType(EndpointType.RDM)).get(0);
            try (Fabric fabric = Fabrics.open(info); Domain domain = fabric.openDomain(info);
                 AddressVector vector = domain.openAddressVector(new AvAttributes().count(Long.MAX_VALUE));
                 CompletionQueue cq = domain.openCompletionQueue(64);
                 AddressedEndpoint endpoint = domain.openAddressedEndpoint(
                     new EndpointOptions().completionQueue(cq).addressVector(vector))) {
                System.out.println("inserted as " + vector.insert(endpoint.address()));
            }
        }
    }

    @Test
    void theCountOfAVectorIsOnlyAHint() throws IOException {
        try (Small small = new Small()) {
            assertThat(small.answer()).isEqualTo(INSERTED);
        }
    }
}
