/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.tools.text.OwnFile;
import io.rdma4j.verbs.Gid;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** Plays a trace on a device, and compares what it answers with what is in the trace. */
public final class Replay {
    private static final String OPERATION = "replay";
    private static final String SAVE = "save replay";
    private static final String SCRIPT = ".script";
    private static final String RECORDED = ".recorded";
    private static final String REPLAYED = ".replayed";

    private final Path file;
    private final TraceRecords records;
    private final int number;
    private final TraceScript script;
    private DiffRecording replayed;

    private Replay(final Path file, final TraceRecords records, final int number, final TraceScript script) {
        this.file = file;
        this.records = records;
        this.number = number;
        this.script = script;
    }

    /**
     * Reads a trace.
     *
     * @param file  where it is.
     * @param which which of its devices, from 1; null for the only one.
     * @return what can be played.
     * @throws RdmaException ENOENT, EACCES or EIO if it cannot be read; EINVAL if it is no trace or broken, with the
     *                       line, or if it has several devices, or not this one.
     */
    public static Replay read(final Path file, final Integer which) {
        final TraceRecords records = TraceReader.read(file);
        try {
            final int number = choose(records.devices(), which);
            return new Replay(file, records, number, TraceScript.of(records.of(number)));
        } catch (final IllegalArgumentException e) {
            throw invalid(file, e.getMessage(), "give a file that --trace wrote");
        }
    }

    private static int choose(final NavigableMap<Integer, String> devices, final Integer which) {
        if (devices.isEmpty()) {
            throw new IllegalArgumentException("no device was opened while it was written");
        }
        if (which == null && devices.size() > 1) {
            throw new IllegalArgumentException("it has several devices, of which one can be played at a time: --which "
                + devices.toString().replace("{", "").replace("}", ""));
        }
        if (which != null && !devices.containsKey(which)) {
            throw new IllegalArgumentException("it has no device " + which + ", but " + devices);
        }
        return which == null ? devices.firstKey() : which;
    }

    private static RdmaException invalid(final Path file, final String why, final String hint) {
        return RdmaException.of(OPERATION).object(file).detail("%s", why).errno(RdmaException.EINVAL)
            .hint("%s", hint).build();
    }

    /**
     * Plays it.
     *
     * @param address  of the device; it must not be in use, and is left as it was.
     * @param gid      what stands for the first address that was bound in the trace; null for that address itself.
     * @param patience factor on all deadlines, for slow machines.
     * @param known    what may differ.
     * @return what came of it.
     * @throws RdmaException EINVAL if a step makes no sense, or as opening the device says.
     */
    public ReplayResult play(
        final DeviceAddress address, final Gid gid, final int patience, final KnownDifferences known) {
        try {
            replayed = DiffExecutor.playWhatFits(script.script(), PciDevices.open(address), gid == null
                ? recordedGid() : gid, patience);
        } catch (final IllegalArgumentException e) {
            throw invalid(file, e.getMessage(), "the trace is damaged, or the device is none to play it on");
        }
        return compare(script.recorded(), known);
    }

    private ReplayResult compare(final DiffRecording recorded, final KnownDifferences known) {
        final List<DiffRecording.Entry> left = new ArrayList<>();
        final List<DiffRecording.Entry> right = new ArrayList<>();
        final Map<String, Integer> skipped = new LinkedHashMap<>();
        for (int i = 0; i < replayed.entries().size(); i++) {
            final DiffRecording.Entry entry = replayed.entries().get(i);
            final String why = entry.fields().get(DiffExecutor.SKIPPED);
            if (why == null) {
                left.add(comparable(recorded.entries().get(i), entry));
                right.add(entry);
            } else {
                skipped.merge(entry.step().verb() + ": " + why, 1, Integer::sum);
            }
        }
        return new ReplayResult(file.toString(), number, recorded.device(), replayed.device(), right.size(),
            script.raw(), skipped, notes(), DiffComparison.of(new DiffRecording(recorded.device(), left),
                new DiffRecording(replayed.device(), right), known));
    }

    /** A completion that did not come is one difference, not one for each of its fields. */
    private static DiffRecording.Entry comparable(final DiffRecording.Entry left, final DiffRecording.Entry right) {
        return "0".equals(right.fields().get("count"))
            ? new DiffRecording.Entry(left.step(), Map.of("count", left.fields().get("count"))) : left;
    }

    private Gid recordedGid() {
        return script.gid() == null ? Gid.ZERO : Gid.of(FieldText.parseBytes(script.gid()));
    }

    private List<String> notes() {
        final List<String> notes = new ArrayList<>();
        if (records.end() != null) {
            notes.add("the trace ends before the process did: " + records.end());
        } else if (!script.isClosed()) {
            notes.add("the device was not closed: the process ended, or still runs");
        }
        return notes;
    }

    /**
     * Refuses a prefix by which {@link #save} would fail, as far as it can be told before anything is played.
     *
     * @param prefix what the names of the files begin with; null is none, and well.
     * @throws RdmaException ENOENT, EACCES or EIO.
     */
    public static void requireWritable(final Path prefix) {
        if (prefix != null) {
            for (final String name : List.of(SCRIPT, RECORDED, REPLAYED)) {
                OwnFile.require(SAVE, Path.of(prefix + name));
            }
        }
    }

    /**
     * Writes the script, what the device of the trace answered, and, once it was played, what this one answered.
     *
     * @param prefix what the names of the files begin with; .script, .recorded and .replayed are added.
     * @throws RdmaException ENOENT, EACCES or EIO if they cannot be written.
     */
    public void save(final Path prefix) {
        try {
            save(prefix + SCRIPT, script.script());
            save(prefix + RECORDED, script.recorded());
            if (replayed != null) {
                save(prefix + REPLAYED, replayed);
            }
        } catch (final IOException e) {
            throw FileFailure.of(SAVE, prefix, e).build();
        }
    }

    private static void save(final String file, final Object content) throws IOException {
        OwnFile.write(Path.of(file), out -> out.write(content.toString()));
    }
}
