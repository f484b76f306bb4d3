/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;

import java.nio.ByteOrder;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that sends what it likes costs its channel, and nothing else. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ChannelHostileTest {
    private static final int STEPS = 20_000;
    private static final int MEMORY = 1 << 16;
    private static final int MOST = 3_000;
    private static final int STRIDE = 4_096;
    private static final byte GUARD = 0x5a;

    private final UnsafeBuffer source = ModelEnd.area(1, MEMORY).buffer();
    private final UnsafeBuffer target = ModelEnd.area(1, MEMORY).buffer();
    private ModelEnd honest;
    private ModelEnd hostile;
    private int broken;

    private void connect(final Random random) {
        honest = new ModelEnd(true, 1 + random.nextInt(2), 4 + random.nextInt(8), 64 + random.nextInt(200), 8);
        hostile = new ModelEnd(false, 1 + random.nextInt(2), 4 + random.nextInt(8), 64 + random.nextInt(200), 8);
        honest.wire.mayOverrun = true;
        hostile.wire.mayOverrun = true;
        ModelEnd.connect(honest, hostile);
    }

    /** Names its reason, and is closed; what it held is free. */
    private void renew(final Random random) {
        if (honest.broken == null && !honest.left) {
            return;
        }
        broken += honest.broken == null ? 0 : 1;
        honest.channel.drop();
        assertThat(honest.contexts[0].waiting()).as("%s", honest).isZero();
        assertThat(honest.drained).isPositive();
        connect(random);
    }

    private void step(final Random random) {
        final boolean isHonest = random.nextBoolean();
        final ModelEnd one = isHonest ? honest : hostile;
        switch (random.nextInt(7)) {
            case 0, 1 -> one.send(random.nextInt(2), source.addressOffset(), random.nextInt(MOST), null,
                random.nextBoolean(), 1);
            case 2 -> {
                final int at = random.nextInt(MEMORY / STRIDE) * STRIDE;
                one.receive(random.nextInt(one.contexts.length), target.addressOffset() + at, random.nextInt(MOST),
                    null, 1);
            }
            case 3 -> one.progress();
            case 4 -> {
                if (random.nextInt(8) == 0) {
                    hostile.wire.tamper(random);
                }
            }
            default -> one.wire.move(one, isHonest ? hostile : honest);
        }
        // It goes on as if nothing was wrong with what it is told.
        hostile.broken = null;
    }

    /** Two ends of which the honest one has greeted, and the other one's answer is on its way. */
    private void greet() {
        honest = new ModelEnd(true, 1, 4, 64, 8);
        hostile = new ModelEnd(false, 1, 4, 64, 8);
        ModelEnd.connect(honest, hostile);
        assertThat(honest.wire.move(honest, hostile)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"version, 16, 4, 0", "version, 16, 4, 2", "contexts, 2, 2, 0", "bytes, 8, 4, 0", "bytes, 8, 4, -1",
        "slots, 12, 4, 0", "slots, 12, 4, -1"})
    void aHelloThatSaysNothingUsefulEndsIt(final String field, final int at, final int bytes, final int value) {
        greet();
        hostile.wire.alter(header -> header.setMemory(at, bytes, (byte) value));

        hostile.wire.move(hostile, honest);

        assertThat(honest.broken).as(field).contains("it said hello with version");
        assertThat(honest.greeted).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12})
    void oneSlotOfOneByteIsUseful(final int at) {
        greet();
        hostile.wire.alter(header -> header.putInt(at, 1, ByteOrder.LITTLE_ENDIAN));
        hostile.wire.move(hostile, honest);
        assertThat(honest.broken).isNull();
        assertThat(honest.greeted).isTrue();
    }

    /** With these it could be sent more than it has room for. */
    @Test
    void creditsThatWereNeverTakenEndIt() {
        greet();
        hostile.wire.move(hostile, honest);
        assertThat(honest.send(0, source.addressOffset(), 8, null, false, 1)).isZero();
        for (int i = 0; i < 2; i++) {
            assertThat(honest.broken).isNull();
            assertThat(hostile.send(0, source.addressOffset(), 8, null, false, 1)).isZero();
            hostile.wire.alter(header -> header.putShort(Integer.BYTES, (short) 1, ByteOrder.LITTLE_ENDIAN));
            hostile.wire.move(hostile, honest);
        }
        assertThat(honest.broken).contains("with 1 credits");
    }

    @Campaign(value = "hostile-peer", usual = 6)
    void headersAtRandom(final long seed) {
        final Random random = new Random(seed);
        target.setMemory(0, MEMORY, GUARD);
        connect(random);
        for (int i = 0; i < STEPS; i++) {
            step(random);
            renew(random);
            honest.got.forEach(got -> assertThat(got.length()).isBetween(0, MOST));
            honest.got.clear();
            honest.sent.clear();
            hostile.got.clear();
            hostile.sent.clear();
        }
        CampaignSeeds.count("steps", STEPS);
        assertThat(broken).as("channels that ended").isPositive();
        for (int at = 0; at < MEMORY; at += STRIDE) {
            for (int i = MOST; i < STRIDE; i++) {
                assertThat(target.getByte(at + i)).as("byte %d behind a receive", i).isEqualTo(GUARD);
            }
        }
    }
}
