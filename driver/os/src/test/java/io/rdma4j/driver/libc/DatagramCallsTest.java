/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Gcc;
import io.rdma4j.testing.Loopback;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

class DatagramCallsTest {
    private static final int FIRST = address(1);
    private static final int SECOND = address(2);
    /** No socket has it that asked for any port. */
    private static final int PORT = 13_791;
    private static final int ROOM = 64;
    private static final int MARKED = 0x2b;
    private static final int HOPS = 7;

    private final DatagramBatch out = new DatagramBatch(4);
    private final DatagramBatch in = new DatagramBatch(4);
    private final UnsafeBuffer sent = Failing.offHeap(4 * ROOM);
    private final UnsafeBuffer came = Failing.offHeap(4 * ROOM);

    private static final String INCLUDES = """
        #define _GNU_SOURCE
        #include <stddef.h>
        #include <stdio.h>
        #include <netinet/in.h>
        #include <sys/socket.h>
        #include <linux/udp.h>
        #include <linux/in6.h>
        #ifndef IPV6_FLOWINFO
        #define IPV6_FLOWINFO 11
        #endif
        int main(void) {
        """;

    private static int address(final int host) {
        return ByteBuffer.wrap(new InetSocketAddress(Loopback.address(host), 0).getAddress().getAddress()).getInt();
    }

    static boolean hasGcc() {
        return Gcc.isThere();
    }

    /** What this machine's C library says, beside our numbers. */
    @Test
    @EnabledIf("hasGcc")
    void numbersAreTheHeaders(@TempDir final Path folder) throws Exception {
        final List<String> ours = new ArrayList<>();
        final StringBuilder source = new StringBuilder(INCLUDES);
        for (final DatagramOption each : DatagramOption.values()) {
            final String level = each.name().startsWith("SO_") ? "SOL_SOCKET" : each.name().startsWith("UDP_")
                ? "IPPROTO_UDP" : each.name().startsWith("IPV6_") ? "IPPROTO_IPV6" : "IPPROTO_IP";
            add(source, ours, level + " * 1000 + " + each.name(), each.level() * 1000 + each.number());
        }
        add(source, ours, "IP_PMTUDISC_DO", DatagramOption.PMTUDISC_DO);
        add(source, ours, "sizeof(struct mmsghdr)", DatagramBatch.SIZEOF_MMSGHDR);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_name)", DatagramBatch.NAME_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_namelen)", DatagramBatch.NAMELEN_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_iov)", DatagramBatch.IOV_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_iovlen)", DatagramBatch.IOVLEN_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_control)", DatagramBatch.CONTROL_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_controllen)", DatagramBatch.CONTROLLEN_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_hdr.msg_flags)", DatagramBatch.FLAGS_OFFSET);
        add(source, ours, "offsetof(struct mmsghdr, msg_len)", DatagramBatch.LENGTH_OFFSET);
        add(source, ours, "sizeof(struct sockaddr_in)", DatagramBatch.SIZEOF_SOCKADDR_IN);
        add(source, ours, "sizeof(struct sockaddr_in6)", DatagramBatch.SIZEOF_SOCKADDR_IN6);
        add(source, ours, "offsetof(struct sockaddr_in, sin_port)", DatagramBatch.PORT_OFFSET);
        add(source, ours, "offsetof(struct sockaddr_in, sin_addr)", DatagramBatch.IPV4_OFFSET);
        add(source, ours, "offsetof(struct sockaddr_in6, sin6_flowinfo)", DatagramBatch.FLOWINFO_OFFSET);
        add(source, ours, "offsetof(struct sockaddr_in6, sin6_addr)", DatagramBatch.IPV6_OFFSET);
        add(source, ours, "offsetof(struct sockaddr_in6, sin6_scope_id)", DatagramBatch.SCOPE_OFFSET);
        add(source, ours, "offsetof(struct cmsghdr, cmsg_len)", DatagramBatch.CMSG_LEN_OFFSET);
        add(source, ours, "offsetof(struct cmsghdr, cmsg_level)", DatagramBatch.CMSG_LEVEL_OFFSET);
        add(source, ours, "offsetof(struct cmsghdr, cmsg_type)", DatagramBatch.CMSG_TYPE_OFFSET);
        add(source, ours, "CMSG_LEN(0)", DatagramBatch.CMSG_DATA_OFFSET);
        add(source, ours, "AF_INET", DatagramBatch.AF_INET);
        add(source, ours, "AF_INET6", DatagramBatch.AF_INET6);
        add(source, ours, "IP_TOS", DatagramBatch.IP_TOS);
        add(source, ours, "IP_TTL", DatagramBatch.IP_TTL);
        add(source, ours, "IPV6_HOPLIMIT", DatagramBatch.IPV6_HOPLIMIT);
        add(source, ours, "IPV6_TCLASS", DatagramBatch.IPV6_TCLASS);
        add(source, ours, "MSG_TRUNC", DatagramBatch.MSG_TRUNC);
        assertThat(Gcc.print(folder, source.append("    return 0;\n}\n").toString())).isEqualTo(ours);
    }

    private static void add(final StringBuilder source, final List<String> ours, final String expression,
            final int value) {
        source.append("    printf(\"").append(expression).append(" %d\\n\", (int) (").append(expression)
            .append("));\n");
        ours.add(expression + " " + value);
    }

    private Fd socket(final int address) {
        final Fd fd = DatagramCalls.open(false);
        DatagramCalls.set(fd.fd(), DatagramOption.IP_RECVTOS, 1);
        DatagramCalls.set(fd.fd(), DatagramOption.IP_RECVTTL, 1);
        out.toIpv4(0, address, PORT);
        DatagramCalls.bind(fd.fd(), out);
        return fd;
    }

    private void fill(final int index, final int to, final int length) {
        for (int i = 0; i < length; i++) {
            sent.putByte(index * ROOM + i, (byte) (index + i));
        }
        out.data(index, sent.addressOffset() + index * ROOM, length);
        out.toIpv4(index, to, PORT);
        out.header(index, 0, 0);
        in.data(index, came.addressOffset() + index * ROOM, ROOM / 2);
    }

    @Test
    void severalMessagesGoAndComeWithTheirHeaders() {
        try (Fd from = socket(FIRST); Fd to = socket(SECOND)) {
            for (int i = 0; i < 4; i++) {
                fill(i, SECOND, 8 + i);
            }
            fill(3, SECOND, ROOM);
            out.header(1, MARKED, HOPS);
            assertThat(DatagramCalls.send(from.fd(), out, 0, 4)).isEqualTo(4);
            in.prepare(4);
            assertThat(DatagramCalls.receive(to.fd(), in, 4)).isEqualTo(4);
            for (int i = 0; i < 3; i++) {
                assertThat(in.length(i)).isEqualTo(8 + i);
                assertThat(in.isCutOff(i)).isFalse();
                assertThat(in.sourceIpv4(i)).isEqualTo(FIRST);
                assertThat(in.sourcePort(i)).isEqualTo(PORT);
                in.readHeader(i);
                assertThat(in.trafficClass()).isEqualTo(i == 1 ? MARKED : 0);
                assertThat(in.hopLimit()).isEqualTo(i == 1 ? HOPS : 64);
                assertThat(in.flowLabel()).isZero();
                assertThat(came.getByte(i * ROOM + 7)).isEqualTo((byte) (i + 7));
            }
            assertThat(in.isCutOff(3)).isTrue();
            in.prepare(4);
            assertThat(DatagramCalls.receive(to.fd(), in, 4)).isEqualTo(-RdmaException.EAGAIN);
        }
    }

    /** What can go goes; the reason why the next one cannot is told when it is the first. */
    @Test
    void aMessageThatCannotGoStopsThoseBehindIt() {
        try (Fd from = socket(FIRST)) {
            fill(0, SECOND, 8);
            fill(1, 0xffff_ffff, 8);
            fill(2, SECOND, 8);
            assertThat(DatagramCalls.send(from.fd(), out, 0, 3)).isEqualTo(1);
            assertThat(DatagramCalls.send(from.fd(), out, 1, 2)).isEqualTo(-RdmaException.EACCES);
            assertThat(DatagramCalls.send(from.fd(), out, 2, 1)).isEqualTo(1);
        }
    }

    @Test
    void failuresSayWhy() {
        try (Fd first = socket(FIRST); Fd second = DatagramCalls.open(false)) {
            assertThat(first.isOpen()).isTrue();
            out.toIpv4(0, FIRST, PORT);
            assertFails("bind", "EADDRINUSE", () -> DatagramCalls.bind(second.fd(), out));
            out.toIpv4(0, 0x0808_0808, PORT);
            assertFails("bind", "EADDRNOTAVAIL", () -> DatagramCalls.bind(second.fd(), out));
            assertFails("setsockopt", "ENOPROTOOPT",
                () -> DatagramCalls.set(second.fd(), DatagramOption.IPV6_RECVHOPLIMIT, 1));
        }
        assertFails("bind", "EBADF", () -> DatagramCalls.bind(-1, out));
        assertFails("setsockopt", "EBADF", () -> DatagramCalls.set(-1, DatagramOption.SO_RCVBUF, 1));
        assertFails("datagram batch", "EINVAL", () -> new DatagramBatch(0));
        assertFails("datagram batch", "EINVAL", () -> new DatagramBatch(1 << 20));
        assertFails("datagram batch", "EINVAL", () -> DatagramCalls.send(0, out, 3, 2));
        assertFails("datagram batch", "EINVAL", () -> DatagramCalls.receive(0, in, 5));
        assertThat(DatagramCalls.send(1 << 29, out, 0, 1)).isEqualTo(-Errno.EBADF);
    }
}
