/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveError;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import io.rdma4j.verbs.pvrdma.live.EventRingKind;
import io.rdma4j.verbs.pvrdma.live.GidKind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What other processes see of an open device. */
@Timeout(60)
class PublishedDeviceTest {
    private static final long PID = ProcessHandle.current().pid();

    @TempDir
    Path folder;
    private final FakePvrdma fake = new FakePvrdma();
    private PvrdmaDevice device;
    private LiveView view;

    @BeforeEach
    void open() {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
        device = fake.open();
        view = LiveViews.ofPid(PID, device.address().toString());
    }

    @AfterEach
    void close() {
        System.clearProperty(StateFolder.PROPERTY);
        view.close();
        device.close();
    }

    private LiveObject entry() {
        assertThat(view.objects(DeviceKind.KIND)).hasSize(1);
        return view.objects(DeviceKind.KIND).get(0);
    }

    private Map<String, Long> counters() {
        final Map<String, Long> found = new HashMap<>();
        for (final LiveCounter counter : view.counters()) {
            assertThat(found.put(counter.label(), counter.value())).as(counter.label()).isNull();
        }
        return found;
    }

    @Test
    void theDeviceItself() {
        final LiveObject entry = entry();
        assertThat(entry.handle()).isZero();
        assertThat(entry.attribute(DeviceKind.VERSION)).isEqualTo(fake.version);
        assertThat(entry.attribute(DeviceKind.CTL)).isEqualTo(Bar1.PVRDMA_DEVICE_CTL_ACTIVATE);
        assertThat(entry.attribute(DeviceKind.IMR)).isZero();
        assertThat(entry.attribute(DeviceKind.ERR)).isZero();
        assertThat(entry.attribute(DeviceKind.STATE)).isZero();
        assertThat(entry.attribute(DeviceKind.VECTORS)).isEqualTo(3);
        assertThat(entry.attribute(DeviceKind.UAR_PFN)).isEqualTo(FakePvrdma.UAR_BUS_ADDRESS >>> 12);
        assertThat(view.description()).isEqualTo(device.profile().name() + " VERSION=20 fw="
            + device.caps().firmwareVersion());
        assertThat(device.live().file().map(Path::getParent)).contains(folder);
        assertThat(device.dumpState()).contains("published: " + device.live().file().orElseThrow());
    }

    /** Through the file of the memory, as another process reads it. */
    @Test
    void itsSharedRegionAndEventRings() {
        final LiveObject entry = entry();
        final byte[] region = view.read(entry.attribute(DeviceKind.DSR_IOVA),
            Dsr.LAYOUT.length()).orElseThrow();
        final Dsr dsr = new Dsr().wrap(new UnsafeBuffer(region), 0);
        assertThat(dsr.get(Dsr.CMD_SLOT_DMA)).isEqualTo(entry.attribute(DeviceKind.CMD_SLOT_IOVA));
        assertThat(dsr.get(Dsr.RESP_SLOT_DMA)).isEqualTo(entry.attribute(DeviceKind.RESP_SLOT_IOVA));

        final List<LiveObject> rings = view.objects(EventRingKind.KIND);
        assertThat(rings).extracting(LiveObject::handle).containsExactly(0, 1);
        assertRing(rings.get(0), dsr.get(Dsr.ASYNC_RING_PAGES_NUM_PAGES), dsr.get(Dsr.ASYNC_RING_PAGES_PDIR_DMA),
            Eqe.LENGTH);
        assertRing(rings.get(1), dsr.get(Dsr.CQ_RING_PAGES_NUM_PAGES), dsr.get(Dsr.CQ_RING_PAGES_PDIR_DMA),
            Cqne.LENGTH);
        assertThat(view.troubles()).isEmpty();
    }

    private void assertRing(final LiveObject ring, final int pages, final long pdirDma, final int elementLength) {
        assertThat(ring.attribute(EventRingKind.NUM_PAGES)).isEqualTo(pages);
        assertThat(ring.attribute(EventRingKind.PDIR_DMA)).isEqualTo(pdirDma);
        assertThat(ring.attribute(EventRingKind.ELEMENT_LENGTH)).isEqualTo(elementLength);
        final ByteBuffer directory = ByteBuffer.wrap(view.read(pdirDma, 8).orElseThrow())
            .order(ByteOrder.LITTLE_ENDIAN);
        final ByteBuffer table = ByteBuffer.wrap(view.read(directory.getLong(0), 8).orElseThrow())
            .order(ByteOrder.LITTLE_ENDIAN);
        assertThat(table.getLong(0)).isEqualTo(ring.attribute(EventRingKind.IOVA));
        assertThat(view.read(ring.attribute(EventRingKind.IOVA), pages * 4096)).isPresent();
    }

    @Test
    void itsAddresses() {
        final byte[] gid = Gids.of(5);
        device.gids().bind(2, gid);
        assertThat(view.objects(GidKind.KIND)).singleElement().satisfies(entry -> {
            assertThat(entry.handle()).isEqualTo(2);
            assertThat(ByteBuffer.allocate(16).putLong(entry.attribute(GidKind.GID_HIGH))
                .putLong(entry.attribute(GidKind.GID_LOW)).array()).isEqualTo(gid);
            assertThat(entry.attribute(GidKind.TYPE)).isEqualTo(device.gids().type());
        });
        device.gids().bind(2, Gids.of(6));
        assertThat(view.objects(GidKind.KIND)).hasSize(1);
        device.gids().unbind(2);
        device.gids().unbind(2);
        assertThat(view.objects(GidKind.KIND)).isEmpty();
    }

    @Test
    void itsCommandsAndCounters() {
        final int before = view.commands().size();
        final long started = System.currentTimeMillis();
        device.gids().bind(0, Gids.of(1));

        final List<LiveCommand> commands = view.commands();
        assertThat(commands).hasSize(before + 1);
        final LiveCommand last = commands.get(before);
        assertThat(last.number()).isEqualTo(before);
        assertThat(last.request()).hasSize(Command.REQUEST_MAX);
        assertThat(last.response()).hasSize(Command.RESPONSE_MAX);
        final CommandHeader request = new CommandHeader().wrap(new UnsafeBuffer(last.request()), 0);
        assertThat(Command.of(request.get(CommandHeader.CMD))).isEqualTo(Command.CREATE_BIND);
        assertThat(last.err()).isZero();
        assertThat(last.durationNanos()).isPositive();
        assertThat(last.epochNanos() / 1_000_000).isBetween(started - 10, System.currentTimeMillis() + 10);
        final Map<String, Long> counters = counters();
        device.counters().forEach((label, value) -> assertThat(counters).containsEntry(label, value));
        assertThat(counters).containsEntry("commands", before + 1L);
        assertThat(device.channel().history(1)).startsWith("  #" + before + " CREATE_BIND");
    }

    @Test
    void responsesToo() {
        device.commands().createPd();
        final LiveCommand last = view.commands().get(view.commands().size() - 1);
        final ResponseHeader response = new ResponseHeader().wrap(new UnsafeBuffer(last.response()), 0);
        assertThat(response.get(ResponseHeader.ACK)).isEqualTo(Command.CREATE_PD.ack());
        assertThat(response.get(ResponseHeader.RESPONSE))
            .isEqualTo(new CommandHeader().wrap(new UnsafeBuffer(last.request()), 0).get(CommandHeader.RESPONSE));
    }

    @Test
    void refusedCommandsAreErrorsThatAreCounted() {
        fake.errors.put(Command.CREATE_PD, 12);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> device.commands().createPd()).isInstanceOf(RdmaException.class);
        }
        final List<LiveError> errors = view.errors();
        assertThat(errors).singleElement().satisfies(error -> {
            assertThat(error.count()).isEqualTo(3);
            assertThat(error.text()).contains("CREATE_PD refused: ERR 0xc, response err 0", "PublishedDeviceTest");
        });
        assertThat(entry().attribute(DeviceKind.ERR)).isEqualTo(12);
        fake.errors.clear();
        device.commands().createPd();
        assertThat(entry().attribute(DeviceKind.ERR)).isZero();
    }

    @Test
    void aFailureAndAListenerThatThrows() {
        device.onAsyncEvent((type, info) -> {
            throw new IllegalStateException("a bad listener");
        });
        device.fail("the test said so");
        assertThat(entry().attribute(DeviceKind.STATE)).isEqualTo(1);
        assertThat(view.errors()).hasSize(2)
            .anyMatch(error -> error.text().contains("it is given up: the test said so"))
            .anyMatch(error -> error.text().contains("a bad listener"));
        assertThat(counters()).containsEntry("listener failures", 1L);
    }

    @Test
    void theEnd() {
        device.gids().bind(0, Gids.of(1));
        device.close();
        assertThat(view.isAlive()).isFalse();
        assertThat(LiveViews.list()).isEmpty();
        assertThat(folder).isEmptyDirectory();
        assertThat(view.objects(GidKind.KIND)).isEmpty();
        assertThat(view.objects(EventRingKind.KIND)).isEmpty();
        assertThat(view.segments()).isEmpty();
        assertThat(entry().attribute(DeviceKind.STATE)).isEqualTo(2);
        assertThat(entry().attribute(DeviceKind.CTL)).isEqualTo(Bar1.PVRDMA_DEVICE_CTL_RESET);
        assertThat(device.counters()).containsEntry("commands", counters().get("commands"));
        assertThat(device.dumpState()).contains("published: closed", "DESTROY_BIND");
    }

    @Test
    void aDeviceThatCannotBeOpenedLeavesNothing() {
        final FakePvrdma other = new FakePvrdma();
        other.version = 99;
        assertThatThrownBy(other::open).isInstanceOf(RdmaException.class);
        assertThat(LiveViews.list()).hasSize(1);
    }

    @Test
    void switchedOffEverythingWorksAsBefore() {
        device.close();
        System.setProperty("rdma4j.live", "off");
        try (PvrdmaDevice other = new FakePvrdma().open()) {
            assertThat(folder).isEmptyDirectory();
            other.gids().bind(0, Gids.of(1));
            assertThat(other.counters().get("commands")).isPositive();
            assertThat(other.dumpState()).contains("published: nothing, it is switched off", "CREATE_BIND");
            try (LiveView own = LiveViews.ofPid(PID, null)) {
                final LiveObject entry = own.objects(DeviceKind.KIND).get(0);
                assertThat(own.read(entry.attribute(DeviceKind.DSR_IOVA), Dsr.LAYOUT.length())).isPresent();
            }
        } finally {
            System.clearProperty("rdma4j.live");
        }
    }
}
