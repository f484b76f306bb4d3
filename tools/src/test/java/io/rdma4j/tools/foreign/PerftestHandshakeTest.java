/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.Mtu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The exchange of perftest, byte for byte, with programs that follow it and with some that do not. */
class PerftestHandshakeTest {
    private static final String VERSION = "6.06\0\0\0\0\0\0\0\0\0\0\0\0";
    private static final byte[] PAGE = {0, 0, 0x10, 0};
    private static final byte[] LINE = {0, 0, 0, 64};
    private static final PerftestKeys OWN =
        new PerftestKeys(16, 0x5a5a, 0x100, 0x00c0ffee, 0x7f0012345000L, Gid.parse("::ffff:192.0.2.2"));
    private static final String OWN_TEXT = "0000:0010:005a5a:000100:00c0ffee:00007f0012345000:"
        + "00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:02:00000000:\0";
    private static final PerftestKeys THEIRS =
        new PerftestKeys(1, 0x11, 0xabcdef, 0xfedcba98, 0xffff800000001000L, Gid.parse("::ffff:192.0.2.1"));
    private static final String THEIR_TEXT = "0001:0001:000011:abcdef:fedcba98:ffff800000001000:"
        + "00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:01:00000000:\0";
    private static final String DONE = "done\0";

    private static void hearsAndSays(final ScriptedPeer peer, final String heard, final String said)
        throws IOException {
        peer.hears(heard);
        peer.says(said);
    }

    @Test
    void keysHave108Bytes() {
        assertThat(OWN.toBytes()).hasSize(108).asString(StandardCharsets.US_ASCII).isEqualTo(OWN_TEXT);
    }

    @Test
    void theClientWritesFirstAtEachStep() throws Exception {
        final PerftestReport own = new PerftestReport(64, 100, 1.5, 1.0, 0.25);
        final PerftestReport report = ScriptedPeer.listens(peer -> {
            hearsAndSays(peer, VERSION, "5.70" + VERSION.substring(4));
            peer.hears(PAGE);
            peer.says((byte) 0, (byte) 1, (byte) 0, (byte) 0);
            peer.hears(LINE);
            peer.says(LINE);
            hearsAndSays(peer, "5\0", "3\0");
            for (int i = 0; i < 4; i++) {
                hearsAndSays(peer, OWN_TEXT, THEIR_TEXT);
            }
            hearsAndSays(peer, OWN_TEXT, THEIR_TEXT);
            peer.hears(new byte[] {0, 0, 0, 0, 0, 0, 0, 64});
            peer.says(new byte[8]);
            peer.hears(new byte[] {0, 0, 0, 0, 0, 0, 0, 100});
            peer.says(new byte[8]);
            for (final int top : new int[] {0x3ff8, 0x3ff0, 0x3fd0}) {
                peer.hears((byte) (top >> 8), (byte) top, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0);
                peer.says((byte) 0x7f, (byte) 0xf0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0);
            }
            hearsAndSays(peer, OWN_TEXT, THEIR_TEXT);
            hearsAndSays(peer, DONE, DONE);
            peer.hearsTheEnd();
        }, socket -> {
            final PerftestHandshake handshake = new PerftestHandshake(socket, false);
            assertThat(handshake.agree(Mtu.MTU_4096)).isEqualTo(Mtu.MTU_1024);
            for (int i = 0; i < 5; i++) {
                assertThat(handshake.exchange(OWN)).isEqualTo(THEIRS);
            }
            final PerftestReport came = handshake.report(own);
            handshake.finish(OWN);
            return came;
        });
        assertThat(report).isEqualTo(new PerftestReport(0, 0, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY,
            Double.POSITIVE_INFINITY));
    }

    @Test
    void theServerAnswersAtEachStep() throws Exception {
        final PerftestReport report = ScriptedPeer.connects(peer -> {
            peer.says("6.10" + VERSION.substring(4));
            peer.hears("6.10" + VERSION.substring(4));
            peer.says(PAGE);
            peer.hears(PAGE);
            peer.says(LINE);
            peer.hears(LINE);
            peer.says("3\0");
            peer.hears("1\0");
            for (int i = 0; i < 5; i++) {
                peer.says(THEIR_TEXT);
                peer.hears(OWN_TEXT);
            }
            for (int i = 0; i < 5; i++) {
                peer.says((byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) i);
                peer.hears(new byte[8]);
            }
            peer.says(THEIR_TEXT);
            peer.hears(OWN_TEXT);
            peer.says(DONE);
            peer.hears(DONE);
            peer.hearsTheEnd();
        }, socket -> {
            final PerftestHandshake handshake = new PerftestHandshake(socket, true);
            assertThat(handshake.agree(Mtu.MTU_256)).isEqualTo(Mtu.MTU_256);
            for (int i = 0; i < 5; i++) {
                assertThat(handshake.exchange(OWN)).isEqualTo(THEIRS);
            }
            final PerftestReport came = handshake.report(new PerftestReport(0, 0, 0, 0, 0));
            handshake.finish(OWN);
            return came;
        });
        assertThat(report.bytes()).isZero();
        assertThat(report.iterations()).isEqualTo(1);
    }

    /** Its keys say that it is over; a tool that then closes at once has done nothing wrong. */
    @Test
    void whoClosesWithoutTheLastWordIsDone() throws Exception {
        final Boolean done = ScriptedPeer.listens(peer -> hearsAndSays(peer, OWN_TEXT, THEIR_TEXT), socket -> {
            new PerftestHandshake(socket, false).finish(OWN);
            return true;
        });
        assertThat(done).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "GET / HTTP/1.1~~ | where its version belongs", "six.oh~~~~~~~~~~ | where its version belongs",
        "6.06............ | where its version belongs", "5.69~~~~~~~~~~~~ | it is perftest 5.69",
        "99999.1~~~~~~~~~ | where its version belongs"
    })
    void anotherVersionIsRefused(final String text, final String why) {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> peer.says(text.replace('~', '\0')),
            socket -> new PerftestHandshake(socket, true).agree(Mtu.MTU_1024)))
            .isInstanceOf(RdmaException.class).hasMessageContaining(why).hasMessageContaining("EINVAL");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, Integer.MIN_VALUE, 0x60000000})
    void anotherPageSizeIsRefused(final int size) {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> {
            peer.says(VERSION);
            peer.hears(VERSION);
            peer.says(ByteBuffer.allocate(4).putInt(size).array());
        }, socket -> new PerftestHandshake(socket, true).agree(Mtu.MTU_1024)))
            .isInstanceOf(RdmaException.class).hasMessageContaining("its page size is " + size);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0~", "6~", "~~", "33", "a~"})
    void anotherMtuIsRefused(final String text) {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> {
            peer.says(VERSION);
            peer.hears(VERSION);
            peer.says(PAGE);
            peer.hears(PAGE);
            peer.says(LINE);
            peer.hears(LINE);
            peer.says(text.replace('~', '\0'));
        }, socket -> new PerftestHandshake(socket, true).agree(Mtu.MTU_1024)))
            .isInstanceOf(RdmaException.class).hasMessageContaining("where its path MTU belongs");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0001:0001:000011:abcdef:fedcba98:ffff800000001000:00000000:"
            + " | start it with -x",
        "0001:0001:000011:abcdef:fedcba98:ffff800000001000:"
            + "00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00000000:~ | it tells no GID",
        "0001:0001:000011:abcdef:fedcba98:ffff800000001000:"
            + "ff:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01:00000000:~ | is none that anybody has",
        "0001:0001:000000:abcdef:fedcba98:ffff800000001000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:01:00000000:~ | is none that anybody has",
        "0001:0001:00001g:abcdef:fedcba98:ffff800000001000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:01:00000000:~ | where QP, keys and GID belong",
        "0001:0001:000011:abcdef:fedcba98:ffff800000001000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:01:00000000:x | where QP, keys and GID belong"
    })
    void keysThatMakeNoSenseAreRefused(final String text, final String why) {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> peer.says(text.replace('~', '\0')),
            socket -> new PerftestHandshake(socket, true).exchange(OWN)))
            .isInstanceOf(RdmaException.class).hasMessageContaining(why).hasMessageContaining("EINVAL");
    }

    @Test
    void keysThatChangeAreRefused() {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> {
            peer.says(THEIR_TEXT);
            peer.hears(OWN_TEXT);
            peer.says(THEIR_TEXT.replace("fedcba98", "fedcba99"));
        }, socket -> {
            final PerftestHandshake handshake = new PerftestHandshake(socket, true);
            handshake.exchange(OWN);
            return handshake.exchange(OWN);
        })).isInstanceOf(RdmaException.class).hasMessageContaining("start it with one QP");
    }

    @Test
    void whoEndsOrHangsIsNoticed() {
        assertThatThrownBy(() -> ScriptedPeer.listens(peer -> peer.hears(VERSION),
            socket -> new PerftestHandshake(socket, false).agree(Mtu.MTU_1024)))
            .isInstanceOf(RdmaException.class).hasMessageContaining("0 of 16 bytes of its version");
        assertThatThrownBy(() -> ScriptedPeer.listensFor(THEIR_TEXT.substring(0, 100), peer -> {
            peer.hears(OWN_TEXT);
            peer.hearsTheEnd();
        }, socket -> new PerftestHandshake(socket, false).exchange(OWN)))
            .isInstanceOf(RdmaException.class).hasMessageContaining("100 of 108 bytes of its keys came within 0.3 s");
    }
}
