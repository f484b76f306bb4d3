/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

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
    void close() {
        interrupts.reset();
        served.close();
    }

    @Test
    void aVectorWhoseEventfdIsReplacedWhileItFiresFiresTheNewOne() throws Exception {
        final EventFd old = EventFd.create();
        final EventFd next = EventFd.create();
        interrupts.setVector(0, old);
        final Thread firing = new Thread(() -> interrupts.message(0));
        // Its lock keeps who fires where the note is taken and nothing is written yet.
        synchronized (old) {
            firing.start();
            while (firing.getState() != Thread.State.BLOCKED) {
                Patience.pause();
            }
            interrupts.setVector(0, next);
        }
        Patience.join(firing);
        assertThat(next.read()).isOne();
    }
}
