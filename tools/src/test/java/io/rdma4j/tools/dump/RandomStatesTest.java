/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveError;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.tools.dump.DumpSource.Wish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** A dump never fails, whatever is in registers, memory, entries and files. Seeds are fixed, and told on failure. */
@Timeout(60)
@Tag("slow")
class RandomStatesTest {
    private static final int STATES = 500;
    private static final int DOCUMENTS = 1_000;
    private static final long[] ODD = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x8000_0000L, 0xffff_ffffL, 0x1000,
        0xfff, Integer.MAX_VALUE};

    @Test
    void readsAndPrintsAnyState() {
        for (int seed = 0; seed < STATES; seed++) {
            final Random random = new Random(seed);
            final DumpSource source = source(random);
            for (final Section section : Sections.ALL) {
                final String what = "seed " + seed + ", section " + section.name();
                final JsonObject document = DumpDocument.read(source, List.of(section), "test", Instant.EPOCH);
                assertThat(document.toString()).as(what).doesNotContain("could not be read: java");
                assertThat(Golden.text(document)).as(what).doesNotContain("cannot be printed")
                    .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\u2028\\u2029&&[^\\n]]");
            }
        }
    }

    @Test
    void printsAnyDocument() {
        final DumpSource source = new DumpSource(
            ScriptedDevice.working(), Optional.of(ScriptedPci.working()), Set.of(Wish.RAW));
        final JsonObject good = DumpDocument.read(source, Sections.ALL, "test", Instant.EPOCH);
        for (int seed = 0; seed < DOCUMENTS; seed++) {
            final Random random = new Random(seed);
            final JsonObject document = good.deepCopy();
            for (int i = 0; i < 1 + random.nextInt(5); i++) {
                damage(document, random);
            }
            assertThat(Golden.text(document)).as("seed " + seed).doesNotContain("cannot be printed");
        }
    }

    private static DumpSource source(final Random random) {
        final ScriptedPci pci = random.nextBoolean() ? ScriptedPci.working() : new ScriptedPci();
        for (int i = 0; i < random.nextInt(64); i++) {
            pci.config.putInt(random.nextInt(64) * 4, (int) number(random));
            pci.bars[1].putInt(random.nextInt(64) * 4, (int) number(random));
            pci.bars[0].putInt(random.nextInt(64) * 4, (int) number(random));
        }
        final ScriptedView view = random.nextBoolean() ? ScriptedDevice.working() : new ScriptedView();
        for (int i = 0; i < random.nextInt(12); i++) {
            final LiveKind kind = KindsTest.ALL.get(random.nextInt(KindsTest.ALL.size()));
            view.add(kind, (int) number(random),
                random.longs(kind.attributes().size()).map(x -> number(random)).toArray());
        }
        // The last entry of a device and its shared region are what the sections look at.
        view.memory(ScriptedDevice.DSR, bytes(random, 4096)).memory(ScriptedDevice.ASYNC_RING, bytes(random, 8192))
            .memory(0, bytes(random, random.nextInt(8192)));
        for (int i = 0; i < random.nextInt(6); i++) {
            view.commands.add(command(random));
        }
        view.counters.add(new LiveCounter(1, text(random), number(random)));
        view.errors.add(new LiveError((int) number(random), number(random), number(random), text(random)));
        return new DumpSource(view, random.nextBoolean() ? Optional.of(pci) : Optional.empty(),
            random.nextBoolean() ? Set.of(Wish.RAW, Wish.ICR) : Set.of());
    }

    private static LiveCommand command(final Random random) {
        final byte[] request = random.nextBoolean() ? bytes(random, random.nextInt(300))
            : ScriptedDevice.request(number(random), Command.values()[random.nextInt(Command.values().length)]);
        return new LiveCommand(number(random), number(random), number(random),
            random.nextBoolean() ? 0 : (int) number(random), request, bytes(random, random.nextInt(300)));
    }

    private static long number(final Random random) {
        return random.nextBoolean() ? ODD[random.nextInt(ODD.length)] : random.nextLong() >>> random.nextInt(64);
    }

    private static byte[] bytes(final Random random, final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String text(final Random random) {
        return random.ints(random.nextInt(20), 0, 0x300).collect(StringBuilder::new, StringBuilder::appendCodePoint,
            StringBuilder::append).toString();
    }

    /** Takes away, replaces or doubles something somewhere. */
    private static void damage(final JsonElement element, final Random random) {
        if (element.isJsonObject() && element.getAsJsonObject().size() > 0) {
            final JsonObject object = element.getAsJsonObject();
            final String name = List.copyOf(object.keySet()).get(random.nextInt(object.size()));
            if (random.nextInt(4) == 0) {
                object.add(name, odd(random));
            } else {
                damage(object.get(name), random);
            }
        } else if (element.isJsonArray() && !element.getAsJsonArray().isEmpty()) {
            final JsonArray array = element.getAsJsonArray();
            final int at = random.nextInt(array.size());
            if (random.nextInt(4) == 0) {
                array.set(at, odd(random));
            } else {
                damage(array.get(at), random);
            }
        }
    }

    private static JsonElement odd(final Random random) {
        final JsonObject nested = new JsonObject();
        nested.add(Fields.VALUE, new JsonObject());
        nested.add(Fields.NAME, new JsonArray());
        nested.addProperty(Fields.INVALID, "odd");
        final List<JsonElement> all = List.of(JsonNull.INSTANCE, new JsonObject(), new JsonArray(), nested,
            new JsonPrimitive("x\u001b[2J"), new JsonPrimitive("0xfffffffffffffffffff"), new JsonPrimitive(1e300),
            new JsonPrimitive(-1), new JsonPrimitive(true), new JsonPrimitive(""));
        return all.get(random.nextInt(all.size()));
    }
}
