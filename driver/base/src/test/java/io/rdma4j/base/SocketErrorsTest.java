/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;

class SocketErrorsTest {
    private static final int ECONNRESET = 104;
    private static final int ECONNREFUSED = 111;

    private static int errno(final IOException cause) {
        return SocketErrors.of("connect", "192.0.2.7:18515", cause).errno();
    }

    @Test
    void saysThatThereIsNoWayToTheHost() {
        assertThat(errno(new NoRouteToHostException("No route to host"))).isEqualTo(RdmaException.EHOSTUNREACH);
        // The JDK has no exception of its own for ENETUNREACH.
        assertThat(errno(new SocketException("Network is unreachable"))).isEqualTo(RdmaException.EHOSTUNREACH);
    }

    @Test
    void tellsOtherErrorsOfSocketsApart() {
        assertThat(errno(new ConnectException("Connection refused"))).isEqualTo(ECONNREFUSED);
        assertThat(errno(new SocketException("Connection reset"))).isEqualTo(ECONNRESET);
        assertThat(errno(new IOException("Broken pipe"))).isEqualTo(ECONNRESET);
        assertThat(errno(new SocketException("Protocol not available"))).isEqualTo(RdmaException.EIO);
        assertThat(errno(new SocketException())).isEqualTo(RdmaException.EIO);
    }
}
