/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Places of this host that no test of another process takes at the same time. */
public final class Loopback {
    private static final long PID = ProcessHandle.current().pid();
    private static final int BYTE = 0xff;

    private Loopback() {
    }

    /**
     * Takes a TCP port of the loopback address at which nobody listens: who connects there is refused. A port that was
     * free a moment ago may be another program's.
     *
     * @return has the port until it is closed.
     * @throws IOException if there is none.
     */
    public static Socket deafPort() throws IOException {
        final Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket;
    }

    /**
     * {@return an address of this process, such as 127.17.4.HOST: all of 127.0.0.0/8 is there}
     *
     * @param host 1 to 254
     */
    public static String address(final int host) {
        return "127." + (1 + (PID >> Byte.SIZE) % (BYTE - 1)) + '.' + (PID & BYTE) + '.' + host;
    }
}
