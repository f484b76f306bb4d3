/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitFdTest {
    private static boolean isReadable(final WaitFd fd) {
        final PollSet set = new PollSet(1);
        set.add(fd.fd(), LibcConstants.POLLIN);
        return Libc.poll(set, 0) == 1 && set.revents(0) == LibcConstants.POLLIN;
    }

    @Test
    void isReadableFromSetToClear() {
        try (WaitFd fd = WaitFd.open()) {
            assertThat(isReadable(fd)).isFalse();
            fd.set();
            fd.set();
            assertThat(isReadable(fd)).isTrue();
            assertThat(isReadable(fd)).as("looking does not change it").isTrue();
            fd.clear();
            assertThat(isReadable(fd)).as("cleared once, set twice").isFalse();
            fd.clear();
            assertThat(isReadable(fd)).isFalse();
            fd.set();
            assertThat(isReadable(fd)).isTrue();
        }
    }

    @Test
    void aClosedOneSaysSo() {
        final WaitFd fd = WaitFd.open();
        fd.close();
        fd.close();
        assertThatThrownBy(fd::fd).isInstanceOf(RdmaException.class).hasMessageContaining("EBADFD");
        assertThatThrownBy(fd::set).isInstanceOf(RdmaException.class).hasMessageContaining("EBADFD");
        assertThatThrownBy(fd::clear).isInstanceOf(RdmaException.class).hasMessageContaining("EBADFD");
        assertThat(fd.toString()).isNotEmpty();
    }
}
