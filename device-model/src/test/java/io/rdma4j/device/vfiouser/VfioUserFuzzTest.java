/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static io.rdma4j.device.vfiouser.Client.good;
import static io.rdma4j.device.vfiouser.Client.payload;
import static io.rdma4j.device.vfiouser.Protocol.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.testing.TestBudget;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a client may ask for, with arguments that nobody thought of. The seven kinds are those of SPDK's fuzzer of
 * vfio-user targets (test/app/fuzz/llvm_vfio_fuzz). Each request has an answer or ends the connection, and then the
 * next client finds the device as after power-up; nothing stays open, and nothing in the device went wrong.
 */
@Timeout(180)
class VfioUserFuzzTest {
    private static final int RUNS = TestBudget.rounds(20, 100);
    private static final int BYTES = 300;
    private static final long PAGES = -DmaDomain.PAGE_SIZE;

    private static Served served;
    private static int filesWithoutClients;

    @BeforeAll
    static void serve() {
        served = new Served();
        filesWithoutClients = Fd.openCount();
    }

    @AfterAll
    static void end() {
        served.close();
    }

    static Stream<byte[]> seeds() {
        return LongStream.range(0, RUNS).mapToObj(seed -> {
            final SplittableRandom random = new SplittableRandom(seed);
            final byte[] bytes = new byte[random.nextInt(BYTES)];
            for (int i = 0; i < bytes.length; i++) {
                // Small numbers mean something in most places.
                bytes[i] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(4));
            }
            return bytes;
        });
    }

    /** Asks as the bytes say. */
    @FunctionalInterface
    private interface Request {
        void ask(ClientMachine machine, ByteBuffer arguments);
    }

    /** As often as there are arguments of that length. */
    private static void run(byte[] data, int length, Request request) {
        try (ClientMachine machine = new ClientMachine(served.path)) {
            final ByteBuffer arguments = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
            while (arguments.remaining() >= length) {
                request.ask(machine, arguments);
            }
        }
        theNextClientIsServed();
        served.awaitOpenFiles(filesWithoutClients);
        assertThat(served.device.counters().get(Counter.INTERNAL_ERRORS)).isZero();
    }

    private static void theNextClientIsServed() {
        served.awaitNoClient();
        try (Client next = Client.ready(served.path)) {
            assertThat(good(next.request(GET_INFO, payload(16).putInt(16))).get(NUM_REGIONS_OFFSET))
                .isEqualTo(NUM_REGIONS);
            assertThat(next.readInt(CONFIG_REGION, PciConfig.COMMAND_OFFSET) & 0xffff).isZero();
        }
        served.awaitNoClient();
        served.events.clear();
    }

    private static void answered(Client.Reply reply) {
        assertThat(reply.errno()).isIn(0, RdmaException.EINVAL, RdmaException.EPERM, RdmaException.EEXIST, 28,
            RdmaException.EIO);
    }

    @FuzzTest(maxDuration = "60s")
    void regionsAreAccessed(final byte[] data) {
        run(data, 9, VfioUserFuzzTest::accessRegion);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void regionsAreAccessedForFixedSeeds(final byte[] data) {
        run(data, 9, VfioUserFuzzTest::accessRegion);
    }

    private static void accessRegion(ClientMachine machine, ByteBuffer arguments) {
        final int region = arguments.get() % NUM_REGIONS;
        final int kind = arguments.get();
        final int offset = (arguments.getShort() & 0xffff) << (kind & 7) & ((kind & 8) == 0 ? ~3 : ~0);
        final int count = arguments.get();
        final byte[] value = new byte[(kind & 0x30) == 0 ? 1 + (count & 0xf) : 4];
        arguments.get(value, 0, Math.min(4, value.length));
        answered(machine.client.write(region, offset, value));
        answered(machine.client.read(region, offset, (kind & 0x30) == 0 ? count : 4));
    }

    @FuzzTest(maxDuration = "60s")
    void versionsAreAgreedOn(final byte[] data) {
        run(data, 6, VfioUserFuzzTest::agree);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void versionsAreAgreedOnForFixedSeeds(final byte[] data) {
        run(data, 6, VfioUserFuzzTest::agree);
    }

    /** On a connection of its own, which is turned away while there is another; so that one ends first. */
    private static void agree(ClientMachine machine, ByteBuffer arguments) {
        machine.client.close();
        served.awaitNoClient();
        final int numbers = arguments.getInt();
        final int length = Math.min(arguments.getShort() & 0x1fff, arguments.remaining());
        final byte[] text = new byte[4 + length];
        ByteBuffer.wrap(text).order(ByteOrder.LITTLE_ENDIAN).putInt(numbers);
        arguments.get(text, 4, length);
        try (Client client = new Client(served.path)) {
            client.send(HEADER_LENGTH + text.length, VERSION, 0, ByteBuffer.wrap(text));
            final Client.Reply reply = client.receive();
            if (reply != null) {
                answered(reply);
            }
        }
        served.awaitNoClient();
    }

    @FuzzTest(maxDuration = "60s")
    void regionsAreAskedFor(final byte[] data) {
        run(data, 8, VfioUserFuzzTest::askForRegion);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void regionsAreAskedForFixedSeeds(final byte[] data) {
        run(data, 8, VfioUserFuzzTest::askForRegion);
    }

    private static void askForRegion(ClientMachine machine, ByteBuffer arguments) {
        final int index = arguments.getInt();
        final int argsz = arguments.getInt();
        answered(machine.client.request(GET_REGION_INFO,
            payload(Math.max(12, argsz & 0xff)).putInt(argsz).putInt(0).putInt(index)));
        answered(machine.client.request(GET_IRQ_INFO, payload(16).putInt(argsz).putInt(0).putInt(index)));
    }

    @FuzzTest(maxDuration = "60s")
    void memoryIsMapped(final byte[] data) {
        run(data, 26, VfioUserFuzzTest::map);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void memoryIsMappedForFixedSeeds(final byte[] data) {
        run(data, 26, VfioUserFuzzTest::map);
    }

    private static void map(ClientMachine machine, ByteBuffer arguments) {
        final int which = arguments.get();
        final int flags = arguments.get() & 7;
        final long mask = (which & 0x40) == 0 ? PAGES : -1;
        final long iova = arguments.getLong() & mask;
        final long size = arguments.getLong() & mask;
        final long offset = arguments.getLong() & mask;
        answered(machine.client.mapWith(flags, offset, iova, size, files(machine, which & 3)));
    }

    private static int[] files(ClientMachine machine, int which) {
        return switch (which) {
            case 0, 1 -> new int[] {machine.file.fd()};
            case 2 -> new int[] {machine.client.socket.fd()};
            default -> new int[0];
        };
    }

    @FuzzTest(maxDuration = "60s")
    void memoryIsUnmapped(final byte[] data) {
        run(data, 43, VfioUserFuzzTest::unmap);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void memoryIsUnmappedForFixedSeeds(final byte[] data) {
        run(data, 43, VfioUserFuzzTest::unmap);
    }

    private static void unmap(ClientMachine machine, ByteBuffer arguments) {
        map(machine, arguments);
        final int flags = arguments.get() & 3;
        answered(machine.client.unmap(flags, arguments.getLong() & PAGES, arguments.getLong() & PAGES));
    }

    @FuzzTest(maxDuration = "60s")
    void interruptsAreSet(final byte[] data) {
        run(data, 13, VfioUserFuzzTest::setInterrupts);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void interruptsAreSetForFixedSeeds(final byte[] data) {
        run(data, 13, VfioUserFuzzTest::setInterrupts);
    }

    private static void setInterrupts(ClientMachine machine, ByteBuffer arguments) {
        final int flags = arguments.getInt();
        final int index = arguments.get();
        answered(machine.client.setIrqs(flags, index, arguments.getInt(), arguments.getInt()));
    }

    @FuzzTest(maxDuration = "60s")
    void vectorsAreSet(final byte[] data) {
        run(data, 4, VfioUserFuzzTest::setVectors);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void vectorsAreSetForFixedSeeds(final byte[] data) {
        run(data, 4, VfioUserFuzzTest::setVectors);
    }

    private static void setVectors(ClientMachine machine, ByteBuffer arguments) {
        final int flags = arguments.get() & 0x3f;
        final int start = arguments.get();
        final int count = arguments.get();
        final int[] fds = new int[arguments.get() & 3];
        try (EventFd event = EventFd.create()) {
            Arrays.fill(fds, event.fd());
            answered(machine.client.setIrqs(flags, MSIX, start, count, fds));
        }
    }
}
