/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;
import io.rdma4j.testing.Loopback;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * Mixed load as long as there is time, and what is left when it has ended: as many files, threads, mappings, objects
 * and pinned bytes as a fifth of the time after the beginning, and memory that has not grown by more than bounds.
 * With a partner in another process it runs as a campaign only: it starts four of them, however short it is.
 */
@Timeout(value = SoakTest.LONGEST_HOURS, unit = TimeUnit.HOURS)
@Tag("slow")
class SoakTest {
    /** As long as its campaign is; what it waits for has deadlines of its own. */
    static final int LONGEST_HOURS = 48;
    /** In every build. */
    private static final long USUAL_MILLIS = 1_500;
    private static final int SAMPLES = 100;
    private static final long SHORTEST_MILLIS = 250;
    private static final int PROBES = 3;
    /** In each part, however slow the machine is. */
    private static final int FEWEST_STEPS = 25;
    private static final long SETTLES_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);
    /**
     * What the JVM itself may take between the two: it goes on to load classes and to compile methods, and its
     * allocator keeps what it had at the worst moment. A leak of 100 bytes in each step would be 360 MiB an hour.
     */
    private static final long NATIVE_GROWTH = 64L << 20;
    /** A collection may leave what is just being used. */
    private static final long HEAP_GROWTH = 16L << 20;
    private static final String PID = Long.toString(ProcessHandle.current().pid());

    @Campaign(value = "soak", usual = 1)
    void inOneProcess(final long seed) throws IOException, URISyntaxException {
        run(2, "none", seed, "emulated:soak?wire=none", Partner::here, "emulated:soak-a?wire=none",
            "emulated:soak-b?wire=none");
    }

    @Campaign(value = "soak", usual = 0)
    void bySharedMemory(final long seed) throws IOException, URISyntaxException {
        run(1, "shm", seed, "emulated:soak" + PID + "?wire=shm", Partner::elsewhere,
            "emulated:soak" + PID + "a?wire=shm", "emulated:soak" + PID + "b?wire=shm");
    }

    @Campaign(value = "soak", usual = 0)
    void byUdpWithLoss(final long seed) throws IOException, URISyntaxException {
        final String loss = "&loss=drop:0.05,duplicate:0.05,reorder:0.05,on:both,seed:" + (seed & Integer.MAX_VALUE);
        run(1, "udp", seed, udp(101) + loss, Partner::elsewhere, udp(102) + loss, udp(103) + loss);
    }

    private static String udp(final int host) {
        return "emulated:soak" + host + "?wire=udp&address=" + Loopback.address(host);
    }

    private static void run(
        final int devices, final String wire, final long seed, final String own, final Function<String, Partner> starts,
        final String... partners) throws IOException, URISyntaxException {
        final Path folder = Path.of(SoakTest.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolveSibling("soak");
        try (RdmaContext context = RdmaDevices.open(own); Garbage garbage = new Garbage();
             MixedLoad load = new MixedLoad(context, partners, starts, seed);
             SampleFile file = new SampleFile(folder, wire + '-' + seed)) {
            garbage.begin();
            new Timeline(devices, load, file, wire + " --seed " + seed).run();
        }
    }

    /** A run: warms up, looks, goes on, looks again. */
    private static final class Timeline {
        private final int devices;
        private final MixedLoad load;
        private final SampleFile file;
        private final String name;
        private final long millis = CampaignSeeds.millis("soak", USUAL_MILLIS);
        private final long begun = System.nanoTime();
        private final Histogram probe = new Histogram(LONGEST_NANOS, 2);
        private final Histogram early = new Histogram(LONGEST_NANOS, 2);
        private final Histogram late = new Histogram(LONGEST_NANOS, 2);
        private long nextSample;

        Timeline(final int devices, final MixedLoad load, final SampleFile file, final String name) {
            this.devices = devices;
            this.load = load;
            this.file = file;
            this.name = name;
        }

        private long elapsed() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        }

        void run() {
            until(millis / 5, null, null);
            load.settle();
            final Holding before = load.holding();
            load.resume();
            // The same share of the rest at its beginning and at its end.
            until(millis / 5 + millis * 4 / 5 / 10, early, null);
            until(millis - millis * 4 / 5 / 10, null, null);
            until(millis, late, "end");
            load.settle();
            final Holding after = settled(before);
            tell(before, after);
            assertThat(after.nativeBytes() - before.nativeBytes()).as("%s has become %s", before, after)
                .isLessThan(NATIVE_GROWTH);
            assertThat(after.heapBytes() - before.heapBytes()).as("%s has become %s", before, after)
                .isLessThan(HEAP_GROWTH);
        }

        /** A dead partner's rings are given back by a thread that is in no hurry. */
        private Holding settled(final Holding before) {
            final Holding[] now = {load.holding()};
            Soak.until(SETTLES_NANOS, () -> name + ": " + before + " has become " + now[0], () -> {
                now[0] = load.holding();
                return now[0].isLike(before, devices);
            });
            return now[0];
        }

        /** At least one partner is killed in each part that matters. */
        private void until(final long end, final Histogram times, final String last) {
            final long kills = load.kills();
            final long steps = load.steps() + FEWEST_STEPS;
            do {
                load.step();
                for (int i = 0; i < PROBES; i++) {
                    final long nanos = Math.min(load.probe(), LONGEST_NANOS);
                    probe.recordValue(nanos);
                    if (times != null) {
                        times.recordValue(nanos);
                    }
                }
                if (elapsed() >= nextSample) {
                    sample();
                }
            } while (elapsed() < end || load.steps() < steps);
            if (load.kills() == kills && (times == null || last != null)) {
                load.kill();
            }
        }

        private void sample() {
            file.add(elapsed() / 1000.0, probe, load.holding(), load.steps(), load.kills());
            probe.reset();
            nextSample = elapsed() + Math.max(SHORTEST_MILLIS, millis / SAMPLES);
        }

        private void tell(final Holding before, final Holding after) {
            final String text = String.format(Locale.ROOT, "%s: %d steps, %d kills, %d datagrams lost, %d connections "
                + "given up; a WRITE of 64 bytes took %s us at the beginning, %s us at the end (p50, p99, p99.9); "
                + "outside of the heap %s MiB, live objects %s MiB; %d files, %d threads, %d mappings, %d objects, "
                + "%d bytes pinned", name, load.steps(), load.kills(), load.lost(), load.unfounded(), text(early),
                text(late), mebi(before.nativeBytes(), after.nativeBytes()),
                mebi(before.heapBytes(), after.heapBytes()), after.files(), after.threads(), after.mappings(),
                after.objects(), after.pinned());
            file.remark(text);
            System.out.println("CAMPAIGN soak " + text);
        }

        private static String text(final Histogram times) {
            return String.format(Locale.ROOT, "%.1f, %.1f, %.1f", SampleFile.micros(times, 50),
                SampleFile.micros(times, 99), SampleFile.micros(times, 99.9));
        }

        private static String mebi(final long before, final long after) {
            return String.format(Locale.ROOT, "%.1f -> %.1f", before / 1048576.0, after / 1048576.0);
        }
    }
}
