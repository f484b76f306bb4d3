/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What to play on a device: a step on each line, blank lines and lines that begin with {@code #} aside. The first line
 * names format and version. Immutable.
 *
 * <p>Verbs are the device's commands by their C names without prefix, with arguments by the names of their fields, and
 * <ul>
 * <li>{@code CAPS}: the capabilities that the device filled in;
 * <li>{@code MEMORY pages= order= backing=}: memory of so many pages, in this order behind one another for the device,
 *     or of fewer that come again and again; {@code FREE memory=} gives it back;
 * <li>{@code FILL memory= offset= length= seed=} and {@code SUM memory= offset= length=}: a pattern, and a checksum;
 * <li>{@code CREATE_MR memory= page= pages= ...}, {@code CREATE_CQ}, {@code CREATE_SRQ}, {@code CREATE_QP}: page
 *     directories and page counts are made up by the executor unless given; what gets no name is destroyed at once;
 * <li>{@code POST_SEND qp= sges= ...}, {@code POST_RECV qp= sges= wr_id=}, {@code POST_SRQ srq= sges= wr_id=}, where
 *     {@code sges} is {@code mr@address:length,...}, or {@code -} for none, and a number stands for a key;
 * <li>{@code POLL_CQ cq= count= wait_ms= qp= side=}: completions, or those of one QP's {@code send} or {@code receive}
 *     side, however they are mixed with others; {@code ARM_CQ cq= bits=}; {@code VECTOR index= wait_ms=};
 * <li>{@code RING qp=}: the ring indices; {@code SGES qp= index=}: whether the device left a work request alone;
 * <li>{@code COMMAND id=}: a request with nothing but its header.
 * </ul>
 * Values are numbers, names made earlier ({@code qp0} is its handle, {@code qp0.qpn}, {@code mr0.lkey}), {@code $gid},
 * {@code $gid_type} and {@code $uar_pfn} (the second doorbell page), several of them or-ed by {@code |}.
 */
public final class DiffScript {
    static final String FIRST_LINE = "rdma4j-script 1";

    private final List<DiffStep> steps;

    /**
     * Made of steps.
     *
     * @param steps copied.
     */
    public DiffScript(final List<DiffStep> steps) {
        this.steps = List.copyOf(steps);
    }

    /**
     * Reads a script.
     *
     * @param text its lines.
     * @return the script.
     * @throws IllegalArgumentException if it is not one; names the line.
     */
    public static DiffScript parse(final String text) {
        final List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(FIRST_LINE)) {
            throw new IllegalArgumentException("a script begins with '" + FIRST_LINE + "'");
        }
        final List<DiffStep> steps = new ArrayList<>();
        for (int i = 1; i < lines.size(); i++) {
            final String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                steps.add(DiffStep.parse(i + 1, line));
            }
        }
        return new DiffScript(steps);
    }

    /**
     * The script that comes with the suite.
     *
     * @return every command, sends and receives, and the errors that every device survives.
     */
    public static DiffScript standard() {
        return parse(resource("standard.script"));
    }

    static String resource(final String name) {
        try (InputStream in = DiffScript.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The steps.
     *
     * @return in the order in which they are played; unmodifiable.
     */
    public List<DiffStep> steps() {
        return steps;
    }

    /**
     * The script as text, comments left out.
     *
     * @return what {@link #parse} reads.
     */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        steps.forEach(step -> text.append(step).append('\n'));
        return text.toString();
    }
}
