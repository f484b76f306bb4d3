/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.wait.WaitFd;

import org.junit.jupiter.api.Test;

/** What the alarm of a counter tells, whoever comes in between. */
class CountAlarmTest {
    private CountAlarm alarm;

    /** Nothing counts without telling yet; just behind this look somebody binds what does, and says so. */
    private boolean looksJustBefore() {
        alarm.changed();
        return false;
    }

    @Test
    void whatIsBoundJustAfterTheLookIsTold() {
        alarm = new CountAlarm(WaitFd.open(), () -> 0, () -> 0, this::looksJustBefore);
        try (Epoll level = Epoll.ofLevel(alarm.fd())) {
            assertThat(alarm.arm()).as("nothing was counted").isTrue();
            assertThat(level.isReady()).as("nobody looks for it").isTrue();
        } finally {
            alarm.close();
        }
    }
}
