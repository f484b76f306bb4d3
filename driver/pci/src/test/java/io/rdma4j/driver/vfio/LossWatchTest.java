/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.testing.Patience;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The system takes the device away. */
class LossWatchTest extends VfioFixture {

    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Test
    void tellsOfARequestOnce() throws Exception {
        try (PciDevice pci = open(FIRST)) {
            pci.onLoss(told::add);
            kernel.fire(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX, 0);
            assertThat(told.poll(Patience.millis(), TimeUnit.MILLISECONDS)).contains("unbinds or unplugs");
            kernel.fire(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX, 0);
            kernel.fire(IrqInfo.VFIO_PCI_ERR_IRQ_INDEX, 0);
            assertThat(told.poll(50, TimeUnit.MILLISECONDS)).isNull();
            assertThat(pci.toString()).contains("unbinds or unplugs");
        }
    }

    @Test
    void tellsOfABusError() throws Exception {
        try (PciDevice pci = open(FIRST)) {
            pci.onLoss(told::add);
            kernel.fire(IrqInfo.VFIO_PCI_ERR_IRQ_INDEX, 0);
            assertThat(told.poll(Patience.millis(), TimeUnit.MILLISECONDS)).contains("error");
        }
    }

    @Test
    void tellsALateListenerAtOnce() throws Exception {
        try (PciDevice pci = open(FIRST)) {
            kernel.fire(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX, 0);
            final long deadline = System.nanoTime() + Patience.nanos();
            while (pci.toString().contains("watching") && System.nanoTime() < deadline) {
                Thread.sleep(1);
            }
            pci.onLoss(told::add);
            assertThat(told).hasSize(1);
        }
    }

    @Test
    void hasOneListener() {
        try (PciDevice pci = open(FIRST)) {
            pci.onLoss(told::add);
            assertThatThrownBy(() -> pci.onLoss(told::add)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void listenerMayCloseTheDevice() throws Exception {
        final PciDevice pci = open(FIRST);
        final CompletableFuture<String> closed = new CompletableFuture<>();
        pci.onLoss(reason -> {
            pci.close();
            closed.complete(reason);
        });
        kernel.fire(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX, 0);
        assertThat(Patience.get(closed)).isNotEmpty();
    }

    @Test
    void closingIsNoLoss() throws Exception {
        final PciDevice pci = open(FIRST);
        pci.onLoss(told::add);
        final Thread watcher = watchers().findFirst().orElseThrow();
        pci.close();
        Patience.join(watcher);
        assertThat(told).as("and nobody is left who could").isEmpty();
        assertThat(kernel.inUse(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX)).isZero();
    }

    @Test
    void deviceWithoutErrorInterruptIsWatchedAllTheSame() throws Exception {
        kernel.irqs[IrqInfo.VFIO_PCI_ERR_IRQ_INDEX] = -1;
        try (PciDevice pci = open(FIRST)) {
            assertThat(kernel.inUse(IrqInfo.VFIO_PCI_ERR_IRQ_INDEX)).isZero();
            pci.onLoss(told::add);
            kernel.fire(IrqInfo.VFIO_PCI_REQ_IRQ_INDEX, 0);
            assertThat(told.poll(Patience.millis(), TimeUnit.MILLISECONDS)).isNotNull();
        }
    }

    @Test
    void threadEndsWithTheDevice() throws Exception {
        open(FIRST).close();
        final long deadline = System.nanoTime() + Patience.nanos();
        while (watchers().count() > 0 && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        assertThat(watchers()).isEmpty();
    }

    private static Stream<Thread> watchers() {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("rdma4j-vfio-" + FakeMachine.FIRST));
    }
}
