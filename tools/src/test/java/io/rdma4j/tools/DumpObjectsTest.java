/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.dump.Sample;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.StreamSupport;

/** The objects of a device that is there, with a few objects on it. */
@Timeout(120)
@Tag("slow")
class DumpObjectsTest {
    private static JsonObject section(final String name, final String... more) {
        final List<String> line = new ArrayList<>(List.of(name, "--json"));
        line.addAll(List.of(more));
        final Cli.Outcome outcome = Cli.run(line.toArray(String[]::new));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).doesNotContain("\"invalid\"", "could not be read");
        return outcome.json().getAsJsonObject("sections").getAsJsonObject(name);
    }

    private static List<JsonObject> objects(final JsonElement array) {
        return StreamSupport.stream(array.getAsJsonArray().spliterator(), false).map(JsonElement::getAsJsonObject)
            .toList();
    }

    private static long slots(final JsonObject queue, final String state) {
        final JsonElement count = queue.getAsJsonObject("slots").get(state);
        return count == null ? 0 : count.getAsLong();
    }

    @Test
    void requestsAreInTheirPlaces() {
        final List<JsonObject> qps = objects(section("qp", "--sample").get("qps"));
        assertThat(qps).hasSize(2);
        final JsonObject near = qps.get(0);
        assertThat(near.getAsJsonObject("state").get("name").getAsString()).isEqualTo("SQD");
        final JsonObject sq = near.getAsJsonObject("sq");
        assertThat(slots(sq, "done")).as(sq.toString()).isEqualTo(2);
        assertThat(slots(sq, "executing")).as(sq.toString()).isEqualTo(2);
        assertThat(slots(sq, "pending")).as(sq.toString()).isEqualTo(2);
        assertThat(slots(sq, "free")).as(sq.toString()).isEqualTo(2);
        assertThat(sq.getAsJsonObject("counters").get("posted").getAsLong()).isEqualTo(6);
        assertThat(sq.getAsJsonObject("counters").get("retired").getAsLong()).isEqualTo(2);
        assertThat(slots(near.getAsJsonObject("rq"), "pending")).isEqualTo(6);
        assertThat(qps.get(1).has("rq")).as("takes from a shared queue").isFalse();
        final JsonObject write = objects(sq.get("wqes")).get(3).getAsJsonObject("wqe");
        assertThat(write.getAsJsonObject("opcode").get("name").getAsString()).isEqualTo("RDMA_WRITE_WITH_IMM");
        assertThat(write.has("wr.rdma.remote_addr")).isTrue();
        objects(sq.get("wqes")).forEach(wqe -> objects(wqe.get("sges"))
            .forEach(sge -> assertThat(sge.has("mr")).as(sge.toString()).isTrue()));
    }

    @Test
    void completionsAreReadOrNot() {
        final JsonObject ring = objects(section("cq", "--sample").get("cqs")).get(0).getAsJsonObject("ring");
        assertThat(slots(ring, "old")).as(ring.toString()).isEqualTo(4);
        assertThat(slots(ring, "unread")).as(ring.toString()).isEqualTo(4);
        assertThat(ring.getAsJsonObject("counters").get("completions").getAsLong()).isEqualTo(4);
        assertThat(ring.getAsJsonObject("completions_by_status").get("SUCCESS").getAsLong()).isEqualTo(4);
    }

    @Test
    void sharedBuffersAreTakenOrPending() {
        final JsonObject rq = objects(section("srq", "--sample").get("srqs")).get(0).getAsJsonObject("rq");
        assertThat(slots(rq, "taken")).as(rq.toString()).isEqualTo(4);
        assertThat(slots(rq, "pending")).as(rq.toString()).isEqualTo(2);
    }

    @Test
    void pageTablesOfRegionsLeadSomewhere() {
        final JsonObject section = section("mr", "--sample");
        final List<JsonObject> regions = objects(section.get("mrs"));
        assertThat(regions).isNotEmpty();
        for (final JsonObject region : regions) {
            final List<JsonObject> runs = objects(region.get("page_table"));
            assertThat(runs.get(0).get("first").getAsLong()).isZero();
            assertThat(runs.get(runs.size() - 1).get("last").getAsLong())
                .isEqualTo(region.get("pages").getAsLong() - 1);
            assertThat(runs).allSatisfy(run -> assertThat(run.get("iova").getAsString()).startsWith("0x")
                .isNotEqualTo("0x0"));
        }
        assertThat(section.has("note") || objects(regions.get(0).get("page_table")).get(0).has("physical"))
            .as("physical addresses, or why there are none: %s", section).isTrue();
        assertThat(objects(section.get("pds"))).isNotEmpty();
        assertThat(objects(section.get("mws"))).isNotEmpty();
    }

    @Test
    void addressHandlesAreThere() {
        final List<JsonObject> handles = objects(section("av", "--sample").get("address_handles"));
        assertThat(handles).hasSize(1);
        assertThat(handles.get(0).get("dgid").getAsString()).contains(":");
    }

    @ParameterizedTest
    @ValueSource(strings = {"qp", "cq", "srq", "mr", "cache"})
    void textIsPrinted(final String name) {
        final Cli.Outcome outcome = Cli.run(name, "--sample");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines()).anyMatch(line -> line.contains(name + ": "));
        assertThat(outcome.outLines()).as(outcome.out()).noneMatch(line -> line.startsWith("!"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"qp", "cq", "srq", "mr", "cache", "av"})
    void anEmptyDeviceIsNoError(final String name) {
        final Cli.Outcome outcome = Cli.run(name, "--json", "-d", "emulated:empty");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(JsonParser.parseString(outcome.out()).getAsJsonObject().getAsJsonObject("sections").has(name))
            .isTrue();
    }

    @Test
    void rawBytesAreThere() {
        assertThat(section("qp", "--sample", "--raw").getAsJsonArray("raw")).isNotEmpty();
    }

    @Test
    void sharedVectorsAndThoseOfADeviceAreToldApart() {
        assertThat(Cli.run("av", "-d", "emulated:empty").out()).contains("address handles and address vectors");
        assertThat(Cli.run("av", "peers", "--pid", "1").exitCode()).isEqualTo(2);
        assertThat(Cli.run("av", "-d", "emulated:empty", "--domain", "emulated:x").exitCode()).isEqualTo(2);
    }

    @Test
    void processesThatPublishNothingAreToldOf() {
        final Cli.Outcome outcome = Cli.run("qp", "--pid", "1");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).startsWith("rdma4j: ").hasLineCount(1);
    }

    /** The user who looks may be root, and the process anybody's, with a folder of any name. */
    @Test
    void theFolderOfAnotherProcessGivesNoOrdersToTheTerminal(@TempDir final Path temporary) throws IOException {
        final Path folder = Files.createDirectory(temporary.resolve("m\u001b]0;x\u0007"));
        final ProcessBuilder builder = new ProcessBuilder("sleep", "600");
        builder.environment().put("RDMA4J_STATE_DIR", folder.toString());
        final Process process = builder.start();
        try {
            Files.writeString(folder.resolve("live-" + process.pid() + "-1.dat"), "nothing");
            final Cli.Outcome outcome = Cli.run("qp", "--pid", Long.toString(process.pid()));
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.err()).startsWith("rdma4j: ").hasLineCount(1).contains("/m?]0;x?/live-");
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process look(final String... command) throws IOException {
        return new ProcessBuilder(OtherJvm.command(List.of(), Main.class, command))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** What another process sees of this one. */
    private static String seen(final String... command) throws IOException, InterruptedException {
        final Process process = look(command);
        try {
            final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(Patience.ends(process)).as(out).isTrue();
            assertThat(process.exitValue()).as(out).isZero();
            return out;
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qp", "mr"})
    void anotherProcessSeesTheSame(final String name) throws IOException, InterruptedException {
        final String pid = Long.toString(ProcessHandle.current().pid());
        try (RdmaContext context = RdmaDevices.open("emulated:seen"); Sample sample = Sample.make(context)) {
            assertThat(sample).isNotNull();
            final String theirs = seen(name, "--pid", pid, "-d", "emulated:seen", "--json");
            final Cli.Outcome ours = Cli.run(name, "--pid", pid, "-d", "emulated:seen", "--json");
            assertThat(ours.exitCode()).as(ours.err()).isZero();
            final JsonObject sections = ours.json().getAsJsonObject("sections");
            assertThat(sections.toString()).doesNotContain("invalid").contains("0x1");
            assertThat(JsonParser.parseString(theirs).getAsJsonObject().get("sections")).isEqualTo(sections);
        }
    }

    /** Requests, completions and page tables change all the time, and nothing that is said is nonsense. */
    @Test
    void aDeviceAtWorkMakesSense() throws InterruptedException {
        final String pid = Long.toString(ProcessHandle.current().pid());
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicLong sent = new AtomicLong();
        try (RdmaContext context = RdmaDevices.open("emulated:at-work")) {
            final Thread traffic = new Thread(() -> new Traffic(context).run(stop, sent), "traffic");
            traffic.start();
            try {
                for (int i = 0; i < 30; i++) {
                    for (final String name : List.of("qp", "cq", "mr")) {
                        final Cli.Outcome seen = Cli.run(name, "--pid", pid, "-d", "emulated:at-work", "--json");
                        assertThat(seen.exitCode()).as(seen.err()).isZero();
                        assertThat(seen.out()).doesNotContain("\"invalid\"", "could not be read");
                    }
                }
                awaitTraffic(traffic, sent);
            } finally {
                stop.set(true);
                Patience.join(traffic);
            }
            assertThat(sent.get()).as("messages meanwhile").isPositive();
        }
    }

    /** It may not have had a processor until now. */
    private static void awaitTraffic(final Thread traffic, final AtomicLong sent) {
        final long end = System.nanoTime() + Patience.nanos();
        while (sent.get() == 0 && traffic.isAlive() && System.nanoTime() - end < 0) {
            Patience.pause();
        }
    }

    /** Two connected QPs, one of which sends to the other for as long as it is let. */
    private static final class Traffic {
        private static final int DEPTH = 16;
        private final RdmaContext context;

        Traffic(final RdmaContext context) {
            this.context = context;
        }

        void run(final AtomicBoolean stop, final AtomicLong sent) {
            final ProtectionDomain pd = context.allocatePd();
            final CompletionQueue cq = context.createCq(4 * DEPTH);
            final PinnedMemory memory = context.allocate(4096);
            final int lkey = pd.register(memory, AccessFlag.LOCAL_WRITE).lkey();
            final QpOptions options = new QpOptions().cq(cq).maxSendWr(DEPTH).maxReceiveWr(DEPTH);
            final QueuePair near = pd.createQp(options);
            final QueuePair far = pd.createQp(options);
            QpConnector.connect(near, far.localAddress());
            QpConnector.connect(far, near.localAddress());
            while (!stop.get()) {
                assertThat(far.postReceive(7, memory.address(), 64, lkey)).isZero();
                assertThat(near.postSend(8, memory.address(), 64, lkey)).isZero();
                int polled = 0;
                while (polled < 2 && !stop.get()) {
                    polled += cq.poll(completion -> { }, 2);
                }
                sent.incrementAndGet();
            }
        }
    }
}
