/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A name service that no other test run knows. */
public final class TestNames {
    private TestNames() {
    }

    /** Has this process use a port of its own, on all of these addresses of loopback; the same one from then on. */
    public static synchronized void use() {
        if (System.getProperty(NameSettings.PORT) == null) {
            System.setProperty(NameSettings.PORT, Integer.toString(freePort()));
            System.setProperty(NameSettings.ADDRESS, "127.0.0.1,127.0.0.2,127.0.0.3,127.0.0.4,::1");
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
