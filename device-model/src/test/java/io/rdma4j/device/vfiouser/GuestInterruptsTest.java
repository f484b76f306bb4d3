/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eventfds that are replaced while they are signalled. */
@Timeout(60)
class GuestInterruptsTest {
    private final Served served = new Served();
    private final GuestInterrupts interrupts = new GuestInterrupts(served.device, () -> { });

    @AfterEach
    void close() throws InterruptedException {
        interrupts.reset();
        interrupts.thread().close();
        Patience.join(interrupts.thread().thread());
        served.close();
    }

    @Test
    void aVectorWhoseEventfdIsReplacedWhileItFiresFiresTheNewOne() throws Exception {
        final EventFd old = EventFd.create();
        final EventFd next = EventFd.create();
        interrupts.setEvent(0, new PassedEvent(old));
        // Its lock keeps the thread where the note is taken and nothing is written yet.
        synchronized (old) {
            interrupts.message(0);
            while (interrupts.thread().thread().getState() != Thread.State.BLOCKED) {
                Patience.pause();
            }
            interrupts.setEvent(0, new PassedEvent(next));
        }
        assertThat(ClientMachine.await(next)).isOne();
        assertThatThrownBy(old::fd).as("closed by the thread").hasMessageContaining("closed");
    }
}
