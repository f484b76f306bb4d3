/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

/** The messages of the connector: their bytes, and that no bytes whatsoever do harm. */
class ConnectWireTest {
    private static final Hello HELLO = new Hello(Hello.Role.LISTENS, QpType.UD, Mtu.MTU_2048, 7, 255,
        new QpAddress(Gid.parse("fe80::1:2"), 0xabcdef, 0x123456, 0xfedcba98), new byte[] {9, 8, 7});
    private static final String HELLO_BYTES = "8952444d41344a0a" + "00010001" + "00000027" + "02040407" + "ff000000"
        + "fe80000000000000" + "0000000000010002" + "00abcdef" + "00123456" + "fedcba98" + "090807";

    /** Bytes that come in pieces, then nothing, or the end. */
    private static final class Pieces implements ReadableByteChannel {
        private final ByteBuffer bytes;
        private final Random random;
        private final boolean ends;

        Pieces(final byte[] bytes, final Random random, final boolean ends) {
            this.bytes = ByteBuffer.wrap(bytes);
            this.random = random;
            this.ends = ends;
        }

        @Override
        public int read(final ByteBuffer to) {
            final int most = Math.min(to.remaining(), bytes.remaining());
            if (most == 0) {
                return ends && to.hasRemaining() ? -1 : 0;
            }
            final int count = 1 + random.nextInt(most);
            to.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            return count;
        }

        int left() {
            return bytes.remaining();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    }

    private static byte[] bytes(final ByteBuffer message) {
        return Arrays.copyOfRange(message.array(), message.position(), message.limit());
    }

    private static Hello decode(final byte[] message, final Random random) throws IOException {
        final FrameReader reader = new FrameReader();
        assertThat(reader.read(new Pieces(message, random, true))).isTrue();
        assertThat(reader.kind()).isEqualTo(ConnectWire.HELLO);
        return ConnectWire.readHello(reader.payload());
    }

    private static void assertSame(final Hello actual, final Hello expected) {
        assertThat(actual.privateData()).isEqualTo(expected.privateData());
        // Arrays are equal to nothing but themselves.
        assertThat(actual).isEqualTo(new Hello(expected.role(), expected.type(), expected.pathMtu(),
            expected.maxRdAtomic(), expected.maxDestRdAtomic(), expected.address(), actual.privateData()));
    }

    @Test
    void writesHelloAsDescribed() {
        assertThat(HexFormat.of().formatHex(bytes(ConnectWire.hello(HELLO))))
            .isEqualTo(HELLO_BYTES);
    }

    @Test
    void readsWhatItWrites() throws IOException {
        final Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            final byte[] data = new byte[random.nextInt(ConnectOptions.MAX_PRIVATE_DATA + 1)];
            random.nextBytes(data);
            final Hello hello = new Hello(Hello.Role.values()[random.nextInt(2)], QpType.values()[random.nextInt(2)],
                Mtu.values()[random.nextInt(5)], random.nextInt(256), random.nextInt(256),
                new QpAddress(new Gid(random.nextLong() >>> 1, random.nextLong() | 1), random.nextInt(1 << 24),
                    random.nextInt(1 << 24), random.nextInt()), data);
            assertSame(decode(bytes(ConnectWire.hello(hello)), random), hello);
        }
    }

    @Test
    void readsOneMessageAfterTheOtherAndNotBeyond() throws IOException {
        final ByteBuffer all = ByteBuffer.allocate(4_000);
        all.put(ConnectWire.hello(HELLO)).put(ConnectWire.signal(ConnectWire.READY))
            .put(ConnectWire.signal(ConnectWire.DONE)).put(ConnectWire.refused(12, "no more"));
        final byte[] bytes = Arrays.copyOf(all.array(), all.position());
        for (int seed = 0; seed < 200; seed++) {
            final Pieces pieces = new Pieces(bytes, new Random(seed), true);
            final FrameReader reader = new FrameReader();
            for (int kind = ConnectWire.HELLO; kind <= ConnectWire.REFUSED; kind++) {
                assertThat(reader.read(pieces)).isTrue();
                assertThat(reader.kind()).isEqualTo(kind);
                if (kind < ConnectWire.REFUSED) {
                    reader.next();
                }
            }
            assertThat(ConnectWire.refusal(reader.payload())).hasMessage("it refused: no more");
            assertThat(pieces.left()).isZero();
        }
    }

    @Test
    void refusesAtTheFirstByteThatIsNotOfTheProtocol() {
        final FrameReader reader = new FrameReader();
        final Throwable thrown = catchThrowable(() ->
            reader.read(new Pieces("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII), new Random(3), false)));
        assertThat(thrown).isInstanceOf(ConnectWire.BadMessage.class).hasMessageContaining("another protocol: \"G");
    }

    @Test
    void tellsAnotherVersionAndReadsItsRefusal() throws IOException {
        final byte[] hello = bytes(ConnectWire.hello(HELLO));
        hello[9] = 2;
        final Throwable thrown = catchThrowable(() -> new FrameReader().read(new Pieces(hello, new Random(1), true)));
        assertThat(thrown).hasMessage("it speaks version 2 of this protocol, here is 1");
        assertThat(((ConnectWire.BadMessage) thrown).errno()).isEqualTo(93);
        final byte[] refusal = bytes(ConnectWire.refused(93, "too old"));
        refusal[9] = 2;
        final FrameReader reader = new FrameReader();
        assertThat(reader.read(new Pieces(refusal, new Random(1), true))).isTrue();
        assertThat(ConnectWire.refusal(reader.payload())).hasMessage("it refused: too old");
    }

    @Test
    void cutsAndCleansWhatAPeerSaysOfItself() throws IOException {
        final byte[] refusal = bytes(ConnectWire.refused(-5, "\u001b[2J\n%s" + "x".repeat(10_000)));
        assertThat(refusal).hasSize(ConnectWire.HEADER_LENGTH + 4 + ConnectWire.MAX_TEXT);
        final FrameReader reader = new FrameReader();
        assertThat(reader.read(new Pieces(refusal, new Random(1), true))).isTrue();
        final RdmaException said = ConnectWire.refusal(reader.payload()).from("p", "connect");
        assertThat(said).hasMessageContaining("it refused: ?[2J?%sxxx");
        assertThat(said.errno()).as("an errno that there is not").isEqualTo(71);
    }

    @Test
    void tellsHowMuchOfAMessageCame() {
        final byte[] hello = bytes(ConnectWire.hello(HELLO));
        for (int length = 0; length < hello.length; length++) {
            final byte[] part = Arrays.copyOf(hello, length);
            final Throwable thrown = catchThrowable(() ->
                new FrameReader().read(new Pieces(part, new Random(part.length), true)));
            assertThat(thrown).as("%d bytes", length).isInstanceOf(ConnectWire.BadMessage.class)
                .hasMessageContaining(length == 0 ? "closed the connection" : " after " + length + " of ");
            assertThat(((ConnectWire.BadMessage) thrown).errno()).isEqualTo(104);
        }
    }

    @Test
    void refusesEveryFieldOutOfRange() {
        final byte[][] bad = {
            {10, 1}, {11, 5}, {11, 0}, {12, 1}, {13, 1}, {14, 8}, {15, 35}, {16, 0}, {16, 3}, {17, 3}, {18, 0}, {18, 6},
            {18, -1}, {21, 1}, {23, 1}, {24, -1}, {40, 1}, {44, 1},
        };
        for (final byte[] change : bad) {
            final byte[] hello = bytes(ConnectWire.hello(HELLO));
            hello[change[0]] = change[1];
            assertThat(catchThrowable(() -> decode(hello, new Random(5))))
                .as("byte %d is %d", change[0], change[1]).isInstanceOf(ConnectWire.BadMessage.class);
        }
    }

    /** Whatever comes: a message, a wish for more, or a refusal; in bounded memory, and never another exception. */
    @Test
    void survivesAnyBytes() throws IOException {
        final long seed = 20_260_101;
        final Random random = new Random(seed);
        final byte[][] good = {
            bytes(ConnectWire.hello(HELLO)), bytes(ConnectWire.signal(ConnectWire.READY)),
            bytes(ConnectWire.refused(22, "because")),
        };
        final int[] outcomes = new int[3];
        for (int round = 0; round < 200_000; round++) {
            outcomes[feed(mutated(good[random.nextInt(good.length)], random), random, "seed " + seed + " round "
                + round)]++;
        }
        assertThat(outcomes).as("complete, incomplete, refused: all were tried").doesNotContain(0);
    }

    private static byte[] mutated(final byte[] message, final Random random) {
        final byte[] bytes = Arrays.copyOf(message, random.nextInt(message.length + 20));
        // Mostly behind the magic, else nothing gets further.
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            final int at = random.nextInt(8) == 0 || bytes.length < 9 ? random.nextInt(bytes.length)
                : 8 + random.nextInt(bytes.length - 8);
            bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }

    private static int feed(final byte[] bytes, final Random random, final String where) throws IOException {
        final FrameReader reader = new FrameReader();
        try {
            if (!reader.read(new Pieces(bytes, random, random.nextBoolean()))) {
                return 1;
            }
            assertThat(reader.payload().limit()).as(where).isLessThanOrEqualTo(ConnectWire.MAX_PAYLOAD);
            if (reader.kind() == ConnectWire.HELLO) {
                ConnectWire.readHello(reader.payload());
            } else if (reader.kind() == ConnectWire.REFUSED) {
                ConnectWire.refusal(reader.payload());
            }
            return 0;
        } catch (final ConnectWire.BadMessage e) {
            assertThat(e.from("p", where)).as(where).hasMessageContaining(e.getMessage());
            return 2;
        }
    }
}
