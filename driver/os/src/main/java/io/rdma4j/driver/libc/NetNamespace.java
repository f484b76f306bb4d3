/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;

import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Network namespaces, by the names of {@code ip netns}. A socket stays in the one that it was made in, whichever thread
 * uses it.
 */
public final class NetNamespace {
    private static final Path FOLDER = Path.of("/run/netns");
    private static final int CLONE_NEWNET = 0x4000_0000;

    private NetNamespace() {
    }

    /**
     * Does something in a namespace, on a thread of its own: a thread that has gone there does not come back.
     *
     * @param name   as {@code ip netns list} shows it
     * @param action makes sockets
     * @param <T>    what it makes
     * @return what it made
     * @throws RdmaException ENOENT if there is no such namespace, EPERM without CAP_SYS_ADMIN; and what the action
     *                       throws
     */
    public static <T> T call(final String name, final Supplier<T> action) {
        if (!name.matches("[\\w.-]+") || name.startsWith(".")) {
            throw Libc.failure("setns", RdmaException.EINVAL).object(name)
                .hint("name a namespace that 'ip netns list' shows").build();
        }
        final CompletableFuture<T> result = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                enter(name);
                result.complete(action.get());
            } catch (final RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }, "rdma4j-netns-" + name);
        thread.setDaemon(true);
        thread.start();
        try {
            return result.join();
        } catch (final CompletionException e) {
            if (e.getCause() instanceof RuntimeException) {
                throw (RuntimeException) e.getCause();
            }
            throw e;
        }
    }

    /**
     * The number of a network interface in the namespace of the calling thread, where Java's own look-up does not find
     * each: it reads {@code /proc/net}, which is that of the process.
     *
     * @param name as {@code ip link} shows it
     * @return above 0
     * @throws RdmaException ENODEV if there is no such interface; EMFILE or ENFILE if there is no room for the socket
     *                       that asks
     */
    public static int interfaceIndex(final String name) {
        final Calls calls = Calls.bound("if_nametoindex");
        final UnsafeBuffer text = CString.of("if_nametoindex", name);
        final int index = calls.if_nametoindex(text.addressOffset());
        final int errno = index == 0 ? Native.getLastError() : 0;
        Reference.reachabilityFence(text);
        if (index == 0) {
            throw Libc.failure("if_nametoindex", errno).object(name).detail("a network interface")
                .hint("'ip link' lists those that are there").build();
        }
        return index;
    }

    private static void enter(final String name) {
        final String path = FOLDER.resolve(name).toString();
        final int fd = open(name, path);
        try {
            if (Calls.bound("setns").setns(fd, CLONE_NEWNET) != 0) {
                throw Libc.failure("setns", Native.getLastError()).object(path)
                    .hint("this needs CAP_SYS_ADMIN; or start the whole program there: ip netns exec NAME ...").build();
            }
        } finally {
            Libc.close(fd);
        }
    }

    private static int open(final String name, final String path) {
        try {
            return Libc.open(path, LibcConstants.O_RDONLY);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.ENOENT) {
                throw e;
            }
            throw Libc.failure("setns", e.errno()).object(path).detail("there is no network namespace '%s'", name)
                .hint("name one that 'ip netns list' shows (netns=NAME in a device's address)").cause(e).build();
        }
    }
}
