/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.rdma4j.RdmaException;
import io.rdma4j.tools.perf.yardstick.Reading;
import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.LimitedFile;
import io.rdma4j.tools.text.OwnFile;
import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfRow;
import io.rdma4j.tools.traffic.PerfTest;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.List;

/** Keeps a {@link PerfRun} as JSON, with a version: {@code {"rdma4j_perf": 1, ...}}. */
public final class PerfFile {
    /** The member that says what it is, and its value. */
    static final String MAGIC = "rdma4j_perf";
    static final int VERSION = 1;
    /** What is said of every latency: half a sentence. */
    public static final String COORDINATED_OMISSION = "closed loop: each operation begins when the one before is "
        + "over, on no schedule; what a delay would have held up is not in the figures, and no correction is made";
    private static final String READ = "read run";
    private static final String HINT = "files are written by rdma4j perf TEST --save FILE";
    private static final int DECIMALS = 6;
    private static final long LONGEST = 64L << 20;
    /** Of sizes of messages there are 23; who draws them compares each row with each. */
    private static final int MOST_ROWS = 1000;

    private PerfFile() {
    }

    /**
     * Writes a run.
     *
     * @param file where to, as {@link OwnFile#write} takes it; replaced if it is there.
     * @param run  what.
     * @throws RdmaException EIO, ENOENT or EACCES if it cannot be written.
     */
    public static void write(final Path file, final PerfRun run) {
        final Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();
        try {
            OwnFile.write(file, out -> out.write(gson.toJson(toJson(run)) + System.lineSeparator()));
        } catch (final IOException e) {
            throw FileFailure.of("save run", file, e).build();
        }
    }

    /**
     * Reads a run.
     *
     * @param file where from.
     * @return what was written there.
     * @throws RdmaException ENOENT, EACCES or EIO if it cannot be read; EINVAL if it is no run, or one of another
     *                       version, saying where.
     */
    public static PerfRun read(final Path file) {
        try {
            return fromJson(JsonParser.parseString(LimitedFile.read(file, LONGEST)));
        } catch (final IOException e) {
            throw FileFailure.of(READ, file, e).hint(HINT).build();
        } catch (final JsonParseException e) {
            throw invalid(file, Json.whyNone(e));
        } catch (final IllegalArgumentException e) {
            throw invalid(file, e.getMessage());
        }
    }

    private static RdmaException invalid(final Path file, final String why) {
        return RdmaException.of(READ).object(file).detail("%s", why).errno(RdmaException.EINVAL).hint(HINT).build();
    }

    /**
     * A run as JSON.
     *
     * @param run what.
     * @return an object.
     */
    public static JsonObject toJson(final PerfRun run) {
        final PerfRun.About about = run.about();
        final PerfRun.Place place = about.place();
        final JsonObject json = new JsonObject();
        json.addProperty(MAGIC, VERSION);
        json.addProperty("test", about.test().option());
        json.addProperty("options", about.options());
        json.addProperty("device", about.device());
        json.addProperty("peer", about.peer());
        json.addProperty("created", place.created());
        json.addProperty("rdma4j", place.version());
        json.addProperty("java", place.java());
        json.addProperty("cpu", place.cpu());
        json.addProperty("cpus", place.cpus());
        json.addProperty("timer_nsec", rounded(place.timerNanos()));
        final JsonArray advice = new JsonArray();
        place.advice().forEach(advice::add);
        json.add("advice", advice);
        if (about.test().isLatency()) {
            json.addProperty("time_is", about.test().timeIs());
            json.addProperty("coordinated_omission", COORDINATED_OMISSION);
        }
        final JsonArray rows = new JsonArray();
        run.rows().forEach(row -> rows.add(row(row)));
        json.add("rows", rows);
        final JsonArray yardsticks = new JsonArray();
        run.yardsticks().forEach(yardstick -> yardsticks.add(yardstick(yardstick)));
        json.add("yardsticks", yardsticks);
        return json;
    }

    private static JsonObject row(final PerfRow row) {
        final JsonObject json = new JsonObject();
        json.addProperty("bytes", row.bytes());
        json.addProperty("iterations", row.iterations());
        json.addProperty("seconds", rounded(row.seconds()));
        if (row instanceof LatencyRow) {
            json.add("usec", times(((LatencyRow) row).usec()));
            json.add("distribution", distribution((LatencyRow) row));
        } else {
            final BandwidthRow bandwidth = (BandwidthRow) row;
            json.addProperty("bw_peak_mib_per_sec", rounded(bandwidth.peak()));
            json.addProperty("bw_average_mib_per_sec", rounded(bandwidth.average()));
            json.addProperty("msg_rate_mpps", rounded(bandwidth.rate()));
        }
        return json;
    }

    private static JsonObject times(final LatencyRow.Times usec) {
        final JsonObject json = new JsonObject();
        json.addProperty("min", rounded(usec.min()));
        json.addProperty("max", rounded(usec.max()));
        json.addProperty("avg", rounded(usec.avg()));
        json.addProperty("stdev", rounded(usec.stdev()));
        json.addProperty("p50", rounded(usec.p50()));
        json.addProperty("p90", rounded(usec.p90()));
        json.addProperty("p99", rounded(usec.p99()));
        json.addProperty("p99_9", rounded(usec.p999()));
        json.addProperty("p99_99", rounded(usec.p9999()));
        return json;
    }

    private static JsonArray distribution(final LatencyRow row) {
        final JsonArray points = new JsonArray();
        for (final LatencyRow.Point point : row.distribution()) {
            final JsonObject json = new JsonObject();
            json.addProperty("percentile", point.percentile());
            json.addProperty("usec", rounded(point.usec()));
            json.addProperty("count", point.count());
            points.add(json);
        }
        return points;
    }

    private static JsonObject yardstick(final Yardstick yardstick) {
        final JsonObject json = new JsonObject();
        json.addProperty("name", yardstick.name());
        json.addProperty("title", yardstick.title());
        json.add("before", reading(yardstick.before()));
        json.add("after", reading(yardstick.after()));
        return json;
    }

    private static JsonObject reading(final Reading reading) {
        final JsonObject json = new JsonObject();
        json.addProperty("count", reading.count());
        json.addProperty("p50_nsec", rounded(reading.p50()));
        json.addProperty("p99_nsec", rounded(reading.p99()));
        json.addProperty("p99_9_nsec", rounded(reading.p999()));
        return json;
    }

    private static BigDecimal rounded(final double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP).stripTrailingZeros();
    }

    /**
     * A run from JSON.
     *
     * @param json what {@link #toJson} made, or anything else.
     * @return the run.
     * @throws IllegalArgumentException if it is no run of this version, saying where.
     */
    public static PerfRun fromJson(final JsonElement json) {
        final JsonPlace root = JsonPlace.root(json);
        if (!root.has(MAGIC)) {
            throw new IllegalArgumentException("it is no run of rdma4j perf: there is no \"" + MAGIC + "\"");
        }
        final long version = root.at(MAGIC).integer(0, Integer.MAX_VALUE);
        if (version != VERSION) {
            throw new IllegalArgumentException(
                "its version is " + version + ", this program reads version " + VERSION);
        }
        final PerfTest test = test(root.at("test"));
        return new PerfRun(new PerfRun.About(test, root.at("options").text(), root.at("device").text(),
            root.at("peer").textOrNull(), place(root)), rows(root.at("rows"), test.isLatency()),
            root.at("yardsticks").items().stream().map(PerfFile::yardstick).toList());
    }

    private static PerfTest test(final JsonPlace place) {
        for (final PerfTest test : PerfTest.values()) {
            if (test.option().equals(place.text())) {
                return test;
            }
        }
        throw place.wrong("is none of the tests");
    }

    private static PerfRun.Place place(final JsonPlace root) {
        return new PerfRun.Place(root.at("created").text(), root.at("rdma4j").text(), root.at("java").text(),
            root.at("cpu").text(), (int) root.at("cpus").integer(1, Integer.MAX_VALUE),
            root.at("timer_nsec").number(), root.at("advice").items().stream().map(JsonPlace::text).toList());
    }

    private static List<PerfRow> rows(final JsonPlace rows, final boolean latency) {
        final List<JsonPlace> items = rows.items();
        if (items.size() > MOST_ROWS) {
            throw rows.wrong("has more than " + MOST_ROWS + " elements");
        }
        return items.stream().map(row -> latency ? latency(row) : bandwidth(row)).toList();
    }

    private static PerfRow bandwidth(final JsonPlace row) {
        return new BandwidthRow(bytes(row), iterations(row), row.at("seconds").number(),
            row.at("bw_peak_mib_per_sec").number(), row.at("bw_average_mib_per_sec").number(),
            row.at("msg_rate_mpps").number());
    }

    private static PerfRow latency(final JsonPlace row) {
        final JsonPlace usec = row.at("usec");
        return new LatencyRow(bytes(row), iterations(row), row.at("seconds").number(),
            new LatencyRow.Times(usec.at("min").number(), usec.at("max").number(), usec.at("p50").number(),
                usec.at("avg").number(), usec.at("stdev").number(), usec.at("p90").number(),
                usec.at("p99").number(), usec.at("p99_9").number(), usec.at("p99_99").number()),
            row.at("distribution").items().stream().map(PerfFile::point).toList());
    }

    private static LatencyRow.Point point(final JsonPlace point) {
        return new LatencyRow.Point(point.at("percentile").number(), point.at("usec").number(),
            point.at("count").integer(0, Long.MAX_VALUE));
    }

    private static int bytes(final JsonPlace row) {
        return (int) row.at("bytes").integer(0, Integer.MAX_VALUE);
    }

    private static long iterations(final JsonPlace row) {
        return row.at("iterations").integer(0, Long.MAX_VALUE);
    }

    private static Yardstick yardstick(final JsonPlace place) {
        return new Yardstick(reading(place, "before"), reading(place, "after"));
    }

    private static Reading reading(final JsonPlace yardstick, final String when) {
        final JsonPlace place = yardstick.at(when);
        return new Reading(yardstick.at("name").text(), yardstick.at("title").text(),
            place.at("count").integer(0, Long.MAX_VALUE), place.at("p50_nsec").number(),
            place.at("p99_nsec").number(), place.at("p99_9_nsec").number());
    }
}
