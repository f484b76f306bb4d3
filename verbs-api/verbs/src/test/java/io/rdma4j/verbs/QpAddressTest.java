/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class QpAddressTest {
    private static final QpAddress ADDRESS = new QpAddress(Gid.parse("fe80::1"), 0x11, 0xffffff, 0x8001_0000);

    @Test
    void readsWhatItWrites() {
        assertThat(ADDRESS).hasToString("gid=fe80::1,qpn=0x000011,psn=0xffffff,qkey=0x80010000");
        assertThat(QpAddress.parse(ADDRESS.toString())).isEqualTo(ADDRESS);
    }

    @Test
    void readsPartsInAnyOrderAndDecimalNumbers() {
        assertThat(QpAddress.parse(" qkey=2147549184, psn=16777215,gid=fe80::1 ,qpn=17")).isEqualTo(ADDRESS);
        assertThat(QpAddress.parse("gid=fe80::1,qpn=017,psn=16777215,qkey=02147549184")).isEqualTo(ADDRESS);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {
        "", "gid=fe80::1", "gid=fe80::1,qpn=1,psn=2", "gid=fe80::1,qpn=1,psn=2,qkey=3,x=4",
        "gid=fe80::1,qpn=1,qpn=1,psn=2,qkey=3", "gid=fe80::1,qpn=0x1000000,psn=2,qkey=3",
        "gid=fe80::1,qpn=-1,psn=2,qkey=3", "gid=fe80::1,qpn=1,psn=,qkey=3", "gid=nowhere,qpn=1,psn=2,qkey=3",
        "gid=fe80::1,qpn=1,psn=2,qkey=0x100000000", "gid=fe80::1;qpn=1;psn=2;qkey=3",
        "gid=fe80::1,qpn=#1,psn=2,qkey=3", "gid=fe80::1,qpn=1,psn=-0,qkey=3"})
    void refusesWhatIsNoAddress(final String text) {
        assertThatThrownBy(() -> QpAddress.parse(text))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL));
    }

    @Test
    void refusesNumbersOfMoreThan24Bits() {
        assertThatThrownBy(() -> new QpAddress(Gid.ZERO, 0x1000000, 0, 0)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new QpAddress(Gid.ZERO, 0, -1, 0)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new QpAddress(null, 0, 0, 0)).isInstanceOf(RdmaException.class);
    }
}
