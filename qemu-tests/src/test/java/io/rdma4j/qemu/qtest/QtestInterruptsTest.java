/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class QtestInterruptsTest {
    private static final long WORDS_AT = 0x10_0000;
    private static final long BAR_AT = 0xe000_0000L;
    private static final long LONG = Patience.nanos();

    private final FakeMachine machine = new FakeMachine();
    private final UnsafeBuffer words = new UnsafeBuffer(new byte[4096]);
    private final QtestInterrupts interrupts = new QtestInterrupts(new QtestConfigSpace(machine, 0x10, 1),
        bar -> new QtestBar(machine, bar, BAR_AT, 0x4000), words, WORDS_AT);

    private int control() {
        return machine.config.getShort(FakeMachine.MSIX_AT + MsixCapability.CONTROL_OFFSET) & 0xffff;
    }

    /** What the device does: a store of the message data to the message address, unless the entry is masked. */
    private void fire(final int vector) {
        final long entry = BAR_AT + FakeMachine.TABLE_OFFSET + 16L * vector;
        assertThat(machine.memoryRead(entry + 12)).as("mask of vector %d", vector).isZero();
        assertThat(machine.memoryRead(entry + 4)).isZero();
        words.putIntVolatile((int) (machine.memoryRead(entry) - WORDS_AT), machine.memoryRead(entry + 8));
    }

    @Test
    void pointsVectorsAtWordsOfRamAndEnablesThem() {
        assertThat(interrupts.available()).isEqualTo(3);
        assertThat(control() & MsixCapability.ENABLE).isZero();
        assertThat(interrupts.enable(2)).isEqualTo(2);
        assertThat(control() & MsixCapability.ENABLE).isNotZero();
        fire(1);
        assertThat(interrupts.vector(1).poll()).isEqualTo(1);
        assertThat(interrupts.vector(0).poll()).isZero();
        assertThatThrownBy(() -> interrupts.vector(2)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("vector 2").hasMessageContaining("2 vectors");
    }

    @Test
    void grantsNoMoreThanThereAre() {
        assertThat(interrupts.enable(64)).isEqualTo(3);
        assertThatThrownBy(() -> interrupts.enable(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFunctionWithoutTheCapabilityHasNone() {
        machine.config.put(FakeMachine.MSIX_AT, (byte) 0x09);
        final QtestInterrupts none = new QtestInterrupts(new QtestConfigSpace(machine, 0x10, 1), bar -> null, words, 0);
        assertThat(none.available()).isZero();
        assertThat(none.enable(3)).isZero();
    }

    @Test
    void countsEachFiringOnce() {
        interrupts.enable(3);
        final InterruptVector vector = interrupts.vector(0);
        fire(0);
        assertThat(vector.fired()).isEqualTo(1);
        assertThat(vector.fired()).isEqualTo(1);
        assertThat(vector.poll()).isEqualTo(1);
        assertThat(vector.poll()).isZero();
        fire(0);
        assertThat(vector.fired()).isEqualTo(2);
        fire(0);
        assertThat(vector.await(0)).isEqualTo(2);
        assertThat(vector.fired()).isEqualTo(3);
    }

    @Test
    void wakesAWaiterWhenTheVectorFires() throws InterruptedException {
        interrupts.enable(1);
        final InterruptVector vector = interrupts.vector(0);
        final AtomicLong taken = new AtomicLong(-1);
        final Thread waiter = new Thread(() -> taken.set(vector.await(LONG)));
        waiter.start();
        Thread.sleep(50);
        assertThat(waiter.isAlive()).isTrue();
        fire(0);
        Patience.join(waiter);
        assertThat(taken).hasValue(1);
    }

    @Test
    void wakesAWaiterWhenTheVectorsAreDisabled() throws InterruptedException {
        interrupts.enable(1);
        final InterruptVector vector = interrupts.vector(0);
        final AtomicLong taken = new AtomicLong(-1);
        final Thread waiter = new Thread(() -> taken.set(vector.await(LONG)));
        waiter.start();
        Thread.sleep(50);
        interrupts.disable();
        interrupts.disable();
        Patience.join(waiter);
        assertThat(taken).hasValue(0);
        assertThat(control() & MsixCapability.ENABLE).isZero();
    }

    @Test
    void stopsWaitingAtTheDeadlineAndWhenInterrupted() {
        interrupts.enable(1);
        final InterruptVector vector = interrupts.vector(0);
        final long start = System.nanoTime();
        assertThat(vector.await(TimeUnit.MILLISECONDS.toNanos(50))).isZero();
        assertThat(System.nanoTime() - start).isBetween(TimeUnit.MILLISECONDS.toNanos(50), LONG);
        Thread.currentThread().interrupt();
        assertThat(vector.await(LONG)).isZero();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void startsAnewWhenEnabledAgain() {
        interrupts.enable(1);
        fire(0);
        interrupts.enable(1);
        assertThat(interrupts.vector(0).fired()).isZero();
    }
}
