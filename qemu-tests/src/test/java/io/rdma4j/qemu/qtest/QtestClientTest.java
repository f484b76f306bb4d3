/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static io.rdma4j.qemu.qtest.FakeQtestServer.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class QtestClientTest {
    private static final int LONG_MILLIS = (int) Patience.millis();

    @TempDir
    private Path folder;

    private FakeQtestServer server;
    private QtestClient client;

    private QtestClient connect(final FakeQtestServer.Behaviour behaviour, final int timeoutMillis)
        throws IOException {
        server = new FakeQtestServer(folder.resolve("qt"), behaviour);
        client = QtestClient.connect(folder.resolve("qt"), Duration.ofMillis(timeoutMillis));
        return client;
    }

    private QtestClient answering(final String text) throws IOException {
        return connect((command, channel) -> send(channel, text), LONG_MILLIS);
    }

    @AfterEach
    void closesBoth() throws IOException {
        if (client != null) {
            client.close();
            server.close();
        }
    }

    private static void assertFailure(
        final ThrowingCallable call, final int errno, final String... words) {
        assertThatThrownBy(call).asInstanceOf(type(RdmaException.class))
            .satisfies(e -> assertThat(RdmaException.errnoName(e.errno())).isEqualTo(RdmaException.errnoName(errno)))
            .satisfies(e -> assertThat(List.of(words)).allMatch(e.getMessage()::contains, e.getMessage()));
    }

    @Test
    void sendsTheWordsThatQemuKnows() throws IOException {
        answering("OK 0x0000000000000011\n");
        client.portRead(0xcfc, 4);
        client.portRead(0xcfe, 2);
        client.portWrite(0xcf8, 4, 0x80008104);
        client.portWrite(0xcfc, 1, -1);
        client.memoryRead(0xe0004000L);
        client.memoryWrite(0xe0004010L, 0x80000000);
        assertThat(server.commands).containsExactly("inl 0xcfc", "inw 0xcfe", "outl 0xcf8 0x80008104",
            "outb 0xcfc 0xff", "readl 0xe0004000", "writel 0xe0004010 0x80000000");
        assertThat(client.roundTrips()).isEqualTo(6);
    }

    @Test
    void readsNumbersOfAnyWidth() throws IOException {
        final List<String> answers = new ArrayList<>(
            List.of("OK 0x11\n", "OK 0x00000000ffffffff\n", "OK 0x80000000\r\n"));
        connect((command, channel) -> send(channel, answers.remove(0)), LONG_MILLIS);
        assertThat(client.memoryRead(0)).isEqualTo(0x11);
        assertThat(client.memoryRead(0)).isEqualTo(-1);
        assertThat(client.memoryRead(0)).isEqualTo(0x80000000);
    }

    @Test
    void joinsAnAnswerThatComesInPieces() throws IOException {
        connect((command, channel) -> {
            for (final String piece : List.of("O", "K 0x", "12", "34\n")) {
                send(channel, piece);
                Thread.sleep(20);
            }
        }, LONG_MILLIS);
        assertThat(client.memoryRead(0)).isEqualTo(0x1234);
        assertThat(client.memoryRead(4)).isEqualTo(0x1234);
    }

    @Test
    void aRefusalIsAnErrorButTheConnectionLives() throws IOException {
        connect((command, channel) -> send(channel,
            command.equals("bogus") ? "FAIL Unknown command 'bogus'\n" : "OK\n"), LONG_MILLIS);
        assertFailure(() -> client.command("bogus"), RdmaException.EINVAL, "bogus", "Unknown command");
        assertThat(client.command("endianness")).isEmpty();
    }

    @Test
    void anAnswerThatMakesNoSenseBreaksTheConnection() throws IOException {
        answering("IRQ raise 3\n");
        assertFailure(() -> client.memoryRead(0), RdmaException.EIO, "IRQ raise 3");
        assertFailure(() -> client.memoryRead(4), RdmaException.EBADFD, "unusable since", "IRQ raise 3");
    }

    @Test
    void anAnswerWithoutANumberBreaksTheConnection() throws IOException {
        answering("OK little\n");
        assertThat(client.command("endianness")).isEqualTo("little");
        assertFailure(() -> client.memoryRead(0), RdmaException.EIO, "no number", "little");
        assertFailure(() -> client.command("endianness"), RdmaException.EBADFD);
    }

    @Test
    void anAnswerWithoutEndIsNotReadForEver() throws IOException {
        answering("x".repeat(10_000));
        assertFailure(() -> client.memoryRead(0), RdmaException.EIO, "answer without end");
    }

    @Test
    void missedDeadlineShowsWhatThereWasOfTheAnswer() throws IOException {
        connect((command, channel) -> send(channel, "OK 0x1"), LONG_MILLIS);
        final Throwable missed = Patience.cutOff(time -> {
            client.close();
            client = QtestClient.connect(folder.resolve("qt"), time);
            final Throwable seen = catchThrowable(() -> client.memoryRead(0x44));
            assertThat(seen).hasMessageContaining(time.toMillis() + " ms");
            return seen;
        }, seen -> seen.getMessage().contains("OK 0x1"));
        assertFailure(() -> {
            throw missed;
        }, RdmaException.ETIMEDOUT, "readl 0x44", "OK 0x1", "one at a time");
        assertFailure(() -> client.memoryRead(0x48), RdmaException.EBADFD, "unusable since");
    }

    @Test
    void saysThatQemuIsGone() throws IOException {
        connect((command, channel) -> channel.close(), LONG_MILLIS);
        assertFailure(() -> client.memoryRead(0), RdmaException.EIO, "closed the connection");
    }

    @Test
    void saysThatNobodyListens() {
        assertFailure(() -> QtestClient.connect(folder.resolve("nobody"), Duration.ofSeconds(1)), RdmaException.ENODEV,
            "nobody", "-qtest unix:");
    }

    @Test
    void refusesUseAfterClose() throws IOException {
        answering("OK\n").close();
        client.close();
        assertFailure(() -> client.command("endianness"), RdmaException.EBADFD, "closed");
    }

    @Test
    void aThreadThatWasInterruptedBeforeCanStillTalk() throws IOException {
        answering("OK 0x7\n");
        Thread.currentThread().interrupt();
        final int value = client.memoryRead(0);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(value).isEqualTo(7);
        assertThat(client.memoryRead(0)).isEqualTo(7);
    }

    @Test
    void threadsDoNotMixTheirCommands() throws Exception {
        connect((command, channel) -> send(channel, "OK " + command.substring("readl ".length()) + "\n"),
            LONG_MILLIS);
        final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            final int base = t * 1000;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 200; i++) {
                    final int value = client.memoryRead(base + i);
                    if (value != base + i) {
                        wrong.add(base + i + " read " + value);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        assertThat(wrong).isEmpty();
        assertThat(client.roundTrips()).isEqualTo(800);
    }

    @Test
    void commandsAreAsShortAsTheProtocolAllows() throws IOException {
        answering("OK\n");
        assertThatThrownBy(() -> client.command("x".repeat(5000))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.portRead(0, 3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closeEndsTheConnectionAtOnce() throws Exception {
        final SocketChannel[] seen = new SocketChannel[1];
        connect((command, channel) -> {
            seen[0] = channel;
            send(channel, "OK\n");
        }, LONG_MILLIS);
        client.command("endianness");
        client.close();
        final long end = System.nanoTime() + Patience.nanos();
        while (seen[0].isOpen() && System.nanoTime() - end < 0) {
            Patience.pause();
        }
        assertThat(seen[0].isOpen()).as("server's end").isFalse();
    }
}
