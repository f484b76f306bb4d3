/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveError;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveSegment;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** Sums and rates of a device whose queues come and go. */
class WatchedTest {
    private static final Key POSTED = new Key(Key.Group.TOTALS, "posted_sends", "posted sends");

    private final ScriptedDevice device = new ScriptedDevice();
    private final Watched watched = new Watched(device, 3);

    /** A device in a state that a test wrote down. */
    private static final class ScriptedDevice implements LiveView {
        private final List<LiveObject> objects = new ArrayList<>();
        private final List<LiveCounter> counters = new ArrayList<>();
        private final List<String> troubles = new ArrayList<>();
        private String address = "emulated:";

        LiveObject add(final LiveKind kind, final int id, final int place, final long total) {
            final LiveObject object = new LiveObject(
                kind, id, 100 + id, new long[kind.attributes().size()], new long[LiveKind.MAX_COUNTERS]);
            object.counters()[place] = total;
            objects.add(object);
            return object;
        }

        @Override
        public long pid() {
            return 1234;
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public String description() {
            return "scripted \"device\"";
        }

        @Override
        public long openedMillis() {
            return 0;
        }

        @Override
        public boolean isAlive() {
            return true;
        }

        /** Copies, as of a real one. */
        @Override
        public List<LiveObject> objects(final LiveKind kind) {
            return objects.stream().filter(object -> object.kind() == kind).map(object -> new LiveObject(kind,
                object.id(), object.handle(), object.attributes().clone(), object.counters().clone())).toList();
        }

        @Override
        public List<LiveCounter> counters() {
            return List.copyOf(counters);
        }

        @Override
        public List<LiveError> errors() {
            return List.of();
        }

        @Override
        public List<LiveCommand> commands() {
            return List.of();
        }

        @Override
        public List<LiveSegment> segments() {
            return List.of();
        }

        @Override
        public Optional<byte[]> read(final long iova, final int length) {
            return Optional.empty();
        }

        @Override
        public List<String> troubles() {
            return List.copyOf(troubles);
        }

        @Override
        public List<String> takeTroubles() {
            final List<String> taken = troubles();
            troubles.clear();
            return taken;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static String print(final StatPrinter printer, final Frame frame) {
        final StringWriter text = new StringWriter();
        final PrintWriter out = new PrintWriter(text);
        printer.print(List.of(frame), Instant.EPOCH, out);
        out.flush();
        return text.toString();
    }

    @Test
    void theFirstLookHasNoRates() {
        device.add(QpKind.KIND, 1, QpKind.SQ_POSTED, 7);
        final Frame frame = watched.look();
        assertThat(frame.sums()).containsEntry(POSTED, 7L);
        assertThat(frame.rate(POSTED)).isNaN();
        assertThat(print(new StatText(true), frame)).containsPattern("posted sends +7 +-\n");
    }

    @Test
    void ratesAreGrowthByTime() {
        final LiveObject qp = device.add(QpKind.KIND, 1, QpKind.SQ_POSTED, 7);
        watched.look();
        qp.counters()[QpKind.SQ_POSTED] = 107;
        final Frame frame = watched.look();
        assertThat(frame.seconds()).isPositive();
        assertThat(frame.rate(POSTED)).isEqualTo(100 / frame.seconds());
        assertThat(frame.rate(frame.objects().get(0), Metric.POSTED_SENDS)).isEqualTo(100 / frame.seconds());
    }

    /** Those of a closed queue stay in the total of the device, however often queues come and go. */
    @Test
    void totalsDoNotGoBack() {
        for (int id = 1; id <= 50; id++) {
            device.objects.clear();
            device.add(QpKind.KIND, id, QpKind.SQ_POSTED, 10);
            assertThat(watched.look().sums()).as("after %d queues", id).containsEntry(POSTED, 10L * id);
        }
        device.objects.clear();
        for (int i = 0; i < 20; i++) {
            final Frame frame = watched.look();
            assertThat(frame.sums()).containsEntry(POSTED, 500L);
            assertThat(frame.rate(POSTED)).isZero();
        }
    }

    /** One that was just being written when it was read, is there again at the next look. */
    @Test
    void aQueueThatWasMissedOnceIsNotCountedTwice() {
        device.add(QpKind.KIND, 1, QpKind.SQ_POSTED, 10);
        watched.look();
        final List<LiveObject> there = List.copyOf(device.objects);
        device.objects.clear();
        assertThat(watched.look().sums()).containsEntry(POSTED, 10L);
        device.objects.addAll(there);
        assertThat(watched.look().sums()).containsEntry(POSTED, 10L);
    }

    @Test
    void whatIsOpenNowIsNoTotal() {
        final LiveObject qp = device.add(QpKind.KIND, 1, QpKind.SQ_POSTED, 10);
        qp.counters()[QpKind.SQ_RETIRED] = 4;
        final Key outstanding = new Key(Key.Group.GAUGES, "outstanding_sends", "outstanding sends");
        assertThat(watched.look().sums()).containsEntry(outstanding, 6L);
        device.objects.clear();
        assertThat(watched.look().sums()).containsEntry(outstanding, 0L);
    }

    @Test
    void countersOfTheDeviceHaveNamesOfTheirOwnOrTheirLabel() {
        device.counters.add(new LiveCounter(0, "commands", 5));
        device.counters.add(new LiveCounter(1, "device: receiver not ready", 6));
        device.counters.add(new LiveCounter(2, "reachable bytes", 4096));
        device.counters.add(new LiveCounter(3, "journal troubles", 8));
        final String text = print(new Prometheus(), watched.look());
        final String labels = "{pid=\"1234\",device=\"emulated:\",number=\"3\"";
        assertThat(text).contains("\nrdma4j_commands_total" + labels + "} 5\n", "\nrdma4j_rnr_total" + labels + "} 6\n",
            "# TYPE rdma4j_reachable_bytes gauge\nrdma4j_reachable_bytes" + labels + "} 4096\n",
            "\nrdma4j_device_events_total" + labels + ",event=\"journal troubles\"} 8\n")
            .doesNotContain("rdma4j_retries_total");
    }

    @Test
    void prometheusIsToldHowMuchCouldNotBeRead() {
        final String line = "# TYPE rdma4j_troubles gauge\n"
            + "rdma4j_troubles{pid=\"1234\",device=\"emulated:\",number=\"3\"}";
        assertThat(print(new Prometheus(), watched.look())).contains(line + " 0\n");
        device.troubles.add("objects at place 3 cannot be read");
        device.troubles.add("some counters are not shown");
        assertThat(print(new Prometheus(), watched.look())).contains(line + " 2\n");
    }

    @Test
    void completionsByStatus() {
        final LiveObject cq = device.add(CqKind.KIND, 1, CqKind.COMPLETIONS, 12);
        cq.counters()[CqKind.STATUS] = 9;
        cq.counters()[CqKind.STATUS + 13] = 2;
        cq.counters()[CqKind.STATUS + CqKind.STATUSES - 1] = 1;
        final Frame frame = watched.look();
        assertThat(print(new StatText(false), frame)).containsPattern(
            "completions +12 +-\n- SUCCESS +9 +-\n- RNR_RETRY_EXC_ERR +2 +-\n- other +1 +-\n");
        assertThat(print(new Prometheus(), frame)).contains("cq=\"101\",status=\"SUCCESS\"} 9\n",
            "cq=\"101\",status=\"RNR_RETRY_EXC_ERR\"} 2\n", "cq=\"101\",status=\"other\"} 1\n");
    }

    @Test
    void valuesOfLabelsAreEscaped() {
        device.address = "emulated:a\\b\"c\nd";
        assertThat(print(new Prometheus(), watched.look())).contains("device=\"emulated:a\\\\b\\\"c\\nd\"")
            .contains("description=\"scripted \\\"device\\\"\"");
    }

    /** As a trouble that is over is none. */
    @Test
    void aLookTellsItsOwnTroublesOnly() {
        device.troubles.add("objects at place 3 cannot be read");
        assertThat(watched.look().troubles()).containsExactly("objects at place 3 cannot be read");
        assertThat(watched.look().troubles()).isEmpty();
        device.troubles.add("some counters are not shown");
        assertThat(watched.look().troubles()).containsExactly("some counters are not shown");
    }

    /** What another process writes may be anything. */
    @Test
    void garbageIsShownAndThrowsNothing() {
        final LiveObject qp = device.add(QpKind.KIND, 1, QpKind.SQ_POSTED, Long.MIN_VALUE);
        Arrays.fill(qp.attributes(), -1);
        device.add(CqKind.KIND, 2, CqKind.COMPLETIONS, -1);
        device.objects.add(new LiveObject(SrqKind.KIND, 3, -1, new long[0], new long[0]));
        device.add(DeviceKind.KIND, 4, 0, 0).attributes()[8] = 99;
        for (int i = 0; i < 3; i++) {
            final Frame frame = watched.look();
            for (final StatPrinter printer : List.of(
                new StatText(true), new StatText(false), new StatJson(true), new Prometheus())) {
                assertThat(print(printer, frame)).isNotEmpty();
            }
            qp.counters()[0] = Long.MAX_VALUE;
        }
        assertThat(print(new StatText(false), watched.look())).contains("unknown 0x63");
    }
}
