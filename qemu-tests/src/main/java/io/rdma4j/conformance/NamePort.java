/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Where the name service of this process is: at a port that is free, unless the command line names one, so that several
 * suites on one machine are not each other's neighbours.
 */
final class NamePort {
    private static final String PROPERTY = "rdma4j.name.port";

    private NamePort() {
    }

    static synchronized void choose() {
        if (System.getProperty(PROPERTY) != null) {
            return;
        }
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.setProperty(PROPERTY, Integer.toString(socket.getLocalPort()));
        } catch (final IOException e) {
            throw new UncheckedIOException("looking for a free port", e);
        }
    }
}
