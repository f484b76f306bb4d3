/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Loopback;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The exchange of ibv_rc_pingpong, byte for byte, with programs that follow it and with some that do not. */
class PingpongHandshakeTest {
    private static final QpAddress OWN = new QpAddress(Gid.parse("::ffff:192.0.2.2"), 0x4321, 0xfffff0, 0);
    private static final String OWN_TEXT = "0000:004321:fffff0:00000000000000000000ffffc0000202\0";
    private static final QpAddress THEIRS =
        new QpAddress(Gid.parse("::ffff:192.0.2.1"), 0x11, 0xabcdef, PingpongHandshake.QKEY);
    private static final String THEIR_TEXT = "0001:000011:abcdef:00000000000000000000ffffc0000201\0";
    private static final String DONE = "done\0";

    private final List<QpAddress> connected = new ArrayList<>();

    private QpAddress client(final ForeignSocket socket) {
        return PingpongHandshake.asClient(socket, OWN, connected::add);
    }

    private QpAddress server(final ForeignSocket socket) {
        return PingpongHandshake.asServer(socket, OWN, connected::add);
    }

    @Test
    void theClientTellsFirstAndHasTheLastWord() throws Exception {
        final QpAddress theirs = ScriptedPeer.listens(peer -> {
            peer.hears(OWN_TEXT);
            peer.says(THEIR_TEXT);
            peer.hears(DONE);
            peer.hearsTheEnd();
        }, this::client);
        assertThat(theirs).isEqualTo(THEIRS);
        assertThat(connected).containsExactly(THEIRS);
    }

    /** It connects before it answers: the client may send at once. */
    @Test
    void theServerIsReadyBeforeItAnswers() throws Exception {
        final List<Integer> connectedAtAnswer = new ArrayList<>();
        final QpAddress theirs = ScriptedPeer.connects(peer -> {
            peer.says(THEIR_TEXT);
            peer.hears(OWN_TEXT);
            connectedAtAnswer.add(connected.size());
            peer.says(DONE);
            peer.hearsTheEnd();
        }, this::server);
        assertThat(theirs).isEqualTo(THEIRS);
        assertThat(connectedAtAnswer).containsExactly(1);
    }

    @Test
    void aMessageMayComeInPiecesAndInCapitals() throws Exception {
        final QpAddress theirs = ScriptedPeer.connects(peer -> {
            for (final String piece : THEIR_TEXT.toUpperCase(Locale.ROOT).split("(?<=\\G.{7})")) {
                peer.says(piece);
            }
            peer.hears(OWN_TEXT);
            peer.says(DONE);
        }, this::server);
        assertThat(theirs).isEqualTo(THEIRS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "GET / HTTP/1.1 and so on, and much more of this kind | where LID, QP, PSN and GID belong",
        "0001:000011:abcdef:00000000000000000000ffffc000020.~ | where LID, QP, PSN and GID belong",
        "0001:00001g:abcdef:00000000000000000000ffffc0000201~ | where LID, QP, PSN and GID belong",
        "-001:000011:abcdef:00000000000000000000ffffc0000201~ | where LID, QP, PSN and GID belong",
        "0001:000011:abcdef:00000000000000000000ffffc0000201x | where LID, QP, PSN and GID belong",
        "0001:000011:abcdef:00000000000000000000000000000000~ | it tells no GID",
        "0001:000011:abcdef:ff020000000000000000000000000001~ | is none that anybody has",
        "0001:000001:abcdef:00000000000000000000ffffc0000201~ | is none that anybody has",
        "0001:ffffff:abcdef:00000000000000000000ffffc0000201~ | is none that anybody has"
    })
    void whoSaysSomethingElseIsRefused(final String text, final String why) {
        final String bytes = text.replace('~', '\0');
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> peer.says(bytes), this::server))
            .isInstanceOf(RdmaException.class).hasMessageContaining(why).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> ScriptedPeer.listens(peer -> {
            peer.hears(OWN_TEXT);
            peer.says(bytes);
        }, this::client)).isInstanceOf(RdmaException.class).hasMessageContaining(why);
        assertThat(connected).isEmpty();
    }

    @Test
    void anotherLastWordIsRefused() {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> {
            peer.says(THEIR_TEXT);
            peer.hears(OWN_TEXT);
            peer.says("dune\0");
        }, this::server)).isInstanceOf(RdmaException.class).hasMessageContaining("it said 'dune' where 'done' belongs");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 51})
    void whoEndsIsNoticed(final int length) {
        assertThatThrownBy(() -> ScriptedPeer.connects(peer -> peer.says(THEIR_TEXT.substring(0, length)),
            this::server)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("ended the connection after " + length + " of 52 bytes of its address");
    }

    @Test
    void whoHangsIsNotWaitedForForEver() {
        assertThatThrownBy(() -> ScriptedPeer.listensFor(THEIR_TEXT.substring(0, 20), peer -> {
            peer.hears(OWN_TEXT);
            peer.hearsTheEnd();
        }, this::client)).isInstanceOf(RdmaException.class).hasMessageContaining("ETIMEDOUT")
            .hasMessageContaining("20 of 52 bytes of its address came within 0.3 s");
    }

    @Test
    void nobodyIsThere() throws Exception {
        try (ForeignListener listener =
            new ForeignListener(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            assertThatThrownBy(() -> listener.accept(Duration.ofMillis(50), Duration.ofSeconds(10)))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("nobody came within 0.05 s").hasMessageContaining("ETIMEDOUT");
            assertThatThrownBy(() -> new ForeignListener(listener.address())).isInstanceOf(RdmaException.class)
                .hasMessageContaining("listen for another program");
        }
        try (Socket deaf = Loopback.deafPort()) {
            assertThatThrownBy(() -> ForeignSocket.connect(
                (InetSocketAddress) deaf.getLocalSocketAddress(), Duration.ofSeconds(30)))
                .isInstanceOf(RdmaException.class).hasMessageContaining("start the other program first");
        }
        assertThatThrownBy(() -> ForeignSocket.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1),
            Duration.ofSeconds(30))).isInstanceOf(RdmaException.class).hasMessageContaining("unknown host");
    }
}
