/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.traffic.Answering;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ConvertersTest {
    private final Converters.HostAndPort hostAndPort = new Converters.HostAndPort();
    private final Converters.Size size = new Converters.Size();

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7:4711, 192.0.2.7:4711", "192.0.2.7, 192.0.2.7:18515", "192.0.2.7:0, 192.0.2.7:0",
        "[2001:db8::7]:4711, [2001:db8:0:0:0:0:0:7]:4711", "[2001:db8::7], [2001:db8:0:0:0:0:0:7]:18515"
    })
    void placesHaveAHostAndMayHaveAPort(final String text, final String expected) {
        assertThat(Answering.textOf(hostAndPort.convert(text))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"'', 18515", ":7, 7", "7, 7", "47592, 47592"})
    void withoutHostItIsThisMachine(final String text, final int port) {
        assertThat(hostAndPort.convert(text))
            .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2001:db8::7", "host:", "host:port", "host:123456", "host:65536", "[host", "a b", "65536"})
    void whatIsNoPlaceIsRefused(final String text) {
        assertThatThrownBy(() -> hostAndPort.convert(text)).isInstanceOf(TypeConversionException.class)
            .hasMessageContaining("is not ");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "64, 64", "4k, 4096", "1MiB, 1048576", "1g, 1073741824", "1024m, 1073741824", "0g, 0"})
    void sizesMayHaveAUnit(final String text, final int bytes) {
        assertThat(size.convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1.5k", "k", "4t", "1073741825", "2g", "1025m", "8589934592g", "9999999999g"})
    void whatIsNoSizeIsRefused(final String text) {
        assertThatThrownBy(() -> size.convert(text)).isInstanceOf(TypeConversionException.class)
            .hasMessageContaining("'" + text + "' is not a size");
    }
}
