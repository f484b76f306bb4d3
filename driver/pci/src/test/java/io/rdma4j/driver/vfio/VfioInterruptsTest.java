/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.testing.Patience;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Vectors over real eventfds: nothing is lost, and nobody waits for ever. */
class VfioInterruptsTest extends VfioFixture {
    private static final long PATIENCE = Patience.nanos();
    private static final int MSIX = IrqInfo.VFIO_PCI_MSIX_IRQ_INDEX;

    private PciDevice pci;
    private Interrupts interrupts;

    @BeforeEach
    void opens() {
        pci = open(FIRST);
        interrupts = pci.interrupts();
    }

    @AfterEach
    void closes() {
        pci.close();
    }

    private void reopen() {
        pci.close();
        opens();
    }

    @Test
    void enablesAsManyAsThereAre() {
        assertThat(interrupts.available()).isEqualTo(3);
        assertThat(interrupts.enable(5)).isEqualTo(3);
        assertThat(kernel.inUse(MSIX)).isEqualTo(3);
        assertThat(interrupts.enable(2)).isEqualTo(2);
        assertThat(interrupts.vector(1)).isSameAs(interrupts.vector(1));
        assertThat(interrupts.vector(1).index()).isEqualTo(1);
        assertThatThrownBy(() -> interrupts.vector(2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> interrupts.enable(0)).isInstanceOf(IllegalArgumentException.class);
        interrupts.disable();
        interrupts.disable();
        assertThat(kernel.inUse(MSIX)).isZero();
        assertThatThrownBy(() -> interrupts.vector(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesFewerWhereThePlatformHasFewer() {
        kernel.answers.put("vectors", 1);
        assertThat(interrupts.enable(3)).isEqualTo(1);
        kernel.answers.put("vectors", 0);
        assertThatThrownBy(() -> interrupts.vector(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesMsiWhereThereIsNoMsix() {
        kernel.irqs[MSIX] = 0;
        reopen();
        assertThat(interrupts.enable(3)).isEqualTo(1);
        assertThat(kernel.inUse(IrqInfo.VFIO_PCI_MSI_IRQ_INDEX)).isEqualTo(1);
        assertThat(interrupts.toString()).startsWith("MSI of 1");
    }

    @Test
    void hasNoneWhereTheFunctionHasNone() {
        kernel.irqs[MSIX] = -1;
        kernel.irqs[IrqInfo.VFIO_PCI_MSI_IRQ_INDEX] = 0;
        reopen();
        assertThat(interrupts.available()).isZero();
        assertThat(interrupts.enable(1)).isZero();
    }

    @Test
    void saysWhyTheKernelRefuses() {
        kernel.errnos.put("VFIO_DEVICE_SET_IRQS", RdmaException.EBUSY);
        assertThatThrownBy(() -> interrupts.enable(1)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EBUSY");
        kernel.errnos.clear();
        assertThat(interrupts.enable(1)).isEqualTo(1);
    }

    @Test
    void countsFiringsBeforeAndBetweenCalls() {
        interrupts.enable(2);
        final InterruptVector vector = interrupts.vector(1);
        kernel.fire(MSIX, 1);
        kernel.fire(MSIX, 1);
        assertThat(vector.fired()).isEqualTo(2);
        kernel.fire(MSIX, 1);
        assertThat(vector.await(PATIENCE)).isEqualTo(3);
        assertThat(vector.poll()).isZero();
        kernel.fire(MSIX, 1);
        assertThat(vector.poll()).isEqualTo(1);
        assertThat(vector.fired()).isEqualTo(4);
        assertThat(interrupts.vector(0).fired()).isZero();
        assertThat(vector.await(0)).isZero();
        assertThat(vector.await(-1)).isZero();
        assertThat(vector.await(2_000_000)).isZero();
    }

    @Test
    void firedBeforeTheWaitEndsItAtOnceEvenWhenSomebodyLooked() {
        interrupts.enable(1);
        final InterruptVector vector = interrupts.vector(0);
        kernel.fire(MSIX, 0);
        assertThat(vector.fired()).isEqualTo(1);
        assertThat(vector.await(PATIENCE)).isEqualTo(1);
    }

    private CompletableFuture<Long> await(final InterruptVector vector) {
        final CompletableFuture<Long> result = new CompletableFuture<>();
        final Thread waiter = new Thread(() -> result.complete(vector.await(PATIENCE)));
        waiter.setDaemon(true);
        waiter.start();
        return result;
    }

    @Test
    void disablingWakesTheWaiter() throws Exception {
        interrupts.enable(1);
        final CompletableFuture<Long> waiting = await(interrupts.vector(0));
        Thread.sleep(20);
        assertThat(waiting).isNotDone();
        interrupts.disable();
        assertThat(Patience.get(waiting)).isZero();
    }

    @Test
    void closingTheDeviceWakesTheWaiter() throws Exception {
        interrupts.enable(1);
        final CompletableFuture<Long> waiting = await(interrupts.vector(0));
        Thread.sleep(20);
        pci.close();
        assertThat(Patience.get(waiting)).isZero();
    }

    @Test
    void whatFiredBeforeDisablingCanStillBeTaken() {
        interrupts.enable(1);
        final InterruptVector vector = interrupts.vector(0);
        kernel.fire(MSIX, 0);
        interrupts.disable();
        assertThat(vector.fired()).isEqualTo(1);
        assertThat(vector.await(PATIENCE)).isEqualTo(1);
        assertThat(vector.await(PATIENCE)).as("disabled: no waiting").isZero();
        assertThat(vector.toString()).contains("disabled");
    }

    @Test
    void interruptedThreadStopsWaitingAndKeepsItsFlag() throws Exception {
        interrupts.enable(1);
        final InterruptVector vector = interrupts.vector(0);
        final CompletableFuture<Boolean> flag = new CompletableFuture<>();
        final Thread waiter = new Thread(() -> {
            vector.await(PATIENCE);
            flag.complete(Thread.currentThread().isInterrupted());
        });
        waiter.start();
        Thread.sleep(20);
        waiter.interrupt();
        assertThat(Patience.get(flag)).isTrue();
    }
}
