/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import static io.rdma4j.fabric.name.TestNames.device;
import static io.rdma4j.fabric.name.TestNames.errno;
import static io.rdma4j.fabric.name.TestNames.socket;
import static io.rdma4j.fabric.testing.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.Gid;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NameServiceTest {
    private final NameResolver resolver = new NameResolver(AddressFormat.SOCKADDR_IN, EndpointType.RDM);
    private final List<String> before = new ArrayList<>();
    /** Of its own: of services in one folder, one at a time begins. */
    @TempDir
    private Path folder;
    private NameSettings settings;

    @BeforeEach
    void ownPort() {
        for (final String name : names()) {
            before.add(System.getProperty(name));
        }
        System.setProperty(NameSettings.PORT, Integer.toString(TestNames.freePort()));
        System.setProperty(NameSettings.ADDRESS, "127.0.0.1,127.0.0.2,127.0.0.3,::1");
        System.setProperty(NameSettings.GRACE, "0");
        System.setProperty(NameSocket.FOLDER, folder.resolve("names").toString());
        settings = NameSettings.now();
    }

    @AfterEach
    void asBefore() throws IOException {
        Files.deleteIfExists(NameSocket.find(settings.port()).getPath());
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i) == null) {
                System.clearProperty(names()[i]);
            } else {
                System.setProperty(names()[i], before.get(i));
            }
        }
        until("no registration is left behind", () -> !NameServer.agent(settings).isRunning());
    }

    private static String[] names() {
        return new String[] {NameSettings.PORT, NameSettings.ADDRESS, NameSettings.GRACE, NameSettings.TIMEOUT,
            NameSocket.FOLDER};
    }

    @Test
    void whatIsRegisteredIsFoundUntilItIsClosed() {
        final Registration one = NameServer.register(device(17), "7000");
        assertEquals(7000, one.service());
        assertEquals(device(17), resolver.toDevice(socket("127.0.0.1", 7000)));
        assertEquals(device(17), resolver.toDevice(socket("127.0.0.2", 7000)));
        assertEquals(device(17), resolver.toDevice(FabricAddress.text("fi_sockaddr_in://127.0.0.1:7000")));
        assertEquals(device(17), resolver.toDevice(one.address(AddressFormat.SOCKADDR_IN)));
        assertEquals(device(17), resolver.toDevice(one.address(AddressFormat.SOCKADDR_IN6)));
        assertEquals(device(17), resolver.toDevice(one.address(AddressFormat.STR)));
        assertEquals(device(17), one.address(AddressFormat.DEVICE));
        assertEquals(FiErrno.FI_ENODATA, errno(() -> resolver.toDevice(socket("127.0.0.1", 7001))));
        one.close();
        one.close();
        until("the agent listens no more", () -> !NameServer.agent(settings).isRunning());
        assertEquals(FiErrno.FI_ECONNREFUSED, errno(() -> resolver.toDevice(socket("127.0.0.1", 7000))));
    }

    @Test
    void aServiceIsHadOnceAndFreeOnesAreChosen() {
        final Registration one = NameServer.register(device(1), "7000");
        assertEquals(FiErrno.FI_EADDRINUSE, errno(() -> NameServer.register(device(2), "7000")));
        final Registration two = NameServer.register(device(2), null);
        final Registration three = NameServer.register(device(3), null);
        assertNotEquals(two.service(), three.service());
        one.close();
        final Registration again = NameServer.register(device(4), "7000");
        one.close();
        assertEquals(device(4), resolver.toDevice(socket("127.0.0.1", 7000)));
        for (final Registration each : List.of(two, three, again)) {
            each.close();
        }
    }

    @Test
    void misuse() {
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NameServer.register(null, "7000")));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NameServer.register(socket("127.0.0.1", 1), "7000")));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NameServer.register(device(1), "0")));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NameServer.register(device(1), "qpn:1")));
        assertEquals(FiErrno.FI_ENODATA, errno(() -> NameServer.register(device(1), "no-such-service")));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> resolver.toDevice((FabricAddress) null)));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> resolver.toDevice(socket("127.0.0.1", 0))));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> resolver.toDevice(socket("0.0.0.0", 7))));
        System.setProperty(NameSettings.PORT, "0");
        assertEquals(FiErrno.FI_EINVAL, errno(NameSettings::now));
        System.setProperty(NameSettings.PORT, "1");
        System.setProperty(NameSettings.ADDRESS, "localhost");
        assertEquals(FiErrno.FI_EINVAL, errno(NameSettings::now));
    }

    @Test
    void manyAreAskedForAtOnceAndBadOnesHarmNoOthers() {
        final List<Registration> all = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            all.add(NameServer.register(device(i), Integer.toString(10_000 + i)));
        }
        final List<FabricAddress> asked = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            asked.add(socket("127.0.0." + (1 + i % 3), 10_000 + i));
        }
        asked.set(5, null);
        asked.set(6, socket("127.0.0.1", 9));
        asked.set(7, device(7));
        asked.set(8, FabricAddress.device(Gid.ZERO, 8, 0, EndpointType.MSG));
        final List<Resolution> found = resolver.toDevice(asked);
        for (int i = 0; i < 600; i++) {
            if (i == 5 || i == 6 || i == 8) {
                assertNull(found.get(i).device());
                assertEquals(i == 6 ? FiErrno.FI_ENODATA : FiErrno.FI_EINVAL, found.get(i).failure().errno());
            } else {
                assertEquals(device(i), found.get(i).device(), "address " + i);
                assertEquals(asked.get(i), found.get(i).inserted());
                assertNull(found.get(i).failure());
            }
        }
        all.forEach(Registration::close);
    }

    /** Scopes that there are not: whom it failed to ask is in the message. */
    @Test
    void linkLocalAddressesOfSeveralScopesAreSeveralNodes() {
        assumeTrue(Files.exists(Path.of("/proc/net/if_inet6")), "this machine has no IPv6");
        final List<Resolution> found = resolver.toDevice(
            List.of(socket("[fe80::1%2147483645]", 7000), socket("[fe80::1%2147483646]", 7000)));
        assertTrue(found.get(0).failure().getMessage().contains("%2147483645"), found.get(0).failure()::getMessage);
        assertTrue(found.get(1).failure().getMessage().contains("%2147483646"), found.get(1).failure()::getMessage);
    }

    /** A range and a setting say of which link they are. */
    @Test
    void linkLocalAddressesKeepTheirScope() {
        final InetAddress found = new Hosts(InetAddress::getAllByName)
            .find("fe80::1%2", AddressFormat.SOCKADDR_IN6, System.nanoTime());
        assertEquals("fe80:0:0:0:0:0:0:1%2", found.getHostAddress());
        System.setProperty(NameSettings.ADDRESS, "127.0.0.1,fe80::1%2");
        final NameSettings linked = NameSettings.now();
        assertTrue(linked.isHere(found));
        assertFalse(linked.isHere(NodeRange.literal("fe80::1%3")));
        assertTrue(linked.isHere(NodeRange.literal("fe80::1")));
        final Registration one = new NodeRegistration(new NameAgent(linked), 7000, device(1));
        assertEquals("fi_sockaddr_in6://[fe80::1%2]:7000", one.address(AddressFormat.SOCKADDR_IN6).toString());
        assertEquals(FiErrno.FI_EINVAL, errno(() -> new NameResolver(AddressFormat.DEVICE, EndpointType.DGRAM)
            .symmetric(SymmetricRange.of("fe80::1%2", 1, "qpn:17", 1), 0, 1)));
    }

    @Test
    void servicesByName() {
        final Registration one = NameServer.register(device(17), "7000");
        final NameResolver plain = new NameResolver(AddressFormat.DEVICE, EndpointType.RDM);
        final NameResolver text = new NameResolver(AddressFormat.STR, EndpointType.RDM);
        final NameResolver in6 = new NameResolver(AddressFormat.SOCKADDR_IN6, EndpointType.RDM);
        assertEquals(socket("127.0.0.1", 7000), resolver.service("127.0.0.1", "7000").inserted());
        assertEquals(device(17), resolver.service("localhost", "7000").device());
        assertEquals(device(17), plain.service("127.0.0.1", "7000").inserted());
        assertEquals("fi_sockaddr_in://127.0.0.1:7000", text.service("127.0.0.1", "7000").inserted().toString());
        assertEquals("fi_sockaddr_in6://[::ffff:127.0.0.1]:7000",
            in6.service("127.0.0.1", "7000").inserted().toString());
        assertEquals(device(17), text.service("fi_sockaddr_in://127.0.0.1:7000", null).device());
        assertEquals(FiErrno.FI_EINVAL, resolver.service("fi_sockaddr_in://127.0.0.1:7000", "7000").failure().errno());
        assertEquals(FiErrno.FI_EINVAL, resolver.service("fi_sockaddr_in6://[::1]:7000", null).failure().errno());
        assertEquals(FiErrno.FI_EINVAL, resolver.service(null, "7000").failure().errno());
        assertEquals(FiErrno.FI_EINVAL, resolver.service("127.0.0.1", null).failure().errno());
        assertEquals(FiErrno.FI_EADDRNOTAVAIL, resolver.service("::1", "7000").failure().errno());
        assertEquals(FiErrno.FI_EINVAL, new NameResolver(AddressFormat.DEVICE, EndpointType.DGRAM)
            .service("127.0.0.1", "7000").failure().errno());
        one.close();
    }

    @Test
    void rangesOfNodesAndServices() {
        final Registration one = NameServer.register(device(1), "7000");
        final Registration two = NameServer.register(device(2), "7001");
        final SymmetricRange range = SymmetricRange.of("127.0.0.1", 4, "7000", 3);
        final List<Resolution> found = resolver.symmetric(range, 0, range.size());
        for (int i = 0; i < 12; i++) {
            assertEquals(socket("127.0.0." + (1 + i / 3), 7000 + i % 3), found.get(i).inserted());
            assertEquals(i % 3 == 2 ? null : device(1 + i % 3), found.get(i).device(), "address " + i);
        }
        assertEquals(FiErrno.FI_ENODATA, found.get(2).failure().errno());
        assertEquals(found.subList(1, 5).stream().map(Resolution::inserted).collect(Collectors.toList()),
            resolver.symmetric(range, 1, 4).stream().map(Resolution::inserted).collect(Collectors.toList()));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> resolver.symmetric(range, 10, 3)));
        one.close();
        two.close();
        // The last one takes the service along.
        Await.until("nobody is there any more",
            () -> resolver.symmetric(range, 9, 1).get(0).failure().errno() == FiErrno.FI_ECONNREFUSED);
    }

    @Test
    void queuePairsAreCountedAndNobodyIsAsked() {
        final NameResolver plain = new NameResolver(AddressFormat.DEVICE, EndpointType.DGRAM);
        final List<Resolution> found = plain.symmetric(SymmetricRange.of("fe80::ff", 2, "qpn:17/0x1ee7", 2), 0, 4);
        assertEquals(FabricAddress.device(Gid.parse("fe80::100"), 18, 0x1ee7, EndpointType.DGRAM),
            found.get(3).device());
        assertEquals(found.get(3).device(), found.get(3).inserted());
        assertEquals(FiErrno.FI_EINVAL, plain.service("localhost", "qpn:17").failure().errno());
        assertEquals(FiErrno.FI_EINVAL, resolver.service("fe80::1", "qpn:17").failure().errno());
    }

    @Test
    void hostsThatNobodyKnowsAndHostsThatTakeTooLong() {
        final CountDownLatch never = new CountDownLatch(1);
        final NameResolver asks = new NameResolver(AddressFormat.SOCKADDR_IN, EndpointType.RDM, name -> {
            if (name.equals("slow1")) {
                try {
                    never.await();
                } catch (final InterruptedException e) {
                    throw new UnknownHostException("interrupted");
                }
            } else if (name.equals("slow2")) {
                return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            }
            throw new UnknownHostException(name);
        });
        final Registration one = NameServer.register(device(1), "7000");
        // On a busy machine the others may take too long as well; then all get more time.
        final List<Resolution> found = Patience.cutOff(time -> {
            System.setProperty(NameSettings.TIMEOUT, Long.toString(time.toMillis()));
            return asks.symmetric(SymmetricRange.of("slow0", 3, "7000", 1), 0, 3);
        }, all -> countLate(all) == 1);
        assertEquals(FiErrno.FI_ENODATA, found.get(0).failure().errno());
        assertEquals(FiErrno.FI_ETIMEDOUT, found.get(1).failure().errno());
        assertEquals(device(1), found.get(2).device());
        never.countDown();
        one.close();
    }

    private static long countLate(final List<Resolution> found) {
        return found.stream().filter(one -> one.failure() != null
            && one.failure().errno() == FiErrno.FI_ETIMEDOUT).count();
    }

    @Test
    void aServerThatSaysNothingOrNonsense() throws IOException {
        System.setProperty(NameSettings.TIMEOUT, "300");
        try (ServerSocketChannel silent = NameSocket.serve(settings.port()).channel()) {
            assertEquals(FiErrno.FI_ETIMEDOUT, errno(() -> resolver.toDevice(socket("127.0.0.1", 7000))));
            final Thread babbler = new Thread(() -> {
                while (silent.isOpen()) {
                    try (SocketChannel accepted = silent.accept()) {
                        accepted.write(ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes()));
                        accepted.read(ByteBuffer.allocate(1024));
                    } catch (final IOException e) {
                        // It went, or the test is over.
                        Thread.onSpinWait();
                    }
                }
            });
            babbler.setDaemon(true);
            babbler.start();
            System.setProperty(NameSettings.TIMEOUT, "20000");
            assertEquals(FiErrno.FI_EPROTO, errno(() -> resolver.toDevice(socket("127.0.0.1", 7000))));
            System.setProperty(NameSettings.TIMEOUT, "300");
            assertEquals(FiErrno.FI_ETIMEDOUT, errno(() -> NameServer.register(device(1), "7000")));
        }
        until("the agent has ended", () -> !NameServer.agent(settings).isRunning());
    }

    @Test
    void anInterruptedThreadIsTold() throws IOException {
        try (ServerSocketChannel silent = NameSocket.serve(settings.port()).channel()) {
            assertTrue(silent.isOpen());
            Thread.currentThread().interrupt();
            assertEquals(FiErrno.FI_EINTR, errno(() -> resolver.toDevice(socket("127.0.0.1", 7000))));
            assertEquals(FiErrno.FI_EINTR, errno(() -> NameServer.register(device(1), "7000")));
            assertTrue(Thread.interrupted());
        } finally {
            Thread.interrupted();
        }
        until("the agent has ended", () -> !NameServer.agent(settings).isRunning());
    }

    @Test
    void closingGoesOnWhereTheThreadIsInterrupted() {
        final Registration one = NameServer.register(device(17), "7000");
        System.setProperty(NameSettings.TIMEOUT, "soon");
        Thread.currentThread().interrupt();
        one.close();
        assertTrue(Thread.interrupted());
        System.clearProperty(NameSettings.TIMEOUT);
        NameServer.register(device(18), "7000").close();
    }

    @Test
    void aBadTimeoutRegistersNothing() {
        System.setProperty(NameSettings.TIMEOUT, "soon");
        assertEquals(FiErrno.FI_EINVAL, errno(() -> NameServer.register(device(17), "7000")));
        System.clearProperty(NameSettings.TIMEOUT);
        NameServer.register(device(18), "7000").close();
    }

    @Test
    void anErrorIsToldAndHarmsNobodyElse() {
        final AtomicBoolean broken = new AtomicBoolean(true);
        final List<InetAddress> listen = new AbstractList<>() {
            @Override
            public InetAddress get(final int index) {
                if (broken.get()) {
                    throw new OutOfMemoryError("pretended");
                }
                return settings.listen().get(index);
            }

            @Override
            public int size() {
                return settings.listen().size();
            }
        };
        final NameAgent agent = new NameAgent(new NameSettings(listen, settings.port()));
        assertEquals(FiErrno.FI_EIO, errno(() -> agent.register(7000, device(1))));
        broken.set(false);
        final Registration one = agent.register(7000, device(1));
        assertEquals(device(1), resolver.toDevice(socket("127.0.0.1", 7000)));
        one.close();
        until("the agent has ended", () -> !agent.isRunning());
    }

    @Test
    void addressesAreOfAFamilyThatIsListenedAt() {
        System.setProperty(NameSettings.ADDRESS, "::1");
        settings = NameSettings.now();
        final Registration one = NameServer.register(device(1), "7000");
        assertEquals(FiErrno.FI_EADDRNOTAVAIL, errno(() -> one.address(AddressFormat.SOCKADDR_IN)));
        assertEquals(AddressFormat.SOCKADDR_IN6, one.address(AddressFormat.SOCKADDR_IN6).format());
        one.close();
    }

    @Test
    void partsOfACallHaveOneDeadline() {
        final long past = System.nanoTime() - 1;
        final List<FabricAddress> asked = List.of(socket("127.0.0.1", 7000), device(7), socket("127.0.0.2", 7000));
        final List<Resolution> found = resolver.toDevice(asked, past);
        assertNotNull(found.get(0).failure());
        assertEquals(device(7), found.get(1).device());
        assertNotNull(found.get(2).failure());
    }

    /** Two agents of one process are to each other as those of two processes. */
    @Test
    void whenTheServerEndsAnotherOneServesAndAllRegisterAgain() {
        final NameAgent first = new NameAgent(settings);
        final NameAgent second = new NameAgent(settings);
        final NameAgent third = new NameAgent(settings);
        final NodeRegistration one = first.register(7001, device(1));
        final NodeRegistration two = second.register(7002, device(2));
        final NodeRegistration three = third.register(7003, device(3));
        assertTrue(first.isServer());
        assertFalse(second.isServer());
        assertEquals(FiErrno.FI_EADDRINUSE, errno(() -> second.register(7001, device(9))));
        assertEquals(device(2), resolver.toDevice(socket("127.0.0.1", 7002)));
        System.setProperty(NameSettings.GRACE, "10000");
        one.close();
        assertEquals(device(2), resolver.toDevice(socket("127.0.0.1", 7002)));
        assertEquals(device(3), resolver.toDevice(socket("127.0.0.1", 7003)));
        assertTrue(second.isServer() != third.isServer());
        System.setProperty(NameSettings.GRACE, "0");
        assertEquals(FiErrno.FI_ENODATA, errno(() -> resolver.toDevice(socket("127.0.0.1", 7001))));
        two.close();
        System.setProperty(NameSettings.GRACE, "10000");
        assertEquals(device(3), resolver.toDevice(socket("127.0.0.1", 7003)));
        three.close();
        until("the first agent has ended", () -> !first.isRunning());
        until("all agents have ended", () -> !second.isRunning() && !third.isRunning());
    }

    /** What living endpoints have is not given out again, though the new server does not know of them yet. */
    @Test
    void eachServerBeginsElsewhereWithServicesOfItsChoice() {
        final long places = IntStream.range(0, 8).map(any -> new NameTable().add(this, 0, device(1)))
            .peek(one -> assertTrue(one >= 49_152 && one <= 65_535, () -> "service " + one)).distinct().count();
        assertTrue(places > 1, "all begin at the same one");
    }

    /** A process that cannot serve, so that another one does, and has its service, before it is there again. */
    @Test
    void aServiceThatAnotherEndpointHadMeanwhileIsTakenBackAsSoonAsItIsFree() {
        final List<InetAddress> nowhere = new AbstractList<>() {
            @Override
            public InetAddress get(final int index) {
                throw new IllegalStateException("pretended");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        final NameAgent first = new NameAgent(settings);
        final NameAgent second = new NameAgent(new NameSettings(nowhere, settings.port()));
        final NameAgent third = new NameAgent(settings);
        final NodeRegistration one = first.register(7001, device(1));
        final NodeRegistration two = second.register(7002, device(2));
        // Who has something registered is not dropped for its silence.
        final NodeRegistration other = second.register(7004, device(2));
        one.close();
        until("the first agent has ended", () -> !first.isRunning());
        final NodeRegistration taken;
        final NodeRegistration three;
        try (Refusals refusals = new Refusals()) {
            taken = third.register(7002, device(3));
            three = third.register(7003, device(3));
            until("the second one was refused", () -> refusals.seen);
        }
        assertTrue(third.isServer());
        assertEquals(device(3), resolver.toDevice(socket("127.0.0.1", 7002)));
        taken.close();
        until("the second one has its service again", () ->
            device(2).equals(resolver.service("127.0.0.1", "7002").device()));
        two.close();
        assertEquals(FiErrno.FI_ENODATA, errno(() -> resolver.toDevice(socket("127.0.0.1", 7002))));
        other.close();
        three.close();
        until("all agents have ended", () -> !second.isRunning() && !third.isRunning());
    }

    /** What an agent logs when a new server does not take what it had. */
    private static final class Refusals extends Handler implements AutoCloseable {
        private final Logger logger = Logger.getLogger(NameAgent.class.getName());
        private volatile boolean seen;

        Refusals() {
            logger.addHandler(this);
        }

        @Override
        public void publish(final LogRecord line) {
            seen |= line.getMessage().contains("is not told to others");
        }

        @Override
        public void flush() {
            // Nothing is kept.
        }

        @Override
        public void close() {
            logger.removeHandler(this);
        }
    }

    @Test
    void aMemberThatGoesTakesItsServicesAlong() {
        final NameAgent first = new NameAgent(settings);
        final NameAgent second = new NameAgent(settings);
        final NodeRegistration one = first.register(7001, device(1));
        final NodeRegistration two = second.register(0, device(2));
        two.close();
        assertEquals(FiErrno.FI_ENODATA, errno(() -> resolver.toDevice(socket("127.0.0.1", two.service()))));
        assertEquals(device(1), resolver.toDevice(socket("127.0.0.1", 7001)));
        one.close();
        until("agents have ended", () -> !first.isRunning() && !second.isRunning());
    }

    @Test
    void garbageHarmsNobody() throws IOException {
        final Registration one = NameServer.register(device(1), "7000");
        final Random random = new Random(3);
        final int rounds = TestBudget.rounds(60, 300);
        for (int i = 0; i < rounds; i++) {
            final byte[] garbage = new byte[1 + random.nextInt(700)];
            random.nextBytes(garbage);
            if (i % 2 == 0) {
                ByteBuffer.wrap(garbage).putShort((short) garbage.length);
                if (garbage.length > 4) {
                    garbage[2] = NameFrame.VERSION;
                    garbage[3] = (byte) (1 + i % 4);
                }
            }
            try (SocketChannel socket = connect()) {
                socket.write(ByteBuffer.wrap(garbage));
            }
        }
        assertEquals(device(1), resolver.toDevice(socket("127.0.0.1", 7000)));
        one.close();
    }

    /** As a process of this user does. */
    private SocketChannel connect() throws IOException {
        return SocketChannel.open(NameSocket.find(settings.port()));
    }

    private static byte[] ask(final SocketChannel socket, final byte[] request) throws IOException {
        socket.write(ByteBuffer.wrap(request));
        final InputStream in = Channels.newInputStream(socket);
        final byte[] head = in.readNBytes(2);
        return head.length < 2 ? head : in.readNBytes((ByteBuffer.wrap(head).getShort() & 0xffff) - 2);
    }

    @Test
    void wrongVersionsAreToldSoAndDropped() throws IOException {
        final Registration one = NameServer.register(device(1), "7000");
        final byte[] request = new byte[10];
        ByteBuffer.wrap(request).putShort((short) 10).put((byte) 2).put((byte) 1);
        try (SocketChannel socket = connect()) {
            final byte[] reply = ask(socket, request);
            assertEquals(NameFrame.REFUSED, reply[1] & 0xff);
            assertEquals(FiErrno.FI_EOPNOTSUPP, ByteBuffer.wrap(reply).getShort(6));
            assertEquals(-1, socket.read(ByteBuffer.allocate(1)));
        }
        one.close();
    }

    @Test
    void requestsInOnePieceAndByteByByte() throws IOException {
        final Registration one = NameServer.register(device(1), "7000");
        final byte[] query = new byte[12];
        NameFrame.query(5, new int[] {7000}, 0, 1).get(query);
        try (SocketChannel socket = connect()) {
            for (final byte each : query) {
                socket.write(ByteBuffer.wrap(new byte[] {each}));
            }
            assertEquals(42, ask(socket, new byte[0]).length);
            final byte[] three = Arrays.copyOf(query, 36);
            System.arraycopy(query, 0, three, 12, 12);
            System.arraycopy(query, 0, three, 24, 12);
            final byte[] first = ask(socket, three);
            assertEquals(42, first.length);
            assertEquals(42, ask(socket, new byte[0]).length);
            assertEquals(42, ask(socket, new byte[0]).length);
        }
        one.close();
    }

    @Test
    void silentClientsAreDroppedAndConnectionsAreBounded() throws IOException {
        final NameListener listener = NameListener.open(settings, TimeUnit.MILLISECONDS.toNanos(1));
        assertNotNull(listener);
        assertNull(NameListener.open(settings), "a second server has the socket");
        final List<SocketChannel> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                sockets.add(connect());
            }
            final long deadline = System.nanoTime() + Patience.nanos();
            for (final SocketChannel each : sockets) {
                each.configureBlocking(false);
                int read = 0;
                while (read == 0) {
                    assertTrue(System.nanoTime() < deadline, "a silent connection is not closed");
                    listener.work(1);
                    read = each.read(ByteBuffer.allocate(1));
                }
                assertEquals(-1, read);
            }
        } finally {
            for (final SocketChannel each : sockets) {
                each.close();
            }
            listener.close();
        }
    }
}
