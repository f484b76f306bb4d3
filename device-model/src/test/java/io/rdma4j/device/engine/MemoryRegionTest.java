/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is seen of a region by who found it just before it ended. */
@Timeout(60)
class MemoryRegionTest {
    private final MemoryWindow window = new MemoryWindow(new MrKeys(7, 0, 0x1234), new ProtectionDomain(3, 0), 1);

    @Test
    void isNotBoundAnyMoreOnceItEnded() {
        assertThat(window.bind(null, 0x1235, null, 0, 0, 0)).isTrue();
        assertThat(window.rkey()).isEqualTo(0x1235);
        window.end();
        assertThat(window.isLive()).isFalse();
        assertThat(window.bind(null, 0x1236, null, 0, 0, 0)).as("%s", window.revocation()).isFalse();
        assertThat(window.rkey()).isEqualTo(0x1235);
    }

    @Test
    void saysItsKeysAndWhatMayEndIt() {
        assertThat(window.toString()).contains("type 1", "mr 0x7", "rkey 0x1234", "pd 0x3",
            window.revocation().toString());
    }
}
