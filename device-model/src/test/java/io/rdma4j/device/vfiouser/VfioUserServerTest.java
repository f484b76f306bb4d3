/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static io.rdma4j.device.vfiouser.Client.good;
import static io.rdma4j.device.vfiouser.Client.payload;
import static io.rdma4j.device.vfiouser.Protocol.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.InProcessLink;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LocalSockets;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.hw.pci.MsixTableEntry;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.PersianDigits;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client that keeps the rules, as QEMU does. */
class VfioUserServerTest {
    private static final int VECTORS = 3;

    private final Served served = new Served();

    @AfterEach
    void close() {
        assertThat(served.device.counters().get(Counter.INTERNAL_ERRORS)).isZero();
        served.close();
    }

    @Test
    @ExtendWith(PersianDigits.class)
    void agreesOnAVersion() {
        try (Client client = new Client(served.path)) {
            final UnsafeBuffer answer = good(client.version(0, 7)).buffer();
            assertThat(answer.getShort(MAJOR_OFFSET)).isZero();
            assertThat(answer.getShort(MINOR_OFFSET)).isEqualTo((short) 1);
            final byte[] json = new byte[answer.capacity() - JSON_OFFSET];
            answer.getBytes(JSON_OFFSET, json);
            assertThat(new String(json, StandardCharsets.US_ASCII)).isEqualTo("{\"capabilities\":{\"max_msg_fds\":16,"
                + "\"max_dma_maps\":8192,\"max_data_xfer_size\":65536,\"pgsizes\":4096}}\0");
        }
        served.awaitEvent("client gone");
        try (Client client = new Client(served.path)) {
            assertThat(good(client.version(0, 0)).buffer().getShort(MINOR_OFFSET)).isZero();
        }
    }

    @Test
    void describesTheDevice() {
        try (Client client = Client.ready(served.path)) {
            final Client.Reply device = good(client.request(GET_INFO, payload(16).putInt(16)));
            assertThat(device.get(ARG_FLAGS_OFFSET)).isEqualTo(DEVICE_RESET | DEVICE_PCI);
            assertThat(device.get(NUM_REGIONS_OFFSET)).isEqualTo(9);
            assertThat(device.get(NUM_IRQS_OFFSET)).isEqualTo(5);
            final long[] sizes = {16 << 10, 256, 8 << 20, 0, 0, 0, 0, 256, 0};
            for (int i = 0; i < sizes.length; i++) {
                final Client.Reply region = region(client, i, 32);
                assertThat(region.getLong(REGION_SIZE_OFFSET)).as("region %d", i).isEqualTo(sizes[i]);
                assertThat(region.get(ARG_FLAGS_OFFSET) & 3).isEqualTo(sizes[i] == 0 ? 0 : 3);
                assertThat(region.get(ARG_FLAGS_OFFSET) & REGION_FLAG_MMAP).isEqualTo(i == 0 ? REGION_FLAG_MMAP : 0);
            }
            assertThat(irqs(client, INTX)).containsExactly(7, 1);
            assertThat(irqs(client, MSI)).containsExactly(0, 0);
            assertThat(irqs(client, MSIX)).containsExactly(9, 3);
            assertThat(irqs(client, 3)).containsExactly(0, 0);
        }
    }

    private static Client.Reply region(Client client, int index, int room) {
        return good(client.request(GET_REGION_INFO, payload(room).putInt(room).putInt(0).putInt(index)));
    }

    private static int[] irqs(Client client, int index) {
        final Client.Reply irqs = good(client.request(GET_IRQ_INFO, payload(16).putInt(16).putInt(0).putInt(index)));
        return new int[] {irqs.get(ARG_FLAGS_OFFSET), irqs.get(IRQ_COUNT_OFFSET)};
    }

    /** That has QEMU wait for each write. */
    @Test
    void callsTheFirstBarMappableWithoutAnyPart() {
        try (Client client = Client.ready(served.path)) {
            final Client.Reply without = region(client, 0, 32);
            assertThat(without.message()).hasSize(REGION_LENGTH);
            assertThat(without.get(ARGSZ_OFFSET)).isEqualTo(48);
            final Client.Reply with = region(client, 0, 48);
            assertThat(with.message()).hasSize(REGION_LENGTH + SPARSE_LENGTH);
            assertThat(with.get(REGION_CAP_OFFSET_OFFSET)).isEqualTo(32);
            assertThat(with.get(REGION_LENGTH)).isEqualTo(1 << 16 | CAP_SPARSE_MMAP);
            assertThat(with.get(REGION_LENGTH + 8)).as("areas").isZero();
        }
    }

    @Test
    void reachesTheConfigurationSpaceByPiecesOfAnyLength() {
        try (Client client = Client.ready(served.path)) {
            final byte[] all = good(client.read(CONFIG_REGION, 0, 256)).message();
            for (int[] piece : new int[][] {{0, 1}, {1, 3}, {3, 6}, {2, 2}, {0x2c, 4}, {255, 1}, {7, 200}}) {
                assertThat(good(client.read(CONFIG_REGION, piece[0], piece[1])).message())
                    .endsWith(Arrays.copyOfRange(all, 32 + piece[0], 32 + piece[0] + piece[1]));
            }
            client.writeInt(CONFIG_REGION, PciConfig.BAR1_OFFSET, -1);
            assertThat(client.readInt(CONFIG_REGION, PciConfig.BAR1_OFFSET)).isEqualTo(-256);
            client.writeInt(CONFIG_REGION, PciConfig.BAR1_OFFSET, 0xfe12_3400);
            assertThat(served.device.bar(1).busAddress()).isEqualTo(0xfe12_3400L);
            client.writeInt(CONFIG_REGION, PciConfig.EXPANSION_ROM_OFFSET, -1);
            assertThat(client.readInt(CONFIG_REGION, PciConfig.EXPANSION_ROM_OFFSET)).isZero();
            good(client.write(CONFIG_REGION, PciConfig.COMMAND_OFFSET, (byte) 6));
            assertThat(served.device.config().read(PciConfig.COMMAND_OFFSET, 2)).isEqualTo(6);
        }
    }

    @Test
    void bringsTheDeviceUpAndMovesData() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final RawDriver driver = RawDriver.ready(new RawDriver(machine, served.device));
            final PortAttr port = new QueryPortResponse().wrap(driver.ok(Command.QUERY_PORT, b -> new QueryPortRequest()
                .wrap(b, 0).set(QueryPortRequest.PORT_NUM, 1)), 0).get(QueryPortResponse.ATTRS);
            assertThat(port.get(PortAttr.STATE)).isEqualTo(4);
            assertThat(new QueryPkeyResponse().wrap(driver.ok(Command.QUERY_PKEY, b -> new QueryPkeyRequest()
                .wrap(b, 0).set(QueryPkeyRequest.PORT_NUM, 1)), 0).get(QueryPkeyResponse.PKEY)).isEqualTo(0xffff);
            assertThat(machine.vector(0).await(Patience.nanos())).as("responses").isPositive();
            final RawCq cq = driver.createCq(64);
            final RawQp a = driver.createQp(RawQp.with().cq(cq));
            final RawQp b = driver.createQp(RawQp.with().cq(cq));
            RawQp.connect(a, b);
            final RawRegion from = driver.register(10_000, RawPair.ALL);
            final RawRegion to = driver.register(10_000, RawPair.ALL);
            from.fill(9);
            cq.arm();
            a.post(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
                .rdma(to.start(), to.rkey).sge(from.start(), 10_000, from.lkey));
            assertThat(cq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(to.bytes(0, 10_000)).isEqualTo(from.bytes(0, 10_000));
            assertThat(machine.vector(2).await(Patience.nanos())).as("completions").isOne();
        }
    }

    /** Else the next one's device would reach what was the last one's memory. */
    @Test
    void memoryThatCouldNotBeEndedIsEndedBeforeTheNextClientComes() {
        final AtomicBoolean fails = new AtomicBoolean(true);
        final List<String> events = new CopyOnWriteArrayList<>();
        final Path path = served.folder.resolve("t");
        final ServedFunction failing = served.withAnswer("unmapMemory", () -> {
            if (fails.getAndSet(false)) {
                throw new OutOfMemoryError("as the test wants it");
            }
            return null;
        });
        try (VfioUserServer server = VfioUserServer.open(path, failing, events::add)) {
            new ClientMachine(path).close();
            served.await(() -> events.stream().anyMatch(event -> event.contains("not left as it was found")),
                server + ": " + events);
            new ClientMachine(path).close();
        }
    }

    /** The state of the first guest is not the second's, and its memory is let go. */
    @Test
    void isAsNewForTheNextClient() {
        for (int i = 0; i < 3; i++) {
            try (ClientMachine machine = new ClientMachine(served.path)) {
                assertThat(machine.read(PciConfig.COMMAND_OFFSET, 2)).isZero();
                RawDriver.ready(new RawDriver(machine, served.device));
                machine.reset();
                RawDriver.ready(new RawDriver(machine, served.device));
            }
            final String end = "client gone";
            served.awaitEvent(end);
            served.events.clear();
        }
    }

    /** A machine's end is no reset of the function: what would not be reset has lost its power. */
    @Test
    void isAsNewForTheNextClientThoughNoResetFreesAnything() {
        try (Served weak = new Served("?quirks=weak-reset&max_pd=3")) {
            byte[] space = null;
            byte[] table = null;
            byte[] registers = null;
            for (int i = 0; i < 5; i++) {
                try (ClientMachine machine = new ClientMachine(weak.path)) {
                    final Client client = machine.client;
                    final byte[] found = bytes(client, CONFIG_REGION, 256);
                    final RawDriver driver = new RawDriver(machine, weak.device);
                    if (i == 0) {
                        space = found;
                        table = bytes(client, 0, VECTORS * MsixTableEntry.LENGTH);
                        registers = bytes(client, 1, 256);
                    }
                    assertThat(found).as("configuration space").isEqualTo(space);
                    assertThat(bytes(client, 0, VECTORS * MsixTableEntry.LENGTH)).as("vectors").isEqualTo(table);
                    assertThat(bytes(client, 1, 256)).as("registers").isEqualTo(registers);
                    leaveTraces(RawDriver.ready(driver));
                }
                weak.awaitEvent("client gone");
                weak.events.clear();
            }
        }
    }

    /** As firmware, a platform and a driver do that do not clean up. */
    private static void leaveTraces(RawDriver driver) {
        driver.pci.config().write(PciConfig.BAR1_OFFSET, 4, 0xfe12_3400);
        driver.pci.config().write(PciConfig.INTERRUPT_LINE_OFFSET, 1, 11);
        driver.pci.bar(0).writeInt(MsixTableEntry.MSG_ADDR_LOW_OFFSET, 0xfee0_1000);
        driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 1);
        driver.createPd();
    }

    private static byte[] bytes(Client client, int region, int length) {
        final byte[] message = good(client.read(region, 0, length)).message();
        return Arrays.copyOfRange(message, ACCESS_DATA_OFFSET, message.length);
    }

    @Test
    void turnsOthersAwayWhileOneIsConnected() {
        try (Client first = Client.ready(served.path); Client second = new Client(served.path)) {
            served.awaitEvent("turned away");
            assertThat(second.receive()).isNull();
            assertThat(irqs(first, INTX)).containsExactly(7, 1);
        }
    }

    /** From then on it may be idle. */
    @Test
    void aClientIsWaitedForUntilItHasAgreed() throws IOException {
        final Path path = served.folder.resolve("t");
        try (Fd listener = LocalSockets.listen(path.toString(), 1); Client client = new Client(path);
            Connection connection = new Connection(LocalSockets.accept(listener.fd()), served.device, event -> { },
                (socket, message, length) -> { }, () -> { })) {
            assertThat(connection.waitingSince()).isNotZero();
            client.send(HEADER_LENGTH + 4, VERSION, 0, payload(4));
            assertThat(connection.receive()).isTrue();
            assertThat(connection.waitingSince()).isZero();
            client.raw(new byte[] {1, 0, 13});
            assertThat(connection.receive()).isTrue();
            assertThat(connection.waitingSince()).isNotZero();
        }
        Files.delete(path);
    }

    @Test
    void doesNotReachMemoryAnyMoreThatIsUnmapped() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final RawDriver driver = RawDriver.ready(new RawDriver(machine, served.device));
            final RawCq cq = driver.createCq(64);
            final RawQp a = driver.createQp(RawQp.with().cq(cq));
            final RawQp b = driver.createQp(RawQp.with().cq(cq));
            RawQp.connect(a, b);
            assertThat(good(machine.client.unmap(0, 0, ClientMachine.RAM)).message()).hasSize(UNMAP_LENGTH);
            final long faults = served.device.counters().get(Counter.DMA_FAULTS);
            driver.registers.writeInt(Bar1.PVRDMA_REG_REQUEST, 0);
            driver.load();
            assertThat(driver.err()).isNotZero();
            assertThat(served.device.counters().get(Counter.DMA_FAULTS)).isGreaterThan(faults);
            good(machine.client.map(machine.file.fd(), 0, 0, ClientMachine.RAM));
            RawDriver.ready(new RawDriver(machine, served.device));
        }
    }

    /** As firmware does it: page 0 first, and pieces that the device does not reach. */
    @Test
    void mapsWhatFirmwareMaps() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final Client client = machine.client;
            final int ram = machine.file.fd();
            good(client.unmap(0, 0, ClientMachine.RAM));
            good(client.map(ram, 0, 0, 0xc3000));
            good(client.mapWith(MAP_READ, 0xc3000, 0xc3000, 0x25000, ram));
            good(client.map(ram, 0xe8000, 0xe8000, 0x8000));
            good(client.mapWith(MAP_READ, 0xf0000, 0xf0000, 0x10000, ram));
            good(client.map(ram, 0x10_0000, 0x10_0000, ClientMachine.RAM - 0x10_0000));
            good(client.mapWith(MAP_READ, 0, 0xfffc_0000L, 0x40000));
            good(client.mapWith(MAP_READ | MAP_WRITE, 0, 0x1_0000_0000L, 0x40000));
            served.awaitEvent("without a file");
            RawDriver.ready(new RawDriver(machine, served.device));
            good(client.unmap(0, 0xff00_0000L, 0x100_0000));
            good(client.unmap(0, 0xfef0_0000L, 0xffff_ffff_0110_0000L));
            assertThat(good(client.unmap(UNMAP_ALL, 0, 0)).getLong(UNMAP_SIZE_OFFSET)).isEqualTo(ClientMachine.RAM);
        }
    }

    @Test
    void aVectorThatFiredWithoutAnEventfdFiresWhenItGetsOne() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final RawDriver driver = RawDriver.ready(new RawDriver(machine, served.device));
            final InterruptVector vector = machine.vector(0);
            assertThat(vector.await(Patience.nanos())).as("of the first protection domain").isOne();
            final Client client = machine.client;
            good(client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, MSIX, 0, 1));
            driver.createPd();
            assertThat(vector.poll()).isZero();
            machine.enable(3);
            assertThat(machine.vector(0).await(Patience.nanos())).as("again where it was replaced meanwhile")
                .isPositive();
            machine.disable();
            driver.createPd();
            machine.enable(1);
            assertThat(machine.vector(0).await(Patience.nanos())).isOne();
            assertThat(machine.vector(0).poll()).isZero();
        }
    }

    @Test
    void theLineFiresOnceUntilTheGuestHasLooked() {
        try (ClientMachine machine = new ClientMachine(served.path); EventFd line = EventFd.create()) {
            final Client client = machine.client;
            final RawDriver driver = new RawDriver(machine, served.device);
            driver.load();
            driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 0);
            driver.activate();
            good(client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, INTX, 0, 1, line.fd()));
            driver.createPd();
            driver.createPd();
            assertThat(ClientMachine.await(line)).isOne();
            good(client.setIrqs(DATA_NONE | ACTION_UNMASK, INTX, 0, 1));
            assertThat(ClientMachine.await(line)).as("the cause is still there").isOne();
            assertThat(driver.registers.readInt(Bar1.PVRDMA_REG_ICR)).isOne();
            good(client.setIrqs(DATA_NONE | ACTION_UNMASK, INTX, 0, 1));
            assertThat(line.read()).isZero();
            driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 1);
            driver.createPd();
            assertThat(line.read()).as("masked by the device").isZero();
            driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 0);
            assertThat(ClientMachine.await(line)).isOne();
            good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, INTX, 0, 0));
            good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, INTX, 0, 1));
            assertThat(line.read()).as("taken away").isZero();
        }
    }

    @Test
    void theLineFiresForAnOlderCauseWhenTheGuestAllowsItTo() {
        try (ClientMachine machine = new ClientMachine(served.path); EventFd line = EventFd.create()) {
            final RawDriver driver = new RawDriver(machine, served.device);
            final int on = PciConfig.MEMORY | PciConfig.BUS_MASTER;
            driver.load();
            driver.activate();
            good(machine.client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, INTX, 0, 1, line.fd()));
            machine.write(PciConfig.COMMAND_OFFSET, 2, on | PciConfig.INTX_DISABLE);
            driver.createPd();
            assertThat(line.read()).isZero();
            machine.write(PciConfig.COMMAND_OFFSET, 2, on);
            assertThat(ClientMachine.await(line)).isOne();
        }
    }

    @Test
    void aClientCanTryTheWayOfAnInterrupt() {
        try (Client client = Client.ready(served.path); EventFd a = EventFd.create(); EventFd b = EventFd.create()) {
            good(client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, MSIX, 1, 2, a.fd(), b.fd()));
            good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, MSIX, 1, 1));
            assertThat(ClientMachine.await(a)).isOne();
            good(client.request(SET_IRQS, payload(22).putInt(22).putInt(DATA_BOOL | ACTION_TRIGGER).putInt(MSIX)
                .putInt(1).putInt(2).put((byte) 0).put((byte) 1)));
            assertThat(ClientMachine.await(b)).isOne();
            assertThat(a.read()).isZero();
        }
    }

    @Test
    void writesThatAreNotWaitedForComeInOrderAndHaveNoAnswer() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            machine.write(PciConfig.COMMAND_OFFSET, 2, PciConfig.MEMORY | PciConfig.BUS_MASTER);
            for (int i = 1; i <= 100; i++) {
                machine.client.send(HEADER_LENGTH + 20, REGION_WRITE, NO_REPLY, payload(20)
                    .putLong(Bar1.PVRDMA_REG_DSRLOW).putInt(1).putInt(4).putInt(i));
            }
            assertThat(machine.client.readInt(1, Bar1.PVRDMA_REG_DSRLOW)).isEqualTo(100);
            served.awaitEvent("x-no-posted-writes");
        }
    }

    @Test
    void severalServersOfAProcessDoNotDisturbEachOther() {
        try (Served other = new Served(); ClientMachine two = new ClientMachine(other.path)) {
            final RawDriver second = RawDriver.ready(new RawDriver(two, other.device));
            try (ClientMachine one = new ClientMachine(served.path)) {
                assertThat(RawDriver.ready(new RawDriver(one, served.device)).createPd()).isPositive();
            }
            served.awaitEvent("client gone");
            assertThat(second.createPd()).isPositive();
        }
    }

    @Test
    void closingEndsTheClientAndTheSocketAndLeavesNothingOpen() {
        final int before = Fd.openCount();
        final Served more = new Served();
        try (ClientMachine machine = new ClientMachine(more.path)) {
            RawDriver.ready(new RawDriver(machine, more.device));
            more.server.close();
            assertThat(machine.client.receive()).isNull();
            assertThat(more.path).doesNotExist();
            more.server.close();
        }
        more.close();
        served.awaitOpenFiles(before);
    }

    @Test
    void replacesASocketThatNobodyListensAtAndNothingElse() throws IOException {
        assertThatThrownBy(() -> VfioUserServer.open(served.path, served.device, e -> { }))
            .isInstanceOf(RdmaException.class).hasMessageContaining("EADDRINUSE");
        final Path file = served.folder.resolve("file");
        Files.writeString(file, "mine");
        assertThatThrownBy(() -> VfioUserServer.open(file, served.device, e -> { }))
            .isInstanceOf(RdmaException.class).hasMessageContaining("EADDRINUSE");
        assertThat(file).hasContent("mine");
        Files.delete(file);
        LocalSockets.listen(file.toString(), 1).close();
        assertThat(file).exists();
        VfioUserServer.open(file, served.device, e -> { }).close();
        assertThat(file).doesNotExist();
    }

    /** Its memory comes back with the reset of its device; the others are served on. */
    @Test
    void aClientWhoseCommandFindsNoMemoryIsDropped() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final RawDriver driver = RawDriver.ready(new RawDriver(machine, served.device));
            InProcessLink.JVM.whenChanged(() -> {
                throw new OutOfMemoryError("planted");
            });
            final int type = driver.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES);
            assertThatThrownBy(() -> driver.bind(1, driver.gid(), type)).hasMessageContaining("hung up");
        }
        served.awaitEvent("client dropped: java.lang.OutOfMemoryError");
        try (ClientMachine machine = new ClientMachine(served.path)) {
            assertThat(RawDriver.ready(new RawDriver(machine, served.device)).createPd()).isPositive();
        }
    }

    /** A retry's time is up without anybody's doing. */
    @Test
    void theServerRunsTheDevicesClock() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final RawDriver driver = RawDriver.ready(new RawDriver(machine, served.device));
            final RawCq cq = driver.createCq(64);
            final RawQp a = driver.createQp(RawQp.with().cq(cq));
            final RawQp b = driver.createQp(RawQp.with().cq(cq));
            RawQp.connect(a, b);
            cq.arm();
            machine.vector(2).poll();
            a.post(w -> w.send(1, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED));
            assertThat(cq.poll()).as("no receive is there").isNull();
            b.receive(2, new long[0][]);
            assertThat(machine.vector(2).await(Patience.nanos())).isPositive();
        }
    }
}
