/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.driver.state.StateFolder;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/**
 * The socket in the file system by which processes of one user on one node reach their name service. It is in a folder
 * of the user's own, see {@link StateFolder}, and the kernel tells each end who the other one is.
 */
final class NameSocket {
    static final String FOLDER = "rdma4j.name.dir";
    private static final StateFolder PLACE = new StateFolder("rdma4j-name", FOLDER, true, Path.of("/dev/shm"));
    /** What struct sockaddr_un has room for, without the zero at its end. */
    private static final int MAX_BYTES = 107;
    private static final Object TAKING = new Object();

    private NameSocket() {
    }

    /** Of a port, and of a network: where that is another one, 127.0.0.1 is another node. */
    private static String name(final int port) throws IOException {
        return "port-" + port + '-' + Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString()
            .replaceAll("\\D", "");
    }

    /** Where the service of this node is, or would be. */
    static UnixDomainSocketAddress find(final int port) throws IOException {
        final String name = name(port);
        return address(PLACE.folderOf(name).resolve(name));
    }

    private static UnixDomainSocketAddress address(final Path path) throws IOException {
        final int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IOException(String.format("%s has %d bytes, a socket's name at most %d: shorten %s", path, bytes,
                MAX_BYTES, FOLDER));
        }
        return UnixDomainSocketAddress.of(path);
    }

    /**
     * Takes the socket.
     *
     * @return null if another process serves.
     * @throws IOException if it cannot be had, or somebody else is just trying.
     */
    static ServerSocketChannel serve(final int port) throws IOException {
        final String name = name(port);
        final Path folder = PLACE.prepareFor(name);
        final UnixDomainSocketAddress address = address(folder.resolve(name));
        // Locks are the process', which loses all of them when it closes any channel of the file.
        synchronized (TAKING) {
            try (FileChannel channel = FileChannel.open(folder.resolve("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                FileLock lock = channel.tryLock()) {
                if (lock == null) {
                    throw new IOException("another process is about to serve at " + address);
                }
                return take(address);
            }
        }
    }

    /** With the lock: what a process left that was killed is removed, and nobody else's. */
    private static ServerSocketChannel take(final UnixDomainSocketAddress address) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        boolean good = false;
        try {
            try {
                channel.bind(address);
            } catch (final BindException e) {
                if (isServed(address)) {
                    return null;
                }
                channel.close();
                Files.deleteIfExists(address.getPath());
                channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                channel.bind(address);
            }
            good = true;
            return channel;
        } finally {
            if (!good) {
                channel.close();
            }
        }
    }

    /** Only what nobody listens to refuses; who is too busy to take a connection lets one wait. */
    private static boolean isServed(final UnixDomainSocketAddress address) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(address);
            return true;
        } catch (final ConnectException e) {
            return false;
        }
    }

    /** Lets go of it. The name goes first: who finds none makes one, which is not this one's to remove. */
    static void end(final ServerSocketChannel channel) throws IOException {
        if (channel.isOpen() && channel.getLocalAddress() instanceof UnixDomainSocketAddress address) {
            Files.deleteIfExists(address.getPath());
        }
        channel.close();
    }

    /** Whether the process at the other end had this user when it connected, or began to listen. */
    static boolean isOfThisUser(final SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(user());
    }

    private static UserPrincipal user() throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService()
            .lookupPrincipalByName(Long.toString(StateFolder.userId()));
    }
}
