/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.testing.Loopback;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;

/** What an address may say about the wire, and that a device which does not open leaves nothing behind. */
class WireOptionsTest {
    private static final EmulatedProvider PROVIDER = new EmulatedProvider();

    private static PciDevice open(String options) {
        return PROVIDER.open(DeviceAddress.parse("emulated:wired?" + options));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "wire=tcp; 22; option wire=tcp; use udp, shm, auto or none",
        "address=127.0.0.1; 22; option address is of wire=udp; leave it out",
        "wire=none&address=127.0.0.1; 22; option address without a wire; add wire=udp or wire=shm",
        "wire=shm&address=127.0.0.1; 22; option address is of wire=udp; leave it out",
        "wire=udp&address=localhost; 22; option address=localhost; not a name",
        "wire=udp&address=203.0.113.7; 99; 203.0.113.7; ",
        "wire=udp&port=0; 22; port; ",
        "wire=udp&shortcut=perhaps; 22; option shortcut=perhaps; use true or false",
        "wire=udp&progress=now; 22; option progress=now; use poll or thread",
        "wire=none&progress=poll; 22; option progress without a wire; add wire=udp or wire=shm",
        "wire=udp&loss=some; 22; 'some'; drop:1",
        "wire=udp&quirks=qemu-7.2; 22; option wire with quirks; that one's wire",
        "wire=udp&netns=no/such; 22; no/such; ip netns list",
        "wire=udp&netns=rdma4j-is-not-there; 2; rdma4j-is-not-there; "
    })
    void whatMakesNoSenseIsRefused(String options, int errno, String what, String hint) {
        final RdmaException refused = catchThrowableOfType(RdmaException.class, () -> open(options).close());
        assertThat(refused).isNotNull();
        assertThat(refused.errno()).as(refused.getMessage()).isEqualTo(errno);
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

    @Test
    void withoutAWireNothingIsDifferent() {
        try (PciDevice plain = open("wire=none")) {
            assertThat(plain.networkAddress()).isNull();
            assertThat(plain.whyUnreachable(1, 2)).contains("wire=shm or wire=udp at both ends");
        }
    }
}
