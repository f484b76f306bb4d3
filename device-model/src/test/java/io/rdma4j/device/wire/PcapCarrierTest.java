/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a capture file has, field by field; and what tshark says of it, where there is one. */
@Timeout(120)
class PcapCarrierTest {
    private static final String FIRST = "127.74.0.2";
    private static final String SECOND = "127.74.0.3";
    private static final int FRAMES = 300;

    @TempDir
    private Path folder;

    /** One packet of a file, its headers checked. */
    private record Packet(boolean ipv4, ByteBuffer frame, int trafficClass, int flowLabel, int hops,
                          long nanos) {
        static Packet read(ByteBuffer file, boolean icrcIsRight) {
            final long nanos = Integer.toUnsignedLong(file.getInt()) * 1_000_000_000L + file.getInt();
            final int length = file.getInt();
            assertThat(file.getInt()).isEqualTo(length);
            final ByteBuffer ip = file.slice(file.position(), length).order(ByteOrder.BIG_ENDIAN);
            file.position(file.position() + length);
            final boolean ipv4 = ip.get(0) == 0x45;
            final int header = ipv4 ? 20 : 40;
            if (ipv4) {
                assertThat(ip.getShort(2) & 0xffff).isEqualTo(length);
                assertThat(ip.getInt(4)).as("identification 0, do not fragment").isEqualTo(0x4000);
                assertThat(ip.get(9)).isEqualTo((byte) 17);
                assertThat(sum(ip, 0, 20)).as("check sum of the header").isEqualTo(0xffff);
            } else {
                assertThat(ip.get(0) >>> 4).isEqualTo(6);
                assertThat(ip.getShort(4) & 0xffff).isEqualTo(length - header);
                assertThat(ip.get(6)).isEqualTo((byte) 17);
            }
            assertThat(ip.getShort(header)).isEqualTo((short) 4791);
            assertThat(ip.getShort(header + 2)).isEqualTo((short) 4791);
            assertThat(ip.getShort(header + 4) & 0xffff).isEqualTo(length - header);
            assertThat(ip.getShort(header + 6)).isNotZero();
            final int addresses = ipv4 ? 12 : 8;
            final int total = sum(ip, addresses, length - addresses) + 17 + length - header;
            assertThat((total & 0xffff) + (total >>> 16)).as("check sum of UDP").isEqualTo(0xffff);
            final ByteBuffer frame = ip.slice(header + 8, length - header - 8 - Icrc.LENGTH);
            final int icrc = Integer.reverseBytes(ip.getInt(length - Icrc.LENGTH));
            final int computed = ipv4 ? new Icrc().ofIpv4(ip.getInt(12), ip.getInt(16), 0, 4791, frame)
                : new Icrc().ofIpv6(ip.getLong(8), ip.getLong(16), ip.getLong(24), ip.getLong(32), 4791, frame);
            assertThat(icrc == computed).isEqualTo(icrcIsRight);
            final int first = ip.getInt(0);
            return new Packet(ipv4, frame, ipv4 ? first >>> 16 & 0xff : first >>> 20 & 0xff,
                ipv4 ? 0 : first & 0xf_ffff, ip.get(ipv4 ? 8 : 7) & 0xff, nanos);
        }

        private static int sum(ByteBuffer b, int from, int length) {
            int sum = 0;
            for (int at = from; at < from + length; at += 2) {
                sum += b.getShort(at) & 0xffff;
            }
            while (sum >>> 16 != 0) {
                sum = (sum & 0xffff) + (sum >>> 16);
            }
            return sum;
        }

        byte[] bytes() {
            final byte[] bytes = new byte[frame.remaining()];
            frame.get(0, bytes);
            return bytes;
        }
    }

    private static List<Packet> read(Path path, boolean icrcIsRight) throws IOException {
        final ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.nativeOrder());
        assertThat(file.getInt()).isEqualTo(0xa1b23c4d);
        assertThat(file.getShort()).isEqualTo((short) 2);
        assertThat(file.getShort()).isEqualTo((short) 4);
        assertThat(file.getLong()).isZero();
        assertThat(file.getInt()).isEqualTo(0xffff);
        assertThat(file.getInt()).isEqualTo(101);
        final List<Packet> packets = new ArrayList<>();
        while (file.hasRemaining()) {
            packets.add(Packet.read(file, icrcIsRight));
        }
        return packets;
    }

    private Ends captured(Path from, Path to) {
        final Counters counters = new Counters();
        return new Ends(counters, PcapCarrier.wrap(Ends.open(FIRST, counters), from, counters),
            PcapCarrier.wrap(Ends.open(SECOND, counters), to, counters), Ends.gid(FIRST), Ends.gid(SECOND));
    }

    @Test
    void hasWhatIsSentAndWhatComes() throws IOException {
        final Path from = folder.resolve("from.pcap");
        final Path to = folder.resolve("to.pcap");
        final long begun = System.currentTimeMillis();
        try (Ends ends = captured(from, to)) {
            for (int i = 0; i < FRAMES; i++) {
                Ends.send(ends.lane, i, 12 + i % 1000 * 4, i % 3, i % 2 * 5);
                if (i % 16 == 15 || i == FRAMES - 1) {
                    ends.from.flush();
                    ends.receive(i % 16 + 1);
                }
            }
            Ends.send(ends.to.lane(ends.there, ends.here), FRAMES, 64, 0, 0);
            ends.to.flush();
            Ends.receive(ends.from, 1);
            ends.from.poll(frame -> { }, 1);
            assertThat(read(from, true)).as("written when nothing comes any more").hasSize(FRAMES + 1);
        }
        for (Path each : List.of(from, to)) {
            final List<Packet> packets = read(each, true);
            assertThat(packets).hasSize(FRAMES + 1);
            for (int i = 0; i <= FRAMES; i++) {
                final Packet packet = packets.get(i);
                assertThat(Ends.isWhole(packet.bytes(), i)).as("frame %d", i).isTrue();
                assertThat(packet.ipv4()).isTrue();
                assertThat(packet.trafficClass()).isEqualTo(i == FRAMES ? 0 : i % 3);
                assertThat(packet.hops()).isEqualTo(i < FRAMES && i % 2 == 1 ? 5 : 64);
                assertThat(packet.nanos() / 1_000_000).isBetween(begun - 60_000, begun + 600_000);
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(from))).isEqualTo("rw-------");
    }

    /** A frame to the device itself goes and comes, and so does one that an injector in front sends twice. */
    @Test
    void aFrameToItselfIsThereAsOftenAsItWent() throws IOException {
        final Path file = folder.resolve("self.pcap");
        final Counters counters = new Counters();
        final Gid gid = Ends.gid(FIRST);
        final Gid other = Ends.gid(SECOND);
        final Carrier captured = PcapCarrier.wrap(
            UdpCarrier.open(UdpCarrier.parseAddresses(FIRST + "," + SECOND), Ends.PORT, counters), file, counters);
        try (Carrier self = LossyCarrier.wrap(captured, LossOptions.parse("duplicate:100,on:send"))) {
            self.bind(gid);
            self.bind(other);
            Ends.send(self.lane(other, gid), 0, 64, 0, 0);
            self.flush();
            assertThat(Ends.receive(self, 2)).extracting(Ends.Came::psn).containsExactly(0, 0);
            Ends.send(captured.lane(gid, gid), 1, 64, 0, 0);
            captured.flush();
            Ends.receive(self, 1);
            self.unbind(other);
        }
        assertThat(read(file, true)).extracting(packet -> Bth.psn(new UnsafeBuffer(packet.bytes()), 0))
            .containsExactly(0, 0, 1);
    }

    private static Frame frame(Gid source, Gid dest, FrameSlot slot, int length) {
        final Frame frame = new Frame();
        frame.address = slot.address();
        frame.body = frame.address;
        frame.length = length;
        frame.sourceGidHigh = source.high();
        frame.sourceGidLow = source.low();
        frame.destGidHigh = dest.high();
        frame.destGidLow = dest.low();
        return frame;
    }

    /** GIDs of other carriers need not be addresses of this host; one that is no IPv4 address has an IPv6 header. */
    @Test
    void overIpv6Too() throws IOException {
        final Path file = folder.resolve("six.pcap");
        final FrameSlot slot = FrameSlot.allocate(1, 4096)[0];
        try (PcapWriter writer = new PcapWriter(file, new Counters())) {
            final Frame six = frame(Ends.gid("fd00::1"), Ends.gid("fe80::2"), slot, 60);
            six.trafficClass = 0xb8;
            six.flowLabel = 0x12345;
            six.hopLimit = 3;
            writer.write(six, -1);
            writer.write(frame(Ends.gid("fd00::1"), Ends.gid("192.0.2.1"), slot, 12), -1);
        }
        final List<Packet> packets = read(file, true);
        assertThat(packets).extracting(Packet::ipv4).containsExactly(false, false);
        assertThat(packets).extracting(Packet::trafficClass).containsExactly(0xb8, 0);
        assertThat(packets).extracting(Packet::flowLabel).containsExactly(0x12345, 0);
        assertThat(packets).extracting(Packet::hops).containsExactly(3, 64);
    }

    /** Shared memory brings what its peer has put there: that is no packet, and those behind it are. */
    @Test
    void whatIsNoPacketLeavesNothingBehind() throws IOException {
        final Path file = folder.resolve("short.pcap");
        final Counters counters = new Counters();
        final FrameSlot slot = FrameSlot.allocate(1, 4096)[0];
        try (PcapWriter writer = new PcapWriter(file, counters)) {
            writer.write(frame(Ends.gid("fd00::1"), Ends.gid("fe80::2"), slot, 4), -1);
            writer.write(frame(Ends.gid("192.0.2.2"), Ends.gid("192.0.2.1"), slot, 8), -1);
            writer.write(frame(Ends.gid("fd00::1"), Ends.gid("fe80::2"), slot, 60), -1);
        }
        assertThat(read(file, true)).hasSize(1);
        assertThat(counters.get(Counter.WIRE_NOT_CAPTURED)).isEqualTo(2);
    }

    /** Behind an injector: the file has what went, damage included. */
    @Test
    void hasDamagedFramesAsTheyWent() throws IOException {
        final Path file = folder.resolve("damaged.pcap");
        final Counters counters = new Counters();
        final Carrier from = LossyCarrier.wrap(PcapCarrier.wrap(Ends.open(FIRST, counters), file, counters),
            LossOptions.parse("corrupt:100,on:send"));
        try (Ends ends = new Ends(counters, from, Ends.open(SECOND, counters), Ends.gid(FIRST), Ends.gid(SECOND))) {
            for (int i = 0; i < 20; i++) {
                ends.send(i, 64);
            }
            ends.from.flush();
            ends.to.await(1_000_000_000);
            assertThat(ends.to.poll(frame -> { }, 100)).isZero();
        }
        assertThat(read(file, false)).hasSize(20);
    }

    @Test
    void neverAnotherFile() throws IOException {
        final Counters counters = new Counters();
        final Path there = Files.writeString(folder.resolve("there"), "mine");
        final Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("elsewhere"));
        for (Path each : List.of(there, link)) {
            assertThatThrownBy(() -> new PcapWriter(each, counters)).isInstanceOf(RdmaException.class)
                .hasMessageContaining("EEXIST").hasMessageContaining(each.toString());
        }
        assertThat(there).hasContent("mine");
        assertThat(folder.resolve("elsewhere")).doesNotExist();
        assertThatThrownBy(() -> new PcapWriter(folder.resolve("no/where"), counters))
            .isInstanceOf(RdmaException.class).hasMessageContaining("ENOENT").hasMessageContaining("no/where");
    }

    /** A program that ends its workers so has them drain their queues and close the device: that belongs to it, too. */
    @Test
    void aThreadThatWasInterruptedWritesAsAnyOther() throws IOException {
        final Path file = folder.resolve("interrupted.pcap");
        final Path empty = folder.resolve("empty.pcap");
        final Counters counters = new Counters();
        final Frame six = frame(Ends.gid("fd00::1"), Ends.gid("fe80::2"), FrameSlot.allocate(1, 4096)[0], 60);
        try (PcapWriter writer = new PcapWriter(file, counters)) {
            writer.write(six, -1);
            Thread.currentThread().interrupt();
            writer.flushIfPending();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(read(file, true)).hasSize(1);
            writer.write(six, -1);
            writer.flushIfPending();
            writer.write(six, -1);
            Thread.currentThread().interrupt();
            new PcapWriter(empty, counters).close();
        } finally {
            Thread.interrupted();
        }
        assertThat(read(file, true)).hasSize(3);
        assertThat(empty).as("without a frame").doesNotExist();
        assertThat(counters.get(Counter.WIRE_NOT_CAPTURED)).isZero();
    }

    /** It is told when the capture is closed, too: a program that captures ends with it. */
    @Test
    void aFullDiskIsTold() throws IOException {
        final Path file = Files.createFile(folder.resolve("full.pcap"));
        final Counters counters = new Counters();
        assertThatThrownBy(() -> new PcapWriter(file, Fd.open("/dev/full", LibcConstants.O_WRONLY), counters))
            .isInstanceOf(RdmaException.class).hasMessageContaining("full.pcap")
            .hasMessageContaining("after 0 bytes").hasMessageContaining("ENOSPC");
        assertThat(counters.get(Counter.WIRE_NOT_CAPTURED)).isEqualTo(1);
        assertThat(file).as("without a frame").doesNotExist();
    }

    /** What was written before stays. */
    @Test
    void aFileThatEndsEarlyIsToldWhenItIsClosed() throws IOException {
        final Path file = folder.resolve("limited.pcap");
        final Counters counters = new Counters();
        final Frame six = frame(Ends.gid("fd00::1"), Ends.gid("fe80::2"), FrameSlot.allocate(1, 4096)[0], 60);
        final Fd output = Fd.create(file.toString());
        final PcapWriter writer = new PcapWriter(file, output, counters);
        writer.write(six, -1);
        writer.flushIfPending();
        output.close();
        writer.write(six, -1);
        writer.flushIfPending();
        writer.write(six, -1);
        assertThatThrownBy(writer::close).isInstanceOf(RdmaException.class)
            .hasMessageContaining("limited.pcap").hasMessageContaining("after");
        writer.close();
        assertThat(counters.get(Counter.WIRE_NOT_CAPTURED)).isEqualTo(2);
        assertThat(read(file, true)).hasSize(1);
    }

    @Test
    void tsharkHasNoComplaint() throws Exception {
        assumeTrue(isThere("tshark"), "no tshark on this machine");
        final Path file = folder.resolve("shark.pcap");
        try (PcapWriter writer = new PcapWriter(file, new Counters());
            Ends ends = captured(folder.resolve("a"), folder.resolve("b"))) {
            for (int i = 0; i < 20; i++) {
                ends.send(i, 12 + 4 * i);
                ends.from.flush();
                ends.to.await(1_000_000_000);
                ends.to.poll(frame -> {
                    writer.write(frame, -1);
                    frame.sourceGidHigh = 0xfd00L << 48;
                    frame.destGidHigh = 0xfd00L << 48;
                    writer.write(frame, -1);
                }, 1);
            }
        }
        // The payload is ours: it takes some of it for RPC, and then misses the rest.
        final Process process = new ProcessBuilder("tshark", "-r", file.toString(), "-V", "--disable-protocol",
            "rpcordma", "-o",
            "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE").redirectErrorStream(true).start();
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said.split("Base Transport Header", -1)).hasSize(41);
        assertThat(said).contains("Opcode: Reliable Connection (RC) - SEND Only").doesNotContain("Malformed")
            .doesNotContain("Expert Info").doesNotContain("incorrect").doesNotContain("unverified");
    }

    private static boolean isThere(String program) {
        for (String each : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (Files.isExecutable(Path.of(each, program))) {
                return true;
            }
        }
        return false;
    }
}
