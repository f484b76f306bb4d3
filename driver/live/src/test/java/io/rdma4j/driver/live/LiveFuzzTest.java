/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.rdma4j.RdmaException;
import io.rdma4j.base.LiveKind;
import io.rdma4j.testing.TestBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is in a file, a reader gets an error or a view, and a view gives what there is. */
@Timeout(180)
class LiveFuzzTest {
    private static final int RUNS = TestBudget.rounds(50, 150);
    private static final int BYTES = 400;
    private static final int CHANGE = 12;

    @BeforeAll
    static void nobodyWrites() {
        LivePlaces.waitForWriters(false);
    }

    @AfterAll
    static void asUsual() {
        LivePlaces.waitForWriters(true);
    }

    static Stream<byte[]> seeds() {
        return LongStream.range(0, RUNS).mapToObj(seed -> {
            final SplittableRandom random = new SplittableRandom(seed);
            final byte[] bytes = new byte[random.nextInt(BYTES)];
            random.nextBytes(bytes);
            return bytes;
        });
    }

    @FuzzTest(maxDuration = "60s")
    void anyBytes(final byte[] data) throws IOException {
        look(data);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void anyBytesOfFixedSeeds(final byte[] data) throws IOException {
        look(data);
    }

    /** What a process wrote, changed in places that the data say, most of which mean something. */
    @FuzzTest(maxDuration = "60s")
    void aDamagedFile(final byte[] data) throws IOException {
        look(damaged(data));
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("seeds")
    void aDamagedFileOfFixedSeeds(final byte[] data) throws IOException {
        look(damaged(data));
    }

    private static byte[] damaged(final byte[] data) {
        final LiveLayout layout = new LiveLayout(8);
        final long[] places = {0, LiveLayout.ADDRESS_OFFSET, layout.objects.index(), layout.segments.index(),
            layout.commands.index(), layout.metaData, layout.values, layout.errors, layout.commands.data(),
            layout.segments.data(), layout.objects.data()};
        final UnsafeBuffer file = sample(layout);
        final UnsafeBuffer script = new UnsafeBuffer(data);
        for (int at = 0; at + CHANGE <= data.length; at += CHANGE) {
            final long place = places[(script.getByte(at) & 0xff) % places.length];
            final int offset = (script.getShort(at + 1) & 0x3ff) * 4;
            final int length = Math.min(1 + (script.getByte(at + 3) & 7), (int) (layout.length - place - offset));
            // Not the magic number and the version: what follows would not be looked at.
            if (place + offset >= LiveLayout.STATUS_OFFSET && length > 0) {
                file.putBytes((int) place + offset, script, at + 4, length);
            }
        }
        final int cut = data.length % CHANGE == 5 ? data[data.length - 1] & 0xff : 0;
        final byte[] bytes = new byte[(int) layout.length - cut];
        file.getBytes(0, bytes);
        return bytes;
    }

    private static UnsafeBuffer sample(final LiveLayout layout) {
        final LiveDevice device = LiveDevice.unpublished("fake:", "this is a test", layout);
        LiveFixture.Sample.fill(device);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[(int) layout.length]);
        device.memory().buffer(0, layout.length).getBytes(0, bytes, 0, (int) layout.length);
        device.close();
        return bytes;
    }

    private static void look(final byte[] data) throws IOException {
        final Path file = Files.createTempFile("live", ".dat");
        try {
            Files.write(file, data);
            look(file);
        } finally {
            Files.delete(file);
        }
    }

    private static void look(final Path file) {
        try (LiveView view = LiveViews.open(file)) {
            for (final LiveKind kind : Kinds.ALL) {
                assertThat(view.objects(kind)).allMatch(object -> object.kind() == kind
                    && object.attributes().length == kind.attributes().size()
                    && object.counters().length == kind.counters().size());
            }
            assertThat(view.counters()).hasSizeLessThanOrEqualTo(LiveLayout.COUNTERS);
            assertThat(view.commands()).hasSizeLessThanOrEqualTo(LiveLayout.COMMANDS)
                .allMatch(command -> command.request().length <= LiveLayout.EXCHANGE_MAX);
            assertThat(view.errors()).allMatch(error -> error.text() != null);
            for (final LiveSegment segment : view.segments()) {
                view.read(segment.iova(), 64);
                view.read(segment.iova() + segment.length() - 1, 2);
            }
            view.isAlive();
            assertThat(view.address()).isNotNull();
            assertThat(view.description()).isNotNull();
            assertThat(view.troubles()).hasSizeLessThanOrEqualTo(100);
        } catch (final RdmaException e) {
            assertThat(e.errno()).isIn(RdmaException.EIO, 71);
        }
    }
}
