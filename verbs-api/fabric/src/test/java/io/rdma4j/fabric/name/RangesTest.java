/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RangesTest {
    private static int errno(final Runnable work) {
        return assertThrows(FabricException.class, work::run).errno();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.1.1, 2, 10.1.1.2", "10.1.1.255, 2, 10.1.2.0", "10.255.255.255, 2, 11.0.0.0",
        "255.255.255.254, 2, 255.255.255.255", "0.0.0.0, 257, 0.0.1.0", "fe80::ff, 2, fe80::100",
        "fe80::ffff, 2, fe80::1:0", "fe80::ffff:ffff:ffff:ffff, 2, fe80:0:0:1::",
        "::ffff:10.0.0.255, 2, ::ffff:10.0.1.0", "fe80::1%2, 2, fe80::2%2", "fe80::1%2, 1, fe80::1%2",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe, 2, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "host09, 2, host10", "host99, 2, host100", "h007, 1, h007", "h007, 4, h010", "host10, 2, host11",
        "9, 2, 10", "a1b099, 2, a1b100", "rack2-node009, 3, rack2-node011", "localhost, 1, localhost",
        "node99999999999999999999, 2, node100000000000000000000"})
    void lastNode(final String first, final int count, final String last) {
        assertEquals(last, NodeRange.of(first, count).node(count - 1));
    }

    @Test
    void aScopeMayBeTheNameOfAnInterface() throws SocketException {
        final NetworkInterface any = NetworkInterface.networkInterfaces().findFirst().orElseThrow();
        assertEquals("fe80::2%" + any.getIndex(), NodeRange.of("fe80::1%" + any.getName(), 2).node(1));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NodeRange.of("fe80::1%nobody", 2)));
    }

    @ParameterizedTest
    @CsvSource({
        "255.255.255.255, 2", "255.255.255.0, 257", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 2", "localhost, 2",
        "host1x, 2", "10.1.1.1, -1", "256.1.1.1, 1", "fe80:::1, 1", "'', 1", "' ', 1", "host1.example.com, 2"})
    void badNodes(final String first, final int count) {
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NodeRange.of(first, count)));
    }

    @Test
    void misuseOfNodes() {
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NodeRange.of(null, 1)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NodeRange.of("h".repeat(254), 1)));
        final NodeRange range = NodeRange.of("host1", 2);
        assertEquals(FiErrno.FI_EINVAL, errno(() -> range.node(2)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> range.node(-1)));
        assertEquals(0, NodeRange.of("localhost", 0).count());
        assertEquals(Integer.MAX_VALUE, NodeRange.of("0.0.0.0", Integer.MAX_VALUE).count());
    }

    @Test
    void servicesCountUp() {
        assertEquals(5001, ServiceRange.of("5000", 2).number(1));
        assertEquals(65535, ServiceRange.of("1", 65535).number(65534));
        final ServiceRange pairs = ServiceRange.of("qpn:0x11/0x1ee7", 3);
        assertTrue(pairs.isQueuePairs());
        assertEquals(19, pairs.number(2));
        assertEquals(0x1ee7, pairs.qkey());
        assertEquals(17, ServiceRange.of("qpn:017", 1).number(0));
        assertEquals(0, ServiceRange.of("qpn:0", 1).number(0));
        assertEquals(100, ServiceRange.of("qpn:1/0100", 1).qkey());
        assertEquals(-1, ServiceRange.of("qpn:1/0xffffffff", 1).qkey());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "65536, 1", "65535, 2", "1, 65536", "5000, -1", "'', 1", "qpn:16777216, 1", "qpn:16777215, 2",
        "qpn:1/4294967296, 1", "qpn:1/0x100000000, 1", "9999999999, 1"})
    void badServices(final String first, final int count) {
        assertEquals(FiErrno.FI_EINVAL, errno(() -> ServiceRange.of(first, count)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-service-here", "-1", "qpn:", "qpn:x", "70 00", "#"})
    void servicesThatNobodyKnows(final String first) {
        assertEquals(FiErrno.FI_ENODATA, errno(() -> ServiceRange.of(first, 1)));
    }

    @Test
    void namesOfServices(@TempDir final Path folder) throws IOException {
        final Path file = folder.resolve("services");
        Files.writeString(file, "# none 1/tcp\nboth\t7/udp\nboth 8/tcp alias # later\nudp 9/udp u2\nbad x/tcp\n\nw");
        final ServiceNames names = new ServiceNames(file);
        assertEquals(8, ServiceRange.of("both", 1, names).number(0));
        assertEquals(9, ServiceRange.of("alias", 2, names).number(1));
        assertEquals(9, ServiceRange.of("u2", 1, names).number(0));
        for (final String name : List.of("none", "later", "bad", "w", "8/tcp", "#")) {
            assertEquals(FiErrno.FI_ENODATA, errno(() -> ServiceRange.of(name, 1, names)), name);
        }
        assertEquals(FiErrno.FI_ENODATA, errno(() -> new ServiceNames(folder.resolve("gone")).number("both")));
    }

    @Test
    void allServicesOfANodeGoFirst() {
        final SymmetricRange range = SymmetricRange.of("10.1.1.1", 2, "5000", 2);
        assertEquals(List.of("10.1.1.1:5000", "10.1.1.1:5001", "10.1.1.2:5000", "10.1.1.2:5001"),
            IntStream.range(0, range.size())
                .mapToObj(i -> range.nodes().node(i / 2) + ":" + range.services().number(i % 2))
                .collect(Collectors.toList()));
        assertEquals(0, SymmetricRange.of("10.1.1.1", 0, "5000", 2).size());
        assertEquals(FiErrno.FI_EINVAL, errno(() -> SymmetricRange.of("10.1.1.1", 100_000, "1", 65535)));
    }
}
