/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.QpKind;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongFunction;

/** Queues, completions, regions, address handles and caches of a scripted device. */
@Timeout(120)
class ObjectSectionsTest {
    private static final int HOST_PAGE = 4096;
    private static final LongFunction<PageMap> NO_RIGHT = pid -> new PageMap(Path.of("/nowhere/pagemap"), HOST_PAGE);

    @TempDir
    private Path folder;

    private static DumpSource source(final ScriptedView view) {
        return new DumpSource(view, Optional.empty(), Set.of());
    }

    /** Of the region: page n is in frame 0x800 + n, but for page 2, which is swapped out, and 3, which is not there. */
    private LongFunction<PageMap> pageMap() throws IOException {
        final Path file = folder.resolve("pagemap");
        final ByteBuffer words = ByteBuffer.allocate(10 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (int page = 0; page < 10; page++) {
            words.putLong(page == 2 ? 1L << 62 : page == 3 ? 0 : 1L << 63 | 0x800 + page);
        }
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            out.write(words.flip(), ScriptedRings.REGION_ADDRESS / HOST_PAGE * Long.BYTES);
        }
        return pid -> new PageMap(file, HOST_PAGE);
    }

    @Test
    void queuePairs() {
        Golden.check("qp", Golden.document(source(ScriptedRings.view()), new QpSection(NO_RIGHT)));
    }

    @Test
    void completionQueues() {
        Golden.check("cq", Golden.document(source(ScriptedRings.view()), new CqSection(NO_RIGHT)));
    }

    @Test
    void sharedReceiveQueues() {
        Golden.check("srq", Golden.document(source(ScriptedRings.view()), new SrqSection(NO_RIGHT)));
    }

    /** They called the driver's numbers wr_id. */
    @Test
    void reportsFromBeforeAreShown() {
        for (final Section section : List.of(new QpSection(NO_RIGHT), new CqSection(NO_RIGHT))) {
            final JsonObject now = Golden.document(source(ScriptedRings.view()), section);
            final String before = now.toString().replace("\"number\":", "\"wr_id\":");
            assertThat(before).isNotEqualTo(now.toString());
            assertThat(Golden.text(JsonParser.parseString(before).getAsJsonObject())).contains("wr_id  opcode", "0x6")
                .doesNotContain("number", "Exception");
        }
    }

    @Test
    void regionsWithPhysicalAddresses() throws IOException {
        Golden.check("mr", Golden.document(source(ScriptedRings.view()), new MrSection(pageMap())));
    }

    @Test
    void addressHandlesAndVectors() {
        Golden.check("av", Golden.document(source(ScriptedRings.view()), new AvSection()));
    }

    @Test
    void caches() {
        Golden.check("cache", Golden.document(source(ScriptedRings.view()), new CacheSection()));
    }

    @Test
    void withoutRightThereIsOneSentence() {
        final String text =
            Golden.text(Golden.document(source(ScriptedRings.view()), new MrSection(NO_RIGHT)));
        assertThat(text).containsOnlyOnce("no right to see physical addresses").doesNotContain("physical 0x")
            .contains("pages 0-3: iova 0x200000000", "pages 4-9: iova 0x200014000");
    }

    @Test
    void bytesAreThereIfAskedFor() {
        final DumpSource raw = new DumpSource(ScriptedRings.view(), Optional.empty(), EnumSet.of(DumpSource.Wish.RAW));
        for (final Section section : List.of(new QpSection(NO_RIGHT), new CqSection(NO_RIGHT),
            new SrqSection(NO_RIGHT), new MrSection(NO_RIGHT))) {
            final List<JsonObject> pieces = Nodes.objects(section.read(raw), Raw.RAW);
            assertThat(pieces).as(section.name()).isNotEmpty();
            assertThat(Nodes.text(pieces.get(0), Raw.BYTES).length()).isGreaterThanOrEqualTo(2 * HOST_PAGE);
            assertThat(section.read(source(ScriptedRings.view())).has(Raw.RAW)).isFalse();
        }
    }

    @Test
    void corruptIndicesAreMarkedAndSlotsAreShownAllTheSame() {
        final ScriptedView view = ScriptedRings.view();
        final byte[] state = new byte[RingState.LENGTH];
        ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 0xdead).putInt(4, 0);
        view.memoryFirst(ScriptedRings.QP_RING, state);
        final String text = Golden.text(Golden.document(source(view), new QpSection(NO_RIGHT)));
        assertThat(text).contains("prod_tail 0xdead: no index of a ring of 4 slots", "unknown 4");
        assertThat(text.lines().filter(line -> line.startsWith("!") && line.contains("send queue"))).isNotEmpty();
    }

    @Test
    void ringsThatMoveAreToldOf() {
        final ScriptedView view = ScriptedRings.view();
        final int[] reads = new int[1];
        view.onRead(() -> {
            final byte[] state = new byte[RingState.LENGTH];
            ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN).putInt(0, reads[0]++ % 4);
            view.memoryFirst(ScriptedRings.QP_RING, state);
        });
        assertThat(Golden.text(Golden.document(source(view), new QpSection(NO_RIGHT))))
            .contains("in motion: the indices changed while the slots were read");
    }

    /** Of those that the completions name, 3 is there as soon as the rings are read, and 0x55 never. */
    @Test
    void queuePairsThatAreMadeMeanwhileAreNoNonsense() {
        final ScriptedView view = ScriptedRings.view();
        final List<LiveObject> qps = view.objects(QpKind.KIND);
        view.objects.removeAll(qps);
        view.onRead(() -> {
            view.objects.addAll(qps);
            view.onRead(() -> { });
        });
        final JsonObject late = new CqSection(NO_RIGHT).read(source(view));
        assertThat(late).isEqualTo(new CqSection(NO_RIGHT).read(source(ScriptedRings.view())));
        assertThat(late.toString()).containsOnlyOnce("no queue pair has this handle");
    }

    /** Number 7 was executing when the counters were read; 11 is the next one in its slot, and 12 is never there. */
    @ParameterizedTest
    @CsvSource({"7, false", "11, false", "12, true", "3, false", "6, true"})
    void whatFollowsInASlotIsNoNonsense(final long number, final boolean isMarked) {
        final ScriptedView view = ScriptedRings.view();
        SqWqe.wrId(ring(view), sendWqe(3), number);
        final JsonObject qp = Nodes.objects(new QpSection(NO_RIGHT).read(source(view)), "qps").get(0);
        assertThat(qp.toString().contains("in this slot it is 0x7 modulo 0x8")).isEqualTo(isMarked);
    }

    private static UnsafeBuffer ring(final ScriptedView view) {
        return new UnsafeBuffer(view.memories().stream().filter(bytes -> bytes.length == 3 * Pdir.PAGE_SIZE).findFirst()
            .orElseThrow());
    }

    private static int sendWqe(final int slot) {
        return Pdir.PAGE_SIZE + slot * SqWqe.stride(2);
    }

    /** Of a fast region the low byte may be any. What slot 1 had is done, and its region may be closed since. */
    @ParameterizedTest
    @CsvSource({"3, 0x11, 8, false", "3, 0x12345, 8, true", "3, 0, 8, true", "3, 0x12345, 0, false",
        "3, 0x4433, 8, false", "3, 0x77ab, 8, false", "3, 0x78ab, 8, true", "1, 0x12345, 8, false"})
    void keysOfNothingAreMarkedWhileTheDeviceMayMeetThem(
        final int slot, final int lkey, final int length, final boolean isMarked) {
        final ScriptedView view = ScriptedRings.view();
        view.add(MrKind.KIND, 8, 1, 0x7701, 0x8801, 0, 0, 0, 0, 0, 0, MrKind.FAST);
        final int sge = sendWqe(slot) + SqWqe.SGE_OFFSET;
        Sge.set(ring(view), sge, ScriptedRings.REGION_ADDRESS, length, lkey);
        Sge.lkey(ring(view), sendWqe(0) + SqWqe.SGE_OFFSET + Sge.LENGTH, ScriptedRings.LKEY);
        final String text = Golden.text(Golden.document(source(view), new QpSection(NO_RIGHT)));
        assertThat(text).contains("+" + length + " lkey 0x" + Integer.toHexString(lkey));
        assertThat(text.contains("lkey: no region has this key")).isEqualTo(isMarked);
    }

    @Test
    void regionsThatAreMadeMeanwhileAreNoNonsense() {
        final ScriptedView view = ScriptedRings.view();
        final List<LiveObject> regions = view.objects(MrKind.KIND);
        view.objects.removeAll(regions);
        view.onRead(() -> {
            view.objects.addAll(regions);
            view.onRead(() -> { });
        });
        assertThat(new QpSection(NO_RIGHT).read(source(view)))
            .isEqualTo(new QpSection(NO_RIGHT).read(source(ScriptedRings.view())));
    }

    @Test
    void memoryThatCannotBeReadIsToldOf() {
        final ScriptedView view = new ScriptedView();
        ScriptedRings.view().objects.forEach(view.objects::add);
        for (final Section section : List.of(new QpSection(NO_RIGHT), new CqSection(NO_RIGHT),
            new SrqSection(NO_RIGHT), new MrSection(NO_RIGHT))) {
            final JsonObject document = Golden.document(source(view), section);
            assertThat(Golden.text(document)).as(section.name()).contains("cannot be read");
            assertThat(Golden.text(document)).doesNotContain("could not be read: java");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 300, 4_000, 50_000})
    void garbageNeverThrows(final long seed) {
        final Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            final ScriptedView view = garbage(random);
            for (final Section section : List.of(new QpSection(NO_RIGHT), new CqSection(NO_RIGHT),
                new SrqSection(NO_RIGHT), new MrSection(NO_RIGHT), new AvSection(), new CacheSection())) {
                final JsonObject document = Golden.document(source(view), section);
                final String text = Golden.text(document);
                assertThat(text).as("seed %d round %d", seed, round)
                    .doesNotContain("could not be read: ", "it cannot be printed");
            }
        }
    }

    /** The scripted device with random numbers in places, few or many, in objects and in memory. */
    private static ScriptedView garbage(final Random random) {
        final ScriptedView view = ScriptedRings.view();
        final int every = 1 + random.nextInt(30);
        for (final LiveObject object : view.objects) {
            scramble(random, every, object.attributes());
            scramble(random, every, object.counters());
        }
        view.memories().forEach(bytes -> {
            for (int i = 0; i < bytes.length; i++) {
                if (random.nextInt(4 * every) == 0) {
                    bytes[i] = (byte) random.nextInt();
                }
            }
        });
        return view;
    }

    private static void scramble(final Random random, final int every, final long[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            if (random.nextInt(every) == 0) {
                numbers[i] = switch (random.nextInt(4)) {
                    case 0 -> random.nextLong();
                    case 1 -> random.nextInt();
                    case 2 -> random.nextInt(64);
                    default -> 1L << random.nextInt(64);
                };
            }
        }
    }

    @Test
    void documentsOfSomebodyElsePrintWithoutAnException() {
        for (final Section section : List.of(new QpSection(NO_RIGHT), new CqSection(NO_RIGHT),
            new SrqSection(NO_RIGHT), new MrSection(NO_RIGHT), new AvSection(), new CacheSection())) {
            final JsonObject document = Golden.document(source(ScriptedRings.view()), section);
            JsonMess.variants(document, 400).forEach(mess ->
                assertThat(Golden.text(mess)).doesNotContain("it cannot be printed"));
        }
    }

    @Test
    void manySmallPiecesAreCutOff() {
        final ScriptedView view = new ScriptedView();
        view.add(MrKind.KIND, 1, 1, 2, 2, 1, 0x1000, 20_000L * HOST_PAGE, 0x1000, 0x1000, 20_000);
        final ByteBuffer directory = ByteBuffer.allocate(HOST_PAGE).order(ByteOrder.LITTLE_ENDIAN);
        for (int table = 0; table < 40; table++) {
            directory.putLong(0x2000L + (long) table * HOST_PAGE);
        }
        view.memory(0x1000, directory.array());
        final ByteBuffer tables = ByteBuffer.allocate(40 * HOST_PAGE).order(ByteOrder.LITTLE_ENDIAN);
        for (int page = 0; page < 20_000; page++) {
            tables.putLong((page + 1L) * 2 * HOST_PAGE);
        }
        view.memory(0x2000, tables.array());
        final JsonObject mr = Nodes.objects(new MrSection(NO_RIGHT).read(source(view)), "mrs").get(0);
        assertThat(Nodes.array(mr, "page_table")).hasSize(4096);
        assertThat(Nodes.number(mr, "pages_left_out", 0)).isEqualTo(20_000 - 4096);
        assertThat(view.objects.get(0).attribute(MrKind.PAGES)).isEqualTo(20_000);
    }
}
