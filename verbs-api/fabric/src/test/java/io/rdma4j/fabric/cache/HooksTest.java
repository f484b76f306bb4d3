/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.MemoryMonitor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What allocators announce: nothing stays announced that was freed. */
@Timeout(60)
class HooksTest {
    private static final long PAGE = 0x1000;
    private final MemoryHooks hooks = new MemoryHooks();

    @Test
    void oneFreeEndsAllAllocationsThatLieInIt() {
        for (long at = 0xf000; at < 0x14000; at += PAGE) {
            hooks.notifyAllocated(at, PAGE);
        }
        hooks.notifyFreed(0x10000, 3 * PAGE);
        assertThat(hooks.subscribe(0x10000, PAGE)).as("the first").isFalse();
        assertThat(hooks.subscribe(0x11000, PAGE)).as("the second").isFalse();
        assertThat(hooks.subscribe(0x12000, PAGE)).as("the last").isFalse();
        assertThat(hooks.subscribe(0xf000, PAGE)).as("before").isTrue();
        assertThat(hooks.subscribe(0x13000, PAGE)).as("behind").isTrue();
    }

    @Test
    void aFreeThatBeginsAndEndsInsideAllocationsLeavesTheirEnds() {
        hooks.notifyAllocated(0x10000, 2 * PAGE);
        hooks.notifyAllocated(0x12000, PAGE);
        hooks.notifyAllocated(0x13000, 2 * PAGE);
        hooks.notifyFreed(0x11000, 3 * PAGE);
        assertThat(hooks.subscribe(0x10000, PAGE)).isTrue();
        assertThat(hooks.subscribe(0x11000, 1)).isFalse();
        assertThat(hooks.subscribe(0x12000, 1)).isFalse();
        assertThat(hooks.subscribe(0x13000, 1)).isFalse();
        assertThat(hooks.subscribe(0x14000, PAGE)).isTrue();
    }

    @Test
    void whatIsAnnouncedTwiceWasFreedInSilence() {
        final List<Long> told = new ArrayList<>();
        final MemoryMonitor.Listener listener = (address, length) -> told.add(address);
        hooks.start(listener);
        hooks.notifyAllocated(0x10000, PAGE);
        hooks.notifyAllocated(0x11000, PAGE);
        hooks.notifyAllocated(0xf000, PAGE);
        assertThat(told).as("beside each other").isEmpty();
        hooks.notifyAllocated(0x10000, 2 * PAGE);
        assertThat(told).containsExactly(0x10000L);
        assertThat(hooks.subscribe(0x10000, 2 * PAGE)).isTrue();
        hooks.stop(listener);
    }

    @Test
    void allThatListenAreToldUntilTheyStop() {
        final List<Long> first = new ArrayList<>();
        final List<Long> second = new ArrayList<>();
        final MemoryMonitor.Listener stops = (address, length) -> first.add(address);
        final MemoryMonitor.Listener stays = (address, length) -> second.add(address);
        hooks.start(stops);
        hooks.start(stays);
        hooks.notifyAllocated(0x10000, PAGE);
        hooks.notifyFreed(0x10000, PAGE);
        assertThat(first).containsExactly(0x10000L);
        assertThat(second).containsExactly(0x10000L);
        hooks.stop(stops);
        hooks.notifyFreed(0x20000, PAGE);
        assertThat(first).containsExactly(0x10000L);
        assertThat(second).containsExactly(0x10000L, 0x20000L);
        hooks.stop(stays);
    }
}
