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
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
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
    private static final String PREFIX = "port-";
    private static final StateFolder PLACE = new StateFolder("rdma4j-name", FOLDER, true, Path.of("/dev/shm"));
    /** What struct sockaddr_un has room for, without the zero at its end. */
    private static final int MAX_BYTES = 107;
    private static final Object TAKING = new Object();

    private final ServerSocketChannel channel;
    private final Path path;
    /** Which file it is: there may be another one's at its path. */
    private final Object key;

    private NameSocket(final ServerSocketChannel channel, final Path path, final Object key) {
        this.channel = channel;
        this.path = path;
        this.key = key;
    }

    /** Of a port, and of a network: where that is another one, 127.0.0.1 is another node. */
    private static String name(final int port) throws IOException {
        return PREFIX + port + '-' + Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString()
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
    static NameSocket serve(final int port) throws IOException {
        final String name = name(port);
        final UnixDomainSocketAddress address = address(PLACE.prepareFor(name).resolve(name));
        return locked(address.getPath(), () -> {
            removeDead(address.getPath().getParent());
            return take(address);
        });
    }

    /**
     * With the lock: sockets of other ports and networks that nobody listens to any more. The number of a network that
     * has ended hardly comes again, so that nobody would take the name.
     */
    private static void removeDead(final Path folder) throws IOException {
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(folder, PREFIX + '*')) {
            for (final Path socket : sockets) {
                removeIfDead(socket);
            }
        }
    }

    private static void removeIfDead(final Path path) {
        try {
            if (Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther()
                && !isServed(address(path))) {
                Files.deleteIfExists(path);
            }
        } catch (final IOException ignored) {
            // Another user's, or one that is too busy for one more connection: it stays.
        }
    }

    /** What is done with a name. */
    private interface Work<T> {
        T carryOut() throws IOException;
    }

    /** Carries it out while nobody else takes or removes the name. */
    private static <T> T locked(final Path path, final Work<T> work) throws IOException {
        // Locks are the process', which loses all of them when it closes any channel of the file.
        synchronized (TAKING) {
            try (FileChannel channel = FileChannel.open(path.resolveSibling("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                FileLock lock = channel.tryLock()) {
                if (lock == null) {
                    throw new IOException("another process is about to serve at " + path);
                }
                return work.carryOut();
            }
        }
    }

    /** With the lock: what a process left that was killed is removed, and nobody else's. */
    private static NameSocket take(final UnixDomainSocketAddress address) throws IOException {
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
            final Object key = key(address.getPath());
            if (key == null) {
                throw new IOException("somebody removes " + address);
            }
            good = true;
            return new NameSocket(channel, address.getPath(), key);
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

    /** Null if there is none. */
    private static Object key(final Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    ServerSocketChannel channel() {
        return channel;
    }

    /** Whether it is this one that others find. While it is open no other file has its key. */
    boolean isThere() throws IOException {
        return channel.isOpen() && key.equals(key(path));
    }

    /**
     * Lets go of it. The name goes first: who finds none makes one, which is not this one's to remove. A name that
     * stays, as another process is about to serve, is one that nobody listens to.
     */
    void end() throws IOException {
        try (channel) {
            locked(path, () -> isThere() && Files.deleteIfExists(path));
        }
    }

    /** Whether the process at the other end had this user when it connected, or began to listen. */
    static boolean isOfThisUser(final SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(user());
    }

    private static UserPrincipal user() throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService()
            .lookupPrincipalByName(Long.toString(StateFolder.userId()));
    }

    @Override
    public String toString() {
        return "name service at " + path;
    }
}
