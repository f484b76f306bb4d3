/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

@Timeout(20)
class MadPeerTest {
    @TempDir
    private Path folder;

    private static ByteBuffer request(final int mark) {
        final ByteBuffer message = ByteBuffer.allocate(MadPeer.MESSAGE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < message.capacity(); i++) {
            message.put(i, (byte) (mark + i));
        }
        return message.putInt(0, 0).putInt(24, 77);
    }

    private static ByteBuffer receive(final SocketChannel channel) throws IOException {
        final ByteBuffer answer = ByteBuffer.allocate(MadPeer.MESSAGE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        while (answer.hasRemaining() && channel.read(answer) >= 0) {
            Thread.onSpinWait();
        }
        return answer.flip();
    }

    @Test
    void answersEachMessageWithSuccessAndOtherwiseTheSameBytes() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(folder.resolve("mad")));
            try (MadPeer peer = MadPeer.connect(folder.resolve("mad")); SocketChannel qemu = server.accept()) {
                for (int i = 1; i <= 3; i++) {
                    final ByteBuffer sent = request(i);
                    qemu.write(sent.slice(0, 100));
                    qemu.write(sent.slice(100, 260));
                    final ByteBuffer answer = receive(qemu);
                    assertThat(answer.remaining()).isEqualTo(360);
                    assertThat(answer.getInt(0)).isEqualTo(1);
                    assertThat(answer.getInt(24)).isZero();
                    assertThat(answer.putInt(0, 0).putInt(24, 77)).isEqualTo(sent);
                    assertThat(peer.answered()).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void endsWhenQemuHangsUpAndCanBeClosedTwice() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(folder.resolve("mad")));
            final MadPeer peer = MadPeer.connect(folder.resolve("mad"));
            server.accept().close();
            peer.close();
            peer.close();
            assertThat(peer.answered()).isZero();
        }
    }

    @Test
    void saysThatNobodyListens() {
        assertThatThrownBy(() -> MadPeer.connect(folder.resolve("nobody"))).isInstanceOf(RdmaException.class)
            .hasMessageContaining("nobody").hasMessageContaining("ENODEV").hasMessageContaining("-chardev socket");
    }
}
