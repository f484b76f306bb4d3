/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import static io.rdma4j.fabric.name.TestNames.device;
import static io.rdma4j.fabric.name.TestNames.errno;
import static io.rdma4j.fabric.name.TestNames.socket;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whom the name service serves, and whom it does not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NameStrangersTest {
    private final NameResolver resolver = new NameResolver(AddressFormat.SOCKADDR_IN, EndpointType.RDM);
    private final List<String> before = new ArrayList<>();
    @TempDir
    private Path folder;
    private NameSettings settings;

    private static List<String> names() {
        return List.of(NameSettings.PORT, NameSettings.ADDRESS, NameSettings.GRACE, NameSocket.FOLDER);
    }

    @BeforeEach
    void ownService() {
        names().forEach(name -> before.add(System.getProperty(name)));
        System.setProperty(NameSettings.PORT, Integer.toString(TestNames.freePort()));
        System.setProperty(NameSettings.GRACE, "0");
        System.setProperty(NameSocket.FOLDER, folder.resolve("names").toString());
        System.clearProperty(NameSettings.ADDRESS);
        settings = NameSettings.now();
    }

    @AfterEach
    void asBefore() {
        awaitEnd();
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i) == null) {
                System.clearProperty(names().get(i));
            } else {
                System.setProperty(names().get(i), before.get(i));
            }
        }
    }

    private void awaitEnd() {
        Await.until("no registration is left behind", () -> !NameServer.agent(settings).isRunning());
    }

    /** A local socket refuses at once while its queue is full. */
    @Test
    void waitsWhereManyAskAtOnce() throws Exception {
        final UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("full"));
        final List<SocketChannel> others = new ArrayList<>();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address, 1);
            assertThrows(SocketException.class, () -> {
                while (true) {
                    final SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX);
                    others.add(other);
                    other.configureBlocking(false);
                    other.connect(address);
                }
            });
            final long soon = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
            assertThrows(SocketException.class, () -> NameConnection.open(address, soon));
            assertTrue(System.nanoTime() - soon >= 0, "it went on trying until then");

            final CompletableFuture<NameConnection> asking = CompletableFuture.supplyAsync(() -> open(address),
                Background::run);
            // The last of them was refused; in its place comes the one that asks.
            for (int i = 0; i < others.size(); i++) {
                listener.accept().close();
            }
            Patience.get(asking).close();
        } finally {
            for (final SocketChannel other : others) {
                other.close();
            }
        }
    }

    private static NameConnection open(final UnixDomainSocketAddress address) {
        try {
            return NameConnection.open(address, System.nanoTime() + Patience.nanos());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whoever can open a connection on this machine is not yet somebody whom others are told of. */
    @Test
    void nobodyRegistersByTcp() throws IOException {
        final Registration one = NameServer.register(device(1), "7000");
        final byte[] request = new byte[NameFrame.HEADER + 4 + NameFrame.ADDRESS];
        NameFrame.register(1, 7001, device(2)).get(request);
        try (Socket socket = new Socket("127.0.0.1", settings.port())) {
            socket.getOutputStream().write(request);
            assertNotEquals(0, socket.getInputStream().readNBytes(10)[9], "it was registered");
        } catch (final ConnectException e) {
            assertEquals(FiErrno.FI_ENODATA, errno(() -> resolver.toDevice(socket("127.0.0.1", 7001))));
        } finally {
            one.close();
        }
    }

    /** Another user's process, which was let as far as the socket. */
    @Test
    void processesOfOtherUsersAreRefused() throws Exception {
        assumeTrue(StateFolder.userId() == 0, "needs root, to start a process as another user");
        final NameListener listener = NameListener.open(settings);
        final Path socket = NameSocket.find(settings.port()).getPath();
        try {
            Files.setPosixFilePermissions(socket.getParent(), PosixFilePermissions.fromString("rwx--x--x"));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            // The class path may be in a folder of root's.
            final Process other = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search",
                Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
                System.getProperty("java.class.path"), Stranger.class.getName(), socket.toString())
                .redirectErrorStream(true).start();
            while (other.isAlive()) {
                listener.work(10);
            }
            assertEquals("the end\n", new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertEquals(1, listener.refused());
        } finally {
            listener.close();
        }
    }

    /** Connects to a socket and prints what comes. */
    static final class Stranger {
        private Stranger() {
        }

        public static void main(final String[] args) throws IOException {
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(args[0]))) {
                System.out.println(channel.read(ByteBuffer.allocate(1)) < 0 ? "the end" : "an answer");
            }
        }
    }

    /** What a process left that was killed is in nobody's way. */
    @Test
    void aSocketThatNobodyServesIsTakenOver() throws IOException {
        try (ServerSocketChannel killed = NameSocket.serve(settings.port()).channel()) {
            assertTrue(killed.isOpen());
            assertNull(NameSocket.serve(settings.port()), "while it is served");
        }
        assertTrue(Files.exists(NameSocket.find(settings.port()).getPath()));
        final Registration one = NameServer.register(device(1), "7000");
        assertEquals(device(1), resolver.toDevice(socket("127.0.0.1", 7000)));
        one.close();
        awaitEnd();
        assertFalse(Files.exists(NameSocket.find(settings.port()).getPath()));
    }

    /** One whose socket somebody removed leaves that of the next one where it is. */
    @Test
    void aServerRemovesNoOthersSocket() throws IOException {
        final Path path = NameSocket.find(settings.port()).getPath();
        final NameListener first = NameListener.open(settings);
        first.work(1);
        Files.delete(path);
        final NameListener second = NameListener.open(settings);
        assertNotNull(second);
        assertThrows(IOException.class, () -> first.work(1));
        first.close();
        assertTrue(Files.exists(path));
        second.work(1);
        second.close();
        assertFalse(Files.exists(path));
    }

    /** It would serve for ever where nobody finds it. */
    @Test
    void aServerWhoseSocketIsGoneServesOrJoinsAnew() throws IOException {
        final NameAgent first = new NameAgent(settings);
        final NameAgent second = new NameAgent(settings);
        final NodeRegistration one = first.register(7001, device(1));
        Files.delete(NameSocket.find(settings.port()).getPath());
        Await.until("it serves anew", () -> isFound(7001));
        Files.delete(NameSocket.find(settings.port()).getPath());
        final NodeRegistration two = second.register(7002, device(2));
        Await.until("both are found", () -> isFound(7001) && isFound(7002));
        assertTrue(first.isServer() != second.isServer());
        one.close();
        two.close();
        Await.until("both have ended", () -> !first.isRunning() && !second.isRunning());
    }

    private boolean isFound(final int service) {
        try {
            return device(service - 7000).equals(resolver.toDevice(socket("127.0.0.1", service)));
        } catch (final FabricException e) {
            return false;
        }
    }

    private static InetAddress outside() throws IOException {
        for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (final InetAddress address : Collections.list(each.getInetAddresses())) {
                if (address instanceof Inet4Address && !address.isLoopbackAddress() && each.isUp()) {
                    return address;
                }
            }
        }
        return null;
    }

    /** Who comes by TCP asks and does not register, and takes no place of a member's, nor all those of strangers. */
    @Test
    void strangersAreBounded() throws Exception {
        final InetAddress outside = outside();
        assumeTrue(outside != null, "needs an address that is not loopback's");
        System.setProperty(NameSettings.ADDRESS, outside.getHostAddress());
        settings = NameSettings.now();
        final Registration one = NameServer.register(device(1), "7000");
        final List<Socket> many = new ArrayList<>();
        try {
            for (int i = 0; i < NameListener.MAX_OF_ADDRESS; i++) {
                final Socket each = new Socket(outside, settings.port());
                many.add(each);
                send(each, NameFrame.query(5, new int[] {7000}, 0, 1));
                assertEquals(44, each.getInputStream().readNBytes(44).length);
            }
            final Socket first = many.get(0);
            send(first, NameFrame.register(6, 7001, device(2)));
            assertEquals(FiErrno.FI_EACCES, first.getInputStream().readNBytes(12)[9]);
            try (Socket more = new Socket(outside, settings.port())) {
                assertEquals(-1, more.getInputStream().read(), "one more of this address");
            }
            assertEquals(device(1), resolver.toDevice(socket(outside.getHostAddress(), 7000)));
            NameServer.register(device(2), "7001").close();
        } finally {
            for (final Socket each : many) {
                each.close();
            }
            one.close();
        }
    }

    private static void send(final Socket socket, final ByteBuffer frame) throws IOException {
        socket.getOutputStream().write(frame.array(), 0, frame.limit());
    }

    private Path listen(final List<ServerSocketChannel> open, final String name) throws IOException {
        final Path path = NameSocket.find(settings.port()).getPath().resolveSibling(name);
        final ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(path));
        open.add(channel);
        return path;
    }

    /** Of a container that was killed nobody would have the network, or the port, again. */
    @Test
    void socketsOfOtherNetworksThatNobodyServesAreRemoved() throws Exception {
        final Path own = NameSocket.find(settings.port()).getPath();
        Files.createDirectories(own.getParent());
        final Path notes = Files.writeString(own.resolveSibling("port-notes"), "no socket");
        final List<ServerSocketChannel> open = new ArrayList<>();
        final Path killed = listen(open, "port-1-1");
        open.remove(0).close();
        final Path served = listen(open, "port-1-2");
        final NameSocket socket = NameSocket.serve(settings.port());
        assertTrue(socket.isThere());
        assertFalse(Files.exists(killed));
        assertTrue(Files.exists(served));
        assertTrue(Files.exists(notes));
        socket.end();
        open.get(0).close();
    }
}
