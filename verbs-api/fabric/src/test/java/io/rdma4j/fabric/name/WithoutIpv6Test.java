/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.testing.Ended;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A machine without IPv6: java.net.preferIPv4Stack makes any machine one, and is read when a JVM begins. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WithoutIpv6Test {
    @Test
    void theNameServiceIsThereByIpv4() throws Exception {
        final Ended ended = Ended.of(OtherJvm.command(
            List.of("-Djava.net.preferIPv4Stack=true", "-Drdma4j.name.port=" + freePort(),
                "-Drdma4j.resolve.timeout.ms=" + Patience.millis()), Registers.class));
        assertThat(ended.code()).as("%s", ended.output()).isZero();
        assertThat(ended.output()).contains("found it again");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What the other JVM does. */
    static final class Registers {
        private Registers() {
        }

        public static void main(final String[] args) throws IOException {
            final byte[] gid = new byte[16];
            gid[0] = (byte) 0xfe;
            gid[1] = (byte) 0x80;
            gid[15] = 1;
            final FabricAddress device = FabricAddress.device(Gid.of(gid), 17, 5, EndpointType.RDM);
            try (Registration registration = NameServer.register(device, null)) {
                final InetSocketAddress near =
                    new InetSocketAddress(InetAddress.getByName("127.0.0.1"), registration.service());
                final FabricAddress found = new NameResolver(AddressFormat.SOCKADDR_IN, EndpointType.RDM)
                    .toDevice(FabricAddress.socket(near));
                if (!found.equals(device)) {
                    throw new AssertionError(found);
                }
            }
            System.out.println("found it again");
        }
    }
}
