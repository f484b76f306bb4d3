/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the emulated device counts is seen beside what the driver counts. */
@Timeout(60)
class LiveCountersTest {
    private static final int NO_COMMAND = 999;
    private static final String ADDRESS = "emulated:live-counters";

    @TempDir
    Path folder;

    @BeforeEach
    void useTheFolder() {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
    }

    @AfterEach
    void useTheUsualFolder() {
        System.clearProperty(StateFolder.PROPERTY);
    }

    private static Map<String, Long> counters(final LiveView view) {
        return view.counters().stream().collect(Collectors.toMap(LiveCounter::label, LiveCounter::value));
    }

    @Test
    void allOfThemUnderTheirOwnNames() {
        try (PvrdmaDevice device = PvrdmaDevice.open(DeviceAddress.parse(ADDRESS));
            LiveView view = LiveViews.ofPid(ProcessHandle.current().pid(), ADDRESS)) {
            final Counters own = EmulatedDevice.lookup("live-counters").counters();
            final UnsafeBuffer script = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
            new CommandHeader().wrap(script, 0).set(CommandHeader.CMD, NO_COMMAND);
            assertThat(device.channel().replay(script, new UnsafeBuffer(new byte[Command.RESPONSE_MAX]))).isNotZero();
            own.increment(Counter.RNR);

            final Map<String, Long> seen = counters(view);
            for (final Counter counter : Counter.values()) {
                assertThat(seen).containsEntry("device: " + counter.label(), own.get(counter));
            }
            assertThat(seen).containsEntry("commands refused", 1L).containsEntry("device: receiver not ready", 1L)
                .containsEntry("device: commands refused", 1L);
            assertThat(view.troubles()).isEmpty();
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** Its memory is this process', and read as another process would. */
    @Test
    void itsSharedRegionIsRead() {
        try (PvrdmaDevice device = PvrdmaDevice.open(DeviceAddress.parse(ADDRESS));
            LiveView view = LiveViews.ofPid(ProcessHandle.current().pid(), ADDRESS)) {
            final long address = view.objects(DeviceKind.KIND).get(0).attribute(DeviceKind.DSR_IOVA);
            final Dsr dsr = new Dsr().wrap(new UnsafeBuffer(view.read(address, Dsr.LAYOUT.length()).orElseThrow()), 0);
            assertThat(dsr.get(Dsr.CAPS).get(Caps.MAX_QP)).isEqualTo(device.caps().maxQp());
            assertThat(view.troubles()).isEmpty();
        }
    }

    @Test
    void whatWasCountedBeforeIsNotLost() {
        final Counters counters = new Counters();
        counters.increment(Counter.RETRIES);
        try (PvrdmaDevice device = PvrdmaDevice.open(DeviceAddress.parse(ADDRESS));
            LiveView view = LiveViews.ofPid(ProcessHandle.current().pid(), ADDRESS)) {
            counters.publish(device.live());
            counters.increment(Counter.RETRIES);
            assertThat(view.counters()).filteredOn(each -> each.label().equals("device: sends tried again"))
                .extracting(LiveCounter::value).containsExactly(0L, 2L);
        }
    }
}
