/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestNode;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As many queues and endpoints as are promised can be there at once. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ObjectCountTest {
    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private TestNode node(final String options, final EndpointType type) {
        return devices.keep(new TestNode(new Hints().context(devices.device(options)).endpointType(type)
            .mrMode(MrMode.LOCAL, MrMode.ALLOCATED, MrMode.VIRT_ADDR, MrMode.PROV_KEY), 4096));
    }

    @ParameterizedTest
    @CsvSource({
        "max_cq=6, 5",
        "max_cq=6&version=19, 5",
        "max_cq=6&extensions=false, 5",
        "max_cq=6&quirks=qemu-7.2, 6",
    })
    void completionQueues(final String options, final int promised) {
        final TestNode node = node(options, EndpointType.MSG);
        assertThat(node.info.domainAttributes().cqCount()).isEqualTo(promised);
        for (int i = 1; i < promised; i++) {
            node.keep(node.domain.openCompletionQueue(1));
        }
        final FabricException refused =
            catchThrowableOfType(FabricException.class, () -> node.domain.openCompletionQueue(1));
        assertThat(FiErrno.name(refused.errno())).isEqualTo("FI_ENOMEM");
    }

    /** Of reliable datagrams more may be opened: they take fewer QPs until they connect. */
    @ParameterizedTest
    @CsvSource({
        "DGRAM, max_qp=17, 16",
        "DGRAM, max_qp=17&version=19, 15",
        "MSG, max_qp=12, 3",
        "MSG, max_qp=13&version=19, 3",
        "RDM, max_qp=12, 2",
    })
    void endpoints(final EndpointType type, final String options, final int promised) {
        final TestNode node = node(options, type);
        assertThat(node.info.domainAttributes().epCount()).isEqualTo(promised);
        for (int i = 0; i < promised; i++) {
            final EndpointOptions own = new EndpointOptions().completionQueue(node.cq).sizes(2, 2);
            node.keep(type == EndpointType.MSG ? node.domain.openEndpoint(own)
                : node.domain.openAddressedEndpoint(
                    own.addressVector(node.keep(node.domain.openAddressVector(new AvAttributes())))));
        }
    }
}
