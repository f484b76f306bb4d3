/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The harness against a shell script that plays QEMU, whose sockets this test makes. */
class InnerGuestTest {
    private static final Pattern SOCKETS = Pattern.compile("path=(\\S+)/" + InnerMachine.MAD_SOCKET);

    @TempDir
    private Path folder;

    private final CompletableFuture<Path> sockets = new CompletableFuture<>();

    private String binary() throws IOException {
        final Path qemu = Files.writeString(folder.resolve("qemu.sh"), String.format(Locale.ROOT, """
            #!/bin/sh
            echo "$*"
            until [ -e '%s' ]; do sleep 0.05; done
            echo '%sREADY'
            exec sleep 60
            """, go(), InnerGuest.MARK));
        Files.setPosixFilePermissions(qemu, PosixFilePermissions.fromString("rwxr-xr-x"));
        return qemu.toString();
    }

    private Path go() {
        return folder.resolve("go");
    }

    private void show(final String line) {
        final Matcher found = SOCKETS.matcher(line);
        if (found.find()) {
            sockets.complete(Path.of(found.group(1)));
        }
    }

    private static Thread start(final Runnable work) {
        final Thread thread = new Thread(work, "inner-guest-test");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static SocketChannel accept(final ServerSocketChannel server) throws Exception {
        final FutureTask<SocketChannel> accepted = new FutureTask<>(server::accept);
        start(accepted);
        return Patience.get(accepted);
    }

    /** It has found what there is so far, and waits for more. */
    private static void awaitWaiting(final Thread thread, final FutureTask<InnerGuest> boot) {
        final long end = System.nanoTime() + Patience.nanos();
        while (!boot.isDone() && thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime() - end).as("%s", thread.getState()).isNegative();
            Patience.pause();
        }
        assertThat(boot).isNotDone();
    }

    private static ServerSocketChannel listen(final Path path) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
    }

    /** The control socket comes when it has been looked for in vain. */
    private void boots(final boolean refusesFirst) throws Exception {
        final FutureTask<InnerGuest> boot = new FutureTask<>(() ->
            InnerGuest.boot(binary(), new InnerImage(folder), folder.resolve("console.log"), this::show));
        final Thread thread = start(boot);
        final Path control = Patience.get(sockets).resolve(InnerMachine.CONTROL_SOCKET);
        if (refusesFirst) {
            // The file stays; nobody listens.
            listen(control).close();
        }
        try (ServerSocketChannel mads = listen(control.resolveSibling(InnerMachine.MAD_SOCKET));
            SocketChannel asking = accept(mads)) {
            awaitWaiting(thread, boot);
            Files.deleteIfExists(control);
            try (ServerSocketChannel shell = listen(control); SocketChannel line = accept(shell)) {
                Files.createFile(go());
                try (InnerGuest guest = Patience.get(boot)) {
                    assertThat(guest.isAlive()).isTrue();
                    assertThat(asking.isOpen() && line.isOpen()).isTrue();
                }
            }
        } finally {
            Files.deleteIfExists(control);
            boot.cancel(true);
        }
    }

    @Test
    void waitsForTheSocketThatComesLast() throws Exception {
        boots(false);
    }

    @Test
    void waitsForASocketThatRefuses() throws Exception {
        boots(true);
    }
}
