/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.verbs.Gid;

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

    static FabricAddress device(final int qpn) {
        return FabricAddress.device(Gid.parse("fe80::1"), qpn, 0x11, EndpointType.RDM);
    }

    static FabricAddress socket(final String ip, final int port) {
        return FabricAddress.parse("fi_sockaddr://" + ip + ":" + port);
    }

    static int errno(final Runnable work) {
        return assertThrows(FabricException.class, work::run).errno();
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
