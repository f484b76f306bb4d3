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
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.Memory;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.LocalSockets;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that keeps no rule loses its connection at most; the next one finds a device that works. */
class HostileClientTest {
    /** SCM_MAX_FD. */
    private static final int KERNELS_LIMIT = 253;
    private static final int EINVAL = RdmaException.EINVAL;
    private static final int ENOSPC = 28;
    private static final long PAGE = 4096;

    private final Served served = new Served();

    @AfterEach
    void theNextClientIsServed() {
        // One that has passed its own socket is there until a thread has closed that.
        served.awaitNoClient();
        try (ClientMachine machine = new ClientMachine(served.path)) {
            RawDriver.ready(new RawDriver(machine, served.device));
        }
        assertThat(served.device.counters().get(Counter.INTERNAL_ERRORS)).isZero();
        served.close();
    }

    /** Sends a message, and is hung up on. */
    private void dropped(boolean agreed, int size, int command, int flags, byte... payload) {
        final int before = served.events.size();
        try (Client client = agreed ? Client.ready(served.path) : new Client(served.path)) {
            client.send(size, command, flags, ByteBuffer.wrap(payload));
            Client.Reply last = client.receive();
            while (last != null) {
                last = client.receive();
            }
        }
        served.awaitEvent("client dropped");
        assertThat(served.events.size()).isGreaterThan(before);
        served.events.clear();
    }

    @Test
    void whatIsNoMessageEndsTheConnection() {
        final byte[] version = new byte[4];
        dropped(false, HEADER_LENGTH, GET_INFO, 0);
        dropped(false, HEADER_LENGTH, VERSION, 0);
        dropped(false, HEADER_LENGTH + 4, VERSION, 0, (byte) 1, (byte) 0, (byte) 0, (byte) 0);
        dropped(false, HEADER_LENGTH + 8, VERSION, 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0,
            (byte) '{', (byte) '}', (byte) ' ', (byte) ' ');
        dropped(false, HEADER_LENGTH + 4 + 5000, VERSION, 0, new byte[5004]);
        dropped(true, HEADER_LENGTH + 4, VERSION, 0, version);
        for (final int size : new int[] {0, 15, -1, Integer.MIN_VALUE, MAX_MESSAGE + 1, Integer.MAX_VALUE}) {
            dropped(true, size, GET_INFO, 0);
        }
        for (final int type : new int[] {TYPE_REPLY, 2, 0xf}) {
            dropped(true, HEADER_LENGTH, RESET, type);
        }
    }

    @Test
    void halfAMessageAndThenNothingEndsWithTheConnection() {
        try (Client client = Client.ready(served.path)) {
            client.raw(new byte[] {1, 0, 13});
        }
        served.awaitEvent("in the midst");
        served.events.clear();
        try (Client client = Client.ready(served.path)) {
            client.send(HEADER_LENGTH + 32, DMA_MAP, 0, payload(20));
        }
        served.awaitEvent("in the midst");
    }

    @Test
    void whoSaysNothingTakesNobodysPlaceForLong() {
        final List<String> events = new CopyOnWriteArrayList<>();
        final Path path = served.folder.resolve("t");
        try (VfioUserServer server = VfioUserServer.open(path, served.device, events::add, 1_000_000);
            Client silent = new Client(path)) {
            served.await(() -> events.stream().anyMatch(event -> event.startsWith("client dropped: its first message")),
                server + ": " + events);
            assertThat(silent.receive()).isNull();
        }
    }

    @Test
    void closingDoesNotWaitForTheRestOfAMessageOrForAReader() {
        try (Served more = new Served(); Client client = Client.ready(more.path)) {
            client.raw(new byte[] {1, 0, 13});
            more.server.close();
        }
        try (Served more = new Served(); Client client = Client.ready(more.path)) {
            for (int i = 0; i < 3000; i++) {
                if (!trySend(client)) {
                    break;
                }
            }
            more.server.close();
        }
    }

    /** A request with a long answer, without reading that. */
    private static boolean trySend(Client client) {
        final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(ACCESS_DATA_OFFSET));
        message.putShort(COMMAND_OFFSET, (short) REGION_READ);
        message.putInt(SIZE_OFFSET, ACCESS_DATA_OFFSET);
        message.putInt(ACCESS_REGION_OFFSET, 2);
        message.putInt(ACCESS_COUNT_OFFSET, MAX_DATA);
        return LocalSockets.send(client.socket.fd(), message, 0, ACCESS_DATA_OFFSET) > 0;
    }

    @Test
    void requestsThatCannotBeAreAnsweredWithAnErrno() {
        try (Client client = Client.ready(served.path)) {
            for (final int command : new int[] {0, 6, 11, 12, 14, 15, 16, 17, 0xffff}) {
                assertThat(client.request(command, payload(64)).errno()).as("command %d", command)
                    .isEqualTo(RdmaException.EOPNOTSUPP);
            }
            for (final int command : new int[] {DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_IRQ_INFO, SET_IRQS,
                REGION_READ, REGION_WRITE}) {
                for (int length = 0; length < 16; length++) {
                    assertThat(client.request(command, payload(length)).errno()).isEqualTo(EINVAL);
                }
            }
            for (final int index : new int[] {-1, 9, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertThat(client.request(GET_REGION_INFO, payload(32).putInt(32).putInt(0).putInt(index)).errno())
                    .isEqualTo(EINVAL);
                assertThat(client.request(GET_IRQ_INFO, payload(16).putInt(16).putInt(0).putInt(index)).errno())
                    .isEqualTo(EINVAL);
            }
        }
    }

    @Test
    void accessesBeyondARegionAreRefused() {
        try (Client client = Client.ready(served.path)) {
            final long[][] accesses = {{0, 0, 0}, {0, 16 << 10, 4}, {0, -4, 4}, {1, 256, 4}, {1, 252, 8}, {1, 2, 4},
                {1, 0, 2}, {1, 0, 1}, {1, Long.MAX_VALUE - 3, 4}, {1, Long.MIN_VALUE, 4}, {2, 8 << 20, 4}, {3, 0, 4},
                {6, 0, 4}, {7, 253, 4}, {7, 256, 1}, {7, 0, 257}, {7, -1, 1}, {7, 1L << 32, 4}, {8, 0, 1}, {9, 0, 4},
                {-1, 0, 4}, {0, 0, -4}, {2, 0, MAX_DATA + 4}, {7, 0, Integer.MIN_VALUE}};
            for (final long[] each : accesses) {
                assertThat(client.read((int) each[0], each[1], (int) each[2]).errno()).as(Arrays.toString(each))
                    .isEqualTo(EINVAL);
                if (each[2] >= 0 && each[2] <= MAX_DATA) {
                    assertThat(client.write((int) each[0], each[1], new byte[(int) each[2]]).errno())
                        .as(Arrays.toString(each)).isEqualTo(EINVAL);
                }
            }
            assertThat(client.request(REGION_WRITE, payload(16 + 4).putLong(0).putInt(7).putInt(8)).errno())
                .as("fewer bytes than said").isEqualTo(EINVAL);
            assertThat(client.request(REGION_WRITE, payload(16 + 8).putLong(0).putInt(7).putInt(4)).errno())
                .as("more bytes than said").isEqualTo(EINVAL);
        }
    }

    @Test
    void memoryThatCannotBeMappedIsRefused() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final Client client = machine.client;
            final int ram = machine.file.fd();
            good(client.unmap(UNMAP_ALL, 0, 0));
            good(client.map(ram, 0, 8 * PAGE, 4 * PAGE));
            final int exists = RdmaException.EEXIST;
            final long[][] refused = {
                // Where in the file, IOVA, bytes, errno.
                {0, 0, 0, EINVAL}, {0, 0, -PAGE, EINVAL}, {0, 0, PAGE + 1, EINVAL}, {0, 1, PAGE, EINVAL},
                {1, 0, PAGE, EINVAL}, {-PAGE, 0, PAGE, EINVAL}, {ClientMachine.RAM, 0, PAGE, EINVAL},
                {0, 1L << 40, ClientMachine.RAM + PAGE, EINVAL}, {Long.MAX_VALUE - PAGE + 1, 0, 2 * PAGE, EINVAL},
                {0, -PAGE, PAGE, EINVAL}, {0, Long.MAX_VALUE - PAGE + 1, 2 * PAGE, EINVAL},
                {0, Long.MIN_VALUE, PAGE, EINVAL}, {0, 1L << 40, 1L << 43, ENOSPC},
                {0, 8 * PAGE, 4 * PAGE, exists}, {0, 11 * PAGE, 4 * PAGE, exists}, {0, 5 * PAGE, 4 * PAGE, exists},
                {0, 9 * PAGE, PAGE, exists}, {0, 0, 64 * PAGE, exists}};
            for (final long[] each : refused) {
                assertThat(client.map(ram, each[0], each[1], each[2]).errno()).as(Arrays.toString(each))
                    .isEqualTo((int) each[3]);
            }
            assertThat(client.mapWith(4, 0, 0, PAGE, ram).errno()).as("flags").isEqualTo(EINVAL);
            assertThat(client.mapWith(0, 0, 0, PAGE, ram).errno()).as("flags").isEqualTo(EINVAL);
            assertThat(client.mapWith(3, 0, 0, PAGE, ram, ram).errno()).as("two files").isEqualTo(EINVAL);
            assertThat(client.unmap(0, 9 * PAGE, PAGE).errno()).as("a part").isEqualTo(EINVAL);
            assertThat(client.unmap(0, 0, 9 * PAGE).errno()).as("a part").isEqualTo(EINVAL);
            assertThat(client.unmap(0, 9 * PAGE, -9 * PAGE).errno()).as("a part").isEqualTo(EINVAL);
            assertThat(client.unmap(0, 0, 0).errno()).isEqualTo(EINVAL);
            assertThat(client.unmap(0, PAGE, -PAGE / 2).errno()).isEqualTo(EINVAL);
            assertThat(client.unmap(0, 2 * PAGE, -PAGE).errno()).as("wraps").isEqualTo(EINVAL);
            assertThat(client.unmap(1, 8 * PAGE, 4 * PAGE).errno()).as("dirty pages").isEqualTo(EINVAL);
            good(client.map(ram, 0, 12 * PAGE, 4 * PAGE));
            good(client.unmap(0, 8 * PAGE, 8 * PAGE));
        }
    }

    /** Where a page can go away, a load would be a signal. */
    @Test
    void filesThatCanBeCutOffAreRefusedOrSealed() throws IOException {
        final Path file = Files.createTempFile(Path.of("/dev/shm"), "guest", "ram");
        try (Client client = Client.ready(served.path);
            Fd sealable = Fd.of(Libc.memfdCreate("sealable", LibcConstants.MFD_ALLOW_SEALING), "sealable");
            Fd unsealable = Fd.of(Libc.memfdCreate("unsealable", 0), "unsealable");
            Fd ordinary = Fd.open(file.toString(), LibcConstants.O_RDWR); EventFd event = EventFd.create()) {
            for (final Fd each : new Fd[] {sealable, unsealable, ordinary}) {
                Libc.ftruncate(each.fd(), 16 * PAGE);
            }
            good(client.map(sealable.fd(), 0, 0, 16 * PAGE));
            assertThatThrownBy(() -> Libc.ftruncate(sealable.fd(), PAGE)).hasMessageContaining("EPERM");
            for (final int fd : new int[] {unsealable.fd(), ordinary.fd(), event.fd(), client.socket.fd(), 1}) {
                assertThat(client.map(fd, 0, 1L << 30, PAGE).errno()).isEqualTo(RdmaException.EPERM);
            }
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void filesOfHugePagesAreRefused() {
        try (Client client = Client.ready(served.path); Fd huge = huge()) {
            FileCalls.addSeals(huge.fd(), LibcConstants.F_SEAL_SHRINK);
            assertThat(client.map(huge.fd(), 0, 0, 2 << 20).errno()).isEqualTo(RdmaException.EPERM);
        }
    }

    private static Fd huge() {
        Fd made = null;
        try {
            made = Fd.of(Libc.memfdCreate("huge", LibcConstants.MFD_HUGETLB | LibcConstants.MFD_HUGE_2MB
                | LibcConstants.MFD_ALLOW_SEALING), "huge");
            Libc.ftruncate(made.fd(), 4 << 20);
        } catch (final RdmaException e) {
            assumeTrue(false, "this kernel has no huge pages: " + e.getMessage());
        }
        return made;
    }

    @Test
    void tenThousandPiecesAreTooManyAndEndAtOnce() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final Client client = machine.client;
            good(client.unmap(UNMAP_ALL, 0, 0));
            for (int i = 0; i < 10_000; i++) {
                assertThat(client.map(machine.file.fd(), 2 * i % 1000 * PAGE, 2 * i * PAGE, PAGE).errno())
                    .isEqualTo(i < GuestMemory.MAX_PIECES ? 0 : ENOSPC);
            }
            good(client.unmap(0, 0, 5000 * PAGE));
            good(client.map(machine.file.fd(), 0, 0, PAGE));
        }
    }

    @Test
    void interruptsThatCannotBeAreRefused() {
        try (Client client = Client.ready(served.path); EventFd event = EventFd.create();
            Fd memory = ClientMachine.ram("no-event", PAGE)) {
            final int trigger = DATA_EVENTFD | ACTION_TRIGGER;
            final int fd = event.fd();
            assertThat(client.setIrqs(trigger, MSIX, 3, 1, fd).errno()).isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, 0, 4, fd, fd, fd, fd).errno()).isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, -1, 1, fd).errno()).isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, 1, -1, fd).errno()).isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, 1, Integer.MAX_VALUE, fd).errno()).isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, 0, 2, fd).errno()).as("a file too few").isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, 0, 1, fd, fd).errno()).as("a file too many").isEqualTo(EINVAL);
            assertThat(client.setIrqs(trigger, MSIX, 0, 1, memory.fd()).errno()).as("no eventfd").isEqualTo(EINVAL);
            for (final int index : new int[] {MSI, 3, 4, 5, -1}) {
                assertThat(client.setIrqs(trigger, index, 0, 1, fd).errno()).isEqualTo(EINVAL);
            }
            for (final int flags : new int[] {0, -1, DATA_EVENTFD, ACTION_TRIGGER, DATA_EVENTFD | ACTION_UNMASK,
                DATA_NONE | DATA_BOOL | ACTION_TRIGGER, DATA_NONE | ACTION_TRIGGER | ACTION_MASK}) {
                assertThat(client.setIrqs(flags, INTX, 0, 1, fd).errno()).as("flags %x", flags).isEqualTo(EINVAL);
            }
            assertThat(client.setIrqs(DATA_NONE | ACTION_MASK, MSIX, 0, 1).errno()).isEqualTo(EINVAL);
            assertThat(client.setIrqs(DATA_BOOL | ACTION_TRIGGER, MSIX, 0, 3).errno()).as("no data").isEqualTo(EINVAL);
        }
    }

    /** It shares the open file, so it can have writes wait that it was agreed would not. */
    @Test
    void anEventfdThatBlocksHoldsUpNobody() {
        final EventFd[] events = new EventFd[3];
        try (ClientMachine machine = new ClientMachine(served.path)) {
            for (int i = 0; i < events.length; i++) {
                events[i] = EventFd.create();
                good(machine.client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, MSIX, 0, 1, events[i].fd()));
                block(events[i]);
                good(machine.client.setIrqs(DATA_NONE | ACTION_TRIGGER, MSIX, 0, 1));
            }
            assertThat(RawDriver.ready(new RawDriver(machine, served.device)).createPd()).isPositive();
        }
        served.awaitEvent("client gone");
        try (ClientMachine machine = new ClientMachine(served.path)) {
            assertThat(RawDriver.ready(new RawDriver(machine, served.device)).createPd()).isPositive();
        }
        for (final EventFd each : events) {
            each.read();
            each.close();
        }
    }

    private static void block(EventFd event) {
        final Memory full = new Memory(Long.BYTES);
        full.setLong(0, -2);
        // The interrupt of before may come late, and by this one: there is no room for so much beside it.
        while (call("write", event.fd(), full, 8L) != 8) {
            event.read();
        }
        assertThat(call("fcntl", event.fd(), 4, 0)).isZero();
    }

    /** The last close of a socket that lingers waits until what was sent has come. */
    @Test
    void filesWhoseCloseWaitsHoldUpNobody() throws IOException {
        final int before = Fd.openCount();
        try (ServerSocket deaf = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
            Client client = Client.ready(served.path)) {
            for (final int command : new int[] {GET_INFO, DMA_MAP, SET_IRQS}) {
                final ByteBuffer request = command == GET_INFO ? payload(16).putInt(16) : command == DMA_MAP
                    ? payload(32).putInt(32).putInt(MAP_READ | MAP_WRITE).putLong(0).putLong(0).putLong(PAGE)
                    : payload(20).putInt(20).putInt(DATA_EVENTFD | ACTION_TRIGGER).putInt(MSIX).putInt(0).putInt(1);
                final Fd lingering = lingering(deaf.getLocalPort());
                client.send(HEADER_LENGTH + request.capacity(), command, 0, payload(0), lingering.fd());
                // Of no effect before the server has closed its own, which it does with the rest of the message.
                lingering.close();
                client.raw(request.array());
                assertThat(client.receive().errno()).isEqualTo(command == GET_INFO ? 0
                    : command == DMA_MAP ? RdmaException.EPERM : EINVAL);
            }
        }
        served.awaitEvent("client gone");
        served.awaitOpenFiles(before);
    }

    /** The kernel closes what the receiver has no room for, on the thread that receives. */
    @Test
    void moreFilesThanAgreedOnWhoseCloseWaitsHoldUpNobody() throws IOException {
        final int before = Fd.openCount();
        try (ServerSocket deaf = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
            EventFd event = EventFd.create()) {
            final Fd lingering = lingering(deaf.getLocalPort());
            final int[] many = new int[KERNELS_LIMIT];
            Arrays.fill(many, event.fd());
            many[KERNELS_LIMIT - 1] = lingering.fd();
            synchronized (served.events) {
                // The server waits behind this event, so that what it takes out of the message is the last of it.
                try (Client client = new Client(served.path)) {
                    served.awaitEvent("client connected");
                    assertThat(sendmsg(client.socket.fd(), many)).isPositive();
                    lingering.close();
                }
            }
            served.awaitEvent("it passed more files");
            try (Client next = Client.ready(served.path)) {
                good(next.request(GET_INFO, payload(16).putInt(16)));
            }
        }
        served.awaitNoClient();
        served.awaitOpenFiles(before);
    }

    /** As {@link LocalSockets} does, without a limit of its own. */
    private static int sendmsg(int socket, int... files) {
        final Memory bytes = new Memory(HEADER_LENGTH);
        bytes.clear();
        final Memory iov = new Memory(16);
        iov.setPointer(0, bytes);
        iov.setLong(8, HEADER_LENGTH);
        final Memory control = new Memory(16 + files.length * 4L);
        control.setLong(0, control.size());
        control.setInt(8, 1);
        control.setInt(12, 1);
        control.write(16, files, 0, files.length);
        final Memory message = new Memory(56);
        message.clear();
        message.setPointer(16, iov);
        message.setLong(24, 1);
        message.setPointer(32, control);
        message.setLong(40, control.size());
        return call("sendmsg", socket, message, 0);
    }

    /** Connected to somebody who does not read, and full. */
    private static Fd lingering(int port) {
        final Fd made = Fd.of(call("socket", 2, 1, 0), "socket");
        final Memory address = new Memory(16);
        address.clear();
        address.setShort(0, (short) 2);
        address.setShort(2, Short.reverseBytes((short) port));
        address.setInt(4, 0x0100_007f);
        assertThat(call("connect", made.fd(), address, 16)).isZero();
        final Memory linger = new Memory(8);
        linger.setInt(0, 1);
        linger.setInt(4, 3600);
        assertThat(call("setsockopt", made.fd(), 1, 13, linger, 8)).isZero();
        final Memory bytes = new Memory(1 << 20);
        int went = 1;
        while (went > 0) {
            went = call("send", made.fd(), bytes, 1L << 20, 0x40);
        }
        return made;
    }

    private static int call(String name, Object... arguments) {
        return Function.getFunction("c", name).invokeInt(arguments);
    }

    @Test
    void clientsThatLeaveThreadsBehindAreNotAcceptedWithoutEnd() {
        final EventFd[] events = new EventFd[VfioUserServer.MAX_HELD_UP];
        for (int i = 0; i < events.length; i++) {
            events[i] = EventFd.create();
            try (Client client = Client.ready(served.path)) {
                good(client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, MSIX, 0, 1, events[i].fd()));
                block(events[i]);
                good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, MSIX, 0, 1));
                final int held = i + 1;
                served.await(() -> writing() == held, held + " threads do not write");
            }
            served.awaitNoClient();
        }
        final Client late = new Client(served.path);
        served.awaitEvent("not accepted");
        late.close();
        for (final EventFd each : events) {
            each.read();
            each.close();
        }
        served.await(() -> writing() == 0, "threads are left");
    }

    private static long writing() {
        return Thread.getAllStackTraces().entrySet().stream().filter(each -> each.getKey().getName()
            .startsWith("rdma4j-vfio-user-client") && each.getValue().length > 0
            && each.getValue()[0].getMethodName().equals("write")).count();
    }

    @Test
    void moreFilesThanAgreedOnEndTheConnection() {
        try (Client client = Client.ready(served.path); EventFd event = EventFd.create()) {
            final int[] many = new int[MAX_FILES + 1];
            Arrays.fill(many, event.fd());
            client.send(HEADER_LENGTH, RESET, 0, payload(0), many);
            assertThat(client.receive()).isNull();
        }
        served.awaitEvent("more files");
    }

    @Test
    void filesWithAMessageThatTakesNoneAreClosed() {
        final int before;
        try (Client client = Client.ready(served.path); EventFd event = EventFd.create()) {
            before = Fd.openCount();
            for (int i = 0; i < 100; i++) {
                good(client.request(GET_INFO, payload(16).putInt(16), event.fd(), event.fd()));
            }
            served.awaitOpenFiles(before);
        }
    }

    /** The thread that closes them may have no processor; here it waits for an eventfd. */
    @Test
    void whoPassesFilesFasterThanTheyAreClosedIsWaitedFor() {
        try (Client client = Client.ready(served.path); EventFd event = EventFd.create();
            EventFd full = EventFd.create()) {
            good(client.setIrqs(DATA_EVENTFD | ACTION_TRIGGER, MSIX, 0, 1, full.fd()));
            block(full);
            good(client.setIrqs(DATA_NONE | ACTION_TRIGGER, MSIX, 0, 1));
            served.await(() -> writing() == 1, "no thread writes");
            final int before = Fd.openCount();
            for (int i = 0; i < 64; i++) {
                good(client.request(GET_INFO, payload(16).putInt(16), event.fd(), event.fd()));
            }
            client.send(HEADER_LENGTH + 16, GET_INFO, 0, payload(16).putInt(16), event.fd(), event.fd());
            served.awaitOpenFiles(before + 130);
            full.read();
            assertThat(client.receive()).isNotNull();
            served.awaitOpenFiles(before);
        }
    }

    /** Pages of a region may all be the same one; so much work costs a guest nothing. */
    @Test
    void whatAGuestHasPostedDoesNotKeepTheServerWhenTheGuestIsGone() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            ringForWrites(RawDriver.ready(new RawDriver(machine, served.device)), 8192, 0);
        }
        served.awaitEvent("client gone");
    }

    @Test
    void whatAGuestHasPostedGoesOnByItself() {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final RawCq cq = ringForWrites(RawDriver.ready(new RawDriver(machine, served.device)), 4,
                SendFlags.PVRDMA_SEND_SIGNALED);
            for (int i = 0; i < 4; i++) {
                assertThat(cq.await().status()).isZero();
            }
        }
    }

    /** Each of 256 MiB. */
    private static RawCq ringForWrites(RawDriver driver, int count, int flags) {
        final int length = 256 << 20;
        final RawCq cq = driver.createCq(64);
        final RawQp from = driver.createQp(RawQp.with().cq(cq).sizes(count, 16, 1));
        RawQp.connect(from, driver.createQp(RawQp.with().cq(cq)));
        final long[] pages = new long[length / (int) PAGE];
        Arrays.fill(pages, driver.register((int) PAGE, RawPair.ALL).memory(0).iova());
        final long pdir = driver.pdir(pages);
        final CreateMrResponse region = new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR,
            b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, driver.pd)
                .set(CreateMrRequest.START, 0L).set(CreateMrRequest.LENGTH, (long) length)
                .set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL).set(CreateMrRequest.PDIR_DMA, pdir)
                .set(CreateMrRequest.NCHUNKS, pages.length)), 0);
        for (int i = 0; i < count; i++) {
            from.write(wqe -> wqe.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, flags)
                .rdma(0, region.get(CreateMrResponse.RKEY)).sge(0, length, region.get(CreateMrResponse.LKEY)));
        }
        from.ringSend();
        return cq;
    }

    /** Random bytes behind good headers, with and without files. */
    @Test
    void garbageIsAnsweredOrEndsTheConnection() {
        final Random random = new Random(4711);
        for (int round = 0; round < 20; round++) {
            try (ClientMachine machine = new ClientMachine(served.path)) {
                for (int i = 0; i < 100; i++) {
                    final byte[] payload = new byte[random.nextInt(80)];
                    for (int j = 0; j < payload.length; j++) {
                        payload[j] = (byte) (random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(8));
                    }
                    final int[] fds = random.nextInt(4) == 0 ? new int[] {machine.file.fd()} : new int[0];
                    machine.client.send(HEADER_LENGTH + payload.length, 2 + random.nextInt(14), 0,
                        ByteBuffer.wrap(payload), fds);
                    assertThat(machine.client.receive()).isNotNull();
                }
            }
            served.awaitEvent("client gone");
            served.events.clear();
        }
    }
}
