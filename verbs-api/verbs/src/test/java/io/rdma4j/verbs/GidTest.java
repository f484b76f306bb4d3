/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.PersianDigits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

class GidTest {
    @ParameterizedTest
    @ExtendWith(PersianDigits.class)
    @CsvSource({
        "fe80::1, fe80::1",
        "FE80:0:0:0:0:0:0:1, fe80::1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2:3:4:5:6",
        "10.1.2.3, ::ffff:10.1.2.3",
        "::ffff:10.1.2.255, ::ffff:10.1.2.255"})
    void readsAndWritesAddresses(final String text, final String written) {
        assertThat(Gid.parse(text)).hasToString(written);
        assertThat(Gid.parse(written)).isEqualTo(Gid.parse(text));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "localhost", "fe80:", "1:2:3", "fe80::1%eth0", "1.2.3.4.5", "fe80::1 ", "g::1", "17",
        "cafe.de", "fed.cab", "1.2.3.400", "1.2.3", "256.1.1.1", "1.2.3.4.", "01.2.3.4", "::.", "cafe::1.2.3.400"})
    void refusesWhatIsNoAddress(final String text) {
        assertThatThrownBy(() -> Gid.parse(text))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL));
    }

    @Test
    void knowsItsKind() {
        assertThat(Gid.ZERO.isZero()).isTrue();
        assertThat(Gid.parse("ff02::1").isMulticast()).isTrue();
        assertThat(Gid.parse("fe80::1").isMulticast()).isFalse();
        assertThat(Gid.parse("10.0.0.1").isIpv4Mapped()).isTrue();
        assertThat(Gid.parse("::fffe:a00:1").isIpv4Mapped()).isFalse();
        assertThat(Gid.linkLocal(0x0200_00ff_fe00_0001L)).hasToString("fe80::200:ff:fe00:1");
    }

    @Test
    void keepsBytesInWireOrder() {
        final byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        assertThat(Gid.of(bytes).high()).isEqualTo(0x0102030405060708L);
        assertThat(Gid.of(bytes).bytes()).isEqualTo(bytes);
        assertThatThrownBy(() -> Gid.of(new byte[15])).hasMessageContaining("15");
    }

    @Test
    void readsWhatItWrote() {
        final Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            final long mask = random.nextBoolean() ? 0xffff_0000_0000_ffffL : 0x0000_ffff_0000_0000L;
            final long sparse = random.nextLong() & mask;
            final Gid gid = new Gid(random.nextBoolean() ? sparse : random.nextLong(), sparse);
            assertThat(Gid.parse(gid.toString())).as(gid.toString()).isEqualTo(gid);
        }
    }
}
