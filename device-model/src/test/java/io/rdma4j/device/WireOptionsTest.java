/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.testing.Ended;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.OtherJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What an address may say about the wire, and that a device which does not open leaves nothing behind. */
class WireOptionsTest {
    private static final EmulatedProvider PROVIDER = new EmulatedProvider();
    private static final String NAMESPACES = """
        link() {
            ip $3 link add name $1 type veth peer name $1-peer && ip $3 addr add $2 dev $1 nodad &&
                ip $3 link set $1 up && ip $3 link set $1-peer up
        }
        mount -t tmpfs none /run && ip netns add blue && ip -n blue link set lo up &&
            link outer fe80::66/64 && link inner fe80::77/64 "-n blue" &&
            ip addr add fd00::7/64 dev outer nodad && ip -n blue addr add fd00::7/64 dev inner nodad &&
            echo namespaces are there && exec "$@"
        """;

    private static PciDevice open(String options) {
        return PROVIDER.open(DeviceAddress.parse("emulated:wired?" + options));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "wire=tcp; 22; option wire=tcp; use udp, shm, auto or none",
        "address=127.0.0.1; 22; option address is of wire=udp; leave it out",
        "wire=none&address=127.0.0.1; 22; option address without a wire; add wire=udp or wire=shm",
        "wire=shm&address=127.0.0.1; 22; option address is of wire=udp; leave it out",
        "wire=udp&address=localhost; 22; localhost; write address=192.0.2.1",
        "wire=udp&address=127.1; 22; 127.1; write address=192.0.2.1",
        "wire=udp&address=fe80::1%not-here0; 19; not-here0; ip link",
        "wire=udp&address=203.0.113.7; 99; 203.0.113.7; ",
        "wire=udp&port=0; 22; port; ",
        "wire=udp&shortcut=perhaps; 22; option shortcut=perhaps; use true or false",
        "wire=udp&progress=now; 22; option progress=now; use poll or thread",
        "wire=none&progress=poll; 22; option progress without a wire; add wire=udp or wire=shm",
        "wire=udp&loss=some; 22; 'some'; drop:1",
        "wire=udp&quirks=qemu-7.2; 22; option wire with quirks; that one's wire",
        "wire=udp&netns=no/such; 22; no/such; ip netns list",
        "wire=udp&netns=rdma4j-is-not-there; 2; no network namespace 'rdma4j-is-not-there'; ip netns list",
        "wire=udp&netns=rdma4j-is-not-there&address=fe80::1%not-here0; 2; rdma4j-is-not-there; netns="
    })
    void whatMakesNoSenseIsRefused(String options, int errno, String what, String hint) {
        final RdmaException refused = catchThrowableOfType(RdmaException.class, () -> open(options).close());
        assertThat(refused).isNotNull();
        assertThat(refused.errno()).as("%s", refused.getMessage()).isEqualTo(errno);
        assertThat(refused.getMessage()).contains(what).contains(hint == null ? "" : hint);
        open("wire=udp&address=" + Loopback.address(22)).close();
    }

    @Test
    void anAddressIsOneDevices() throws Exception {
        try (PciDevice first = open("wire=udp&address=" + Loopback.address(22))) {
            assertThat(first.networkAddress()).endsWith(InetAddress.getByName(Loopback.address(22)).getAddress());
            final RdmaException refused = catchThrowableOfType(RdmaException.class,
                () -> PROVIDER.open(DeviceAddress.parse("emulated:other?wire=udp&address=" + Loopback.address(22))));
            assertThat(refused.errno()).isEqualTo(RdmaException.EADDRINUSE);
        }
    }

    /** What Java takes for the loopback address is ::1 with this option, which is read when a JVM begins. */
    @Test
    void withoutAnAddressTheGidIsTheSockets() throws Exception {
        final Ended ended = Ended.of(
            OtherJvm.command(List.of("-Djava.net.preferIPv6Addresses=true"), Opens.class, "wire=udp"));
        assertThat(ended.output()).contains("network address 00000000000000000000ffff7f000001");
        assertThat(ended.code()).isZero();
    }

    /** Neither namespace has the other's interfaces, but both have one of the addresses. All ends with the process. */
    @Test
    void addressesAreThoseOfTheNamespace() throws Exception {
        final List<String> command = new ArrayList<>(
            List.of("sh", "-c", "exec unshare -rmn sh -c \"$0\" sh \"$@\"", NAMESPACES));
        command.addAll(OtherJvm.command(List.of(), Opens.class, "wire=udp&netns=blue",
            "wire=udp&netns=blue&address=fe80::77%inner", "wire=udp&netns=blue&address=fd00::7"));
        final Ended ended = Ended.of(command);
        assumeTrue(ended.output().contains("namespaces are there"), ended.output());
        assertThat(ended.output()).contains("network address 00000000000000000000ffff7f000001",
            "network address fe800000000000000000000000000077", "network address fd000000000000000000000000000007");
        assertThat(ended.code()).isZero();
    }

    /** What the other JVM does. */
    static final class Opens {
        private Opens() {
        }

        public static void main(final String[] args) throws Exception {
            // Another one for each process, and no socket has it that asked for any port.
            final long port = 10_000 + ProcessHandle.current().pid() % 20_000;
            for (String each : args) {
                try (PciDevice device = open(each + "&port=" + port)) {
                    System.out.println("network address " + HexFormat.of().formatHex(device.networkAddress()));
                }
            }
        }
    }

    @Test
    void withoutAWireNothingIsDifferent() {
        try (PciDevice plain = open("wire=none")) {
            assertThat(plain.networkAddress()).isNull();
            assertThat(plain.whyUnreachable(1, 2)).contains("wire=shm or wire=udp at both ends");
        }
    }
}
