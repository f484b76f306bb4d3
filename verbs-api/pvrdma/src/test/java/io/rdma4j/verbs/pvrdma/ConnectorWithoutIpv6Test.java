/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Ended;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.List;

/** A machine without IPv6: java.net.preferIPv4Stack makes any machine one, and is read when a JVM begins. */
class ConnectorWithoutIpv6Test {
    @Test
    void addressesOfIpv6AreOutOfReach() throws Exception {
        final Ended ended =
            Ended.of(OtherJvm.command(List.of("-Djava.net.preferIPv4Stack=true"), Connects.class));
        assertThat(ended.code()).as("%s", ended.output()).isZero();
        assertThat(ended.output()).contains("connect: EHOSTUNREACH", "listen: EADDRNOTAVAIL",
            "addresses like /[0:0:0:0:0:0:0:1]:4791 are not known here");
    }

    /** What the other JVM does. */
    static final class Connects {
        private Connects() {
        }

        public static void main(final String[] args) {
            final InetSocketAddress address = new InetSocketAddress("::1", 4791);
            try (RdmaContext context = RdmaDevices.open("emulated:")) {
                final Peer peer = Peer.rc(context);
                tell("connect", () -> RdmaConnector.connect(peer.qp, address, new ConnectOptions()));
            }
            tell("listen", () -> RdmaConnector.listen(address));
        }

        private static void tell(final String what, final Runnable attempt) {
            try {
                attempt.run();
            } catch (final RdmaException e) {
                System.out.println(what + ": " + RdmaException.errnoName(e.errno()) + ", " + e.getMessage());
            }
        }
    }
}
