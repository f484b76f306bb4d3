/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.testing.PersianDigits;
import io.rdma4j.verbs.Gid;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class FabricAddressTest {
    private static final HexFormat HEX = HexFormat.of();

    private static FabricAddress device() {
        return FabricAddress.device(Gid.parse("fe80::1"), 17, 0x1ee7, EndpointType.RDM);
    }

    private static int errno(final Runnable work) {
        return assertThrows(FabricException.class, work::run).errno();
    }

    private static FabricAddress changed(final FabricAddress from, final int index, final int value) {
        final byte[] bytes = from.bytes();
        bytes[index] = (byte) value;
        return FabricAddress.of(from.format(), bytes);
    }

    @ParameterizedTest
    @ExtendWith(PersianDigits.class)
    @ValueSource(strings = {
        "fi_sockaddr_in://127.0.0.1:7000", "fi_sockaddr_in://255.255.255.255:65535", "fi_sockaddr_in://0.0.0.0:0",
        "fi_sockaddr_in6://[::1]:7000", "fi_sockaddr_in6://[fe80::1%2]:7000", "fi_sockaddr_in6://[::ffff:10.0.0.1]:1",
        "fi_sockaddr_in6://[fe80::1%4294967295]:7000", "fi_rdma4j://[fe80::1]:17?qkey=0x1ee7&kind=rdm",
        "fi_rdma4j://[::ffff:10.0.0.1]:16777215?qkey=0xffffffff&kind=dgram", "fi_rdma4j://[::]:0?qkey=0x0&kind=msg"})
    void textIsReadAndPrintedAlike(final String text) {
        final FabricAddress address = FabricAddress.parse(text);
        assertEquals(text, address.toString());
        assertEquals(address, FabricAddress.parse(address.toString()));
        assertSame(address, address.decoded());
        assertEquals(address, FabricAddress.text(text).decoded());
        assertEquals(text, FabricAddress.text(text).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "fi_sockaddr://10.31.6.12:7471, fi_sockaddr_in://10.31.6.12:7471",
        "fi_sockaddr://[fe80::6:12]:7471, fi_sockaddr_in6://[fe80::6:12]:7471",
        "FI_SOCKADDR_IN://1.2.3.4:5, fi_sockaddr_in://1.2.3.4:5",
        "fi_sockaddr_in://1.2.3.4, fi_sockaddr_in://1.2.3.4:0",
        "fi_sockaddr_in://:7000, fi_sockaddr_in://0.0.0.0:7000",
        "fi_sockaddr_in6://:7000, fi_sockaddr_in6://[::]:7000",
        "fi_rdma4j://[FE80:0::1]:5?kind=RDM, fi_rdma4j://[fe80::1]:5?qkey=0x0&kind=rdm",
        "fi_rdma4j://[fe80::1]:5?kind=msg&qkey=0100, fi_rdma4j://[fe80::1]:5?qkey=0x64&kind=msg",
        "fi_rdma4j://[fe80::1]:5?kind=msg&qkey=08, fi_rdma4j://[fe80::1]:5?qkey=0x8&kind=msg",
        "fi_rdma4j://[fe80::1]:5?kind=msg&qkey=10, fi_rdma4j://[fe80::1]:5?qkey=0xa&kind=msg"})
    void otherFormsAreReadToo(final String text, final String plain) {
        assertEquals(plain, FabricAddress.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", " ", "127.0.0.1:7000", "fi_sockaddr_in", "fi_sockaddr_in://host:7000", "fi_sockaddr_in://1.2.3:4",
        "fi_sockaddr_in://1.2.3.4.5:6", "fi_sockaddr_in://1.2.3.256:4", "fi_sockaddr_in://01.2.3.4:5",
        "fi_sockaddr_in://1.2.3.4:65536", "fi_sockaddr_in://1.2.3.4:-1", "fi_sockaddr_in://1.2.3.4:7x",
        "fi_sockaddr_in://[::1]:7000", "fi_sockaddr_in6://1.2.3.4:5", "fi_sockaddr_in6://[1.2.3.4]:5",
        "fi_sockaddr_in6://[fe80::1::2]:5", "fi_sockaddr_in6://[fe80::1%nobody]:5", "fi_sockaddr_in6://[::1",
        "fi_sockaddr_in6://[fe80::1%4294967296]:5", "fi_sockaddr_in6://[:::]:5", "fi_sockaddr_in://1.2.3.4:5?qos=3",
        "fi_sockaddr_ib://[::1]:5", "fi_rdma4j://[fe80::1]:17?qkey=0x1", "fi_rdma4j://[fe80::1]:17?kind=any",
        "fi_rdma4j://[fe80::1]?kind=rdm", "fi_rdma4j://[fe80::1]:16777216?kind=rdm", "fi_rdma4j://1.2.3.4:1?kind=rdm",
        "fi_rdma4j://[fe80::1]:1?kind=rdm&kind=rdm", "fi_rdma4j://[fe80::1]:1?kind=rdm&x=1",
        "fi_rdma4j://[fe80::1]:1?kind=rdm&qkey=0x100000000", "fi_rdma4j://[fe80::1]:1?kind=rdm&qkey=-1",
        "fi_rdma4j://[fe80::1]:1?kind=rdm&qkey=-0", "fi_rdma4j://[fe80::1]:1?kind=rdm&qkey=#10",
        "fi_rdma4j://[fe80::1]:1?kind=rdm&", "fi_rdma4j://[fe80::1%1]:1?kind=rdm"})
    void nonsenseIsRefused(final String text) {
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.parse(text)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.text(text).decoded()));
        assertEquals(text, FabricAddress.text(text).toString());
    }

    /** As most programs write it; the structure has the number. */
    @Test
    void theScopeMayBeTheNameOfAnInterface() throws SocketException {
        final NetworkInterface any = NetworkInterface.networkInterfaces().findFirst().orElseThrow();
        assertEquals("fi_sockaddr_in6://[fe80::1%" + any.getIndex() + "]:7000",
            FabricAddress.parse("fi_sockaddr_in6://[fe80::1%" + any.getName() + "]:7000").toString());
        final FabricException e = assertThrows(FabricException.class,
            () -> FabricAddress.parse("fi_sockaddr_in6://[fe80::1%nobody]:7000"));
        assertTrue(e.getMessage().contains("no interface nobody"), e.getMessage());
        assertEquals(FiErrno.FI_EINVAL,
            errno(() -> FabricAddress.parse("fi_rdma4j://[fe80::1%" + any.getName() + "]:1?kind=rdm")));
    }

    @Test
    void veryLongTextIsRefusedShortly() {
        final String text = "fi_sockaddr_in://" + "1".repeat(1_000_000);
        final FabricException e = assertThrows(FabricException.class, () -> FabricAddress.parse(text));
        assertTrue(e.getMessage().length() < 2000, e.getMessage());
    }

    @Test
    void whatIsReadNeverFailsInAnotherWay() {
        final Random random = new Random(7);
        final String alphabet = "fi_sockadrn6:/[].%?&=0123456789xqkeyknd -\u00e9\u0000";
        for (int i = 0; i < 20_000; i++) {
            final StringBuilder text = new StringBuilder("fi_rdma4j://[fe80::1]:17?qkey=0x11&kind=rdm");
            for (int j = random.nextInt(4); j >= 0; j--) {
                text.setCharAt(random.nextInt(text.length()), alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                final FabricAddress address = FabricAddress.parse(text.toString());
                assertEquals(address, FabricAddress.parse(address.toString()), text.toString());
            } catch (final FabricException e) {
                assertEquals(FiErrno.FI_EINVAL, e.errno(), text.toString());
            }
        }
    }

    @Test
    void bytesAreThoseOfTheStructures() {
        final boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        assertEquals((little ? "0200" : "0002") + "1b587f0000010000000000000000",
            HEX.formatHex(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:7000").bytes()));
        assertEquals((little ? "0a00" : "000a") + "1b5800000000" + "fe800000000000000000000000000001"
            + (little ? "02000000" : "00000002"),
            HEX.formatHex(FabricAddress.parse("fi_sockaddr_in6://[fe80::1%2]:7000").bytes()));
        assertEquals("fe800000000000000000000000000001" + "11000000" + "e71e0000" + "0100" + "0300" + "00000000",
            HEX.formatHex(device().bytes()));
    }

    @Test
    void partsAreTold() {
        assertEquals(Gid.parse("fe80::1"), device().gid());
        assertEquals(17, device().qpn());
        assertEquals(0x1ee7, device().qkey());
        assertEquals(EndpointType.RDM, device().kind());
        assertEquals(17, FabricAddress.text(device().toString()).qpn());
        assertEquals(new InetSocketAddress("127.0.0.1", 7000),
            FabricAddress.text("fi_sockaddr_in://127.0.0.1:7000").socketAddress());
    }

    @Test
    void socketsGoBothWays() throws Exception {
        for (final String ip : new String[] {"10.1.2.3", "::1", "2001:db8::7"}) {
            final InetSocketAddress socket = new InetSocketAddress(InetAddress.getByName(ip), 4711);
            assertEquals(socket, FabricAddress.socket(socket).socketAddress());
        }
    }

    @Test
    void partsOfTheOtherKindAreRefused() {
        final FabricAddress socket = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:7000");
        assertEquals(FiErrno.FI_EINVAL, errno(socket::gid));
        assertEquals(FiErrno.FI_EINVAL, errno(socket::qpn));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> device().socketAddress()));
    }

    @ParameterizedTest
    @CsvSource({"24, 2", "24, 0", "26, 0", "26, 4", "19, 1", "31, 1"})
    void badDeviceAddressesAreRefusedAndPrinted(final int index, final int value) {
        final FabricAddress bad = changed(device(), index, value);
        assertEquals(FiErrno.FI_EINVAL, errno(bad::decoded));
        assertEquals(FiErrno.FI_EINVAL, errno(bad::gid));
        assertEquals("DEVICE[" + HEX.formatHex(bad.bytes()) + "]", bad.toString());
    }

    @Test
    void badSocketAddressesAreRefusedAndPrinted() {
        final FabricAddress in = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:7000");
        final FabricAddress in6 = FabricAddress.parse("fi_sockaddr_in6://[::1]:7000");
        for (final FabricAddress bad : new FabricAddress[] {
            changed(in, 0, 99), changed(in, 15, 1), changed(in6, 0, 99), changed(in6, 4, 1)}) {
            assertEquals(FiErrno.FI_EINVAL, errno(bad::decoded));
            assertTrue(bad.toString().startsWith("SOCKADDR_IN"), bad.toString());
        }
    }

    @Test
    void misuse() {
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.parse(null)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.text(null)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.socket(null)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.socket(InetSocketAddress.createUnresolved("a", 1))));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.of(AddressFormat.DEVICE, new byte[31])));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.of(null, new byte[32])));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> FabricAddress.device(Gid.ZERO, -1, 0, EndpointType.RDM)));
    }

    @Test
    void nobodyChangesAnAddress() {
        final FabricAddress address = device();
        address.bytes()[0] = 0;
        assertEquals(device(), address);
        assertArrayEquals(device().bytes(), address.bytes());
        assertNotEquals(device(), FabricAddress.text(device().toString()));
    }
}
