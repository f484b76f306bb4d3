/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** How many elements a READ may have where the device takes fewer than of other requests, or does not tell. */
class ReadElementsTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** The software device, which says of READs what the test wants. */
    private static final class Teller extends OtherPlatform {
        private final List<UnsafeBuffer> given = new CopyOnWriteArrayList<>();
        private final DmaDomain domain;
        private final int reads;
        private volatile boolean told;

        Teller(final PciDevice inner, final int reads) {
            super(inner);
            this.reads = reads;
            domain = watched(inner.dma());
        }

        /** Remembers what the driver takes. */
        private DmaDomain watched(final DmaDomain under) {
            return (DmaDomain) Proxy.newProxyInstance(DmaDomain.class.getClassLoader(),
                new Class<?>[] {DmaDomain.class}, (proxy, method, arguments) -> {
                    try {
                        final Object result = method.invoke(under, arguments);
                        if (result instanceof DmaMemory) {
                            given.add(new UnsafeBuffer(((DmaMemory) result).buffer()));
                        }
                        return result;
                    } catch (final InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        }

        @Override
        public DmaDomain dma() {
            return domain;
        }

        /** The driver reads a register before it looks at the capabilities. */
        @Override
        int told(final int value) {
            if (!told) {
                given.forEach(this::tellIn);
            }
            return value;
        }

        private void tellIn(final UnsafeBuffer memory) {
            for (int page = 0; page < memory.capacity(); page += DmaDomain.PAGE_SIZE) {
                final Caps caps = new Dsr().wrap(memory, page).get(Dsr.CAPS);
                if (caps.get(Caps.MAX_QP) > 0 && caps.get(Caps.MAX_SGE_RD) == caps.get(Caps.MAX_SGE)) {
                    caps.set(Caps.MAX_SGE_RD, reads);
                    told = true;
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2, RDMA_READ, 2", "2, RDMA_READ_WITH_INV, 2", "2, RDMA_WRITE, 4", "2, SEND, 4", "2, SEND_WITH_INV, 4",
        "0, RDMA_READ, 4"})
    void areAsManyAsTheDeviceTakes(final int told, final SendOpcode opcode, final int expected) {
        final Teller platform = new Teller(PciDevices.open(
            DeviceAddress.parse("emulated:reads" + NAMES.incrementAndGet())), told);
        try (PvrdmaContext context = new PvrdmaContext("emulated:", PvrdmaDevice.open(platform))) {
            assertThat(context.device.caps().maxSgeRd()).isEqualTo(told);
            context.bindGid(0, Gid.linkLocal(context.device.caps().nodeGuid()));
            final Peer a = Peer.rc(context);
            a.connect(Peer.rc(context));
            assertThat(a.qp.state()).isEqualTo(QpState.RTS);
            final SendRequest request = new SendRequest(4).opcode(opcode);
            for (int i = 1; i <= 4; i++) {
                assertThat(a.qp.postSend(request.addSge(a.at(8 * i), 8, a.lkey()))).as("%d elements", i)
                    .isEqualTo(i <= expected ? ReturnCode.OK : ReturnCode.TOO_MANY_SGES);
            }
            if (expected < 4) {
                assertThatThrownBy(() -> a.qp.prepare(request)).isInstanceOf(RdmaException.class)
                    .hasMessageContainingAll("TOO_MANY_SGES: 4 elements, the device takes fewer in a READ", "split it")
                    .hasMessageNotContaining("maxSendSge");
            }
        }
    }
}
