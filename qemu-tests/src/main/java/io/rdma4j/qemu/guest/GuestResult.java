/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a command that ran in a guest left. A test program reports in lines of text:
 *
 * <pre>
 *   RESULT name PASS|FAIL|SKIP message     one outcome, see {@link ResultLine}
 *   DETAIL name text                       more about that outcome, any number of lines
 *   INFO key=value                         a fact, such as the device's version
 *   N passed, N failed, N skipped          the last one; without it, or with other numbers, something is missing
 * </pre>
 *
 * @param exitCode the command's exit code.
 * @param report   the lines of its report; empty if it is not a test.
 * @param folder   everything that it left: output.log, results.txt and artefacts.
 * @param duration wall time on this host.
 */
public record GuestResult(int exitCode, List<String> report, Path folder, Duration duration) {
    /** Begins a line about something that was done once more because QEMU itself crashed; test.sh counts these. */
    public static final String RETRIED = "RETRIED ";
    /** Name of the file with all that the command printed. */
    public static final String OUTPUT_FILE = "output.log";

    private static final Pattern SUMMARY = Pattern.compile("(\\d+) passed, (\\d+) failed, (\\d+) skipped");

    static GuestResult read(final Path folder, final int exitCode, final Duration duration) throws IOException {
        final Path file = folder.resolve(ResultWriter.FILE_NAME);
        return new GuestResult(
            exitCode, Files.exists(file) ? Files.readAllLines(file) : List.of(), folder, duration);
    }

    /**
     * The last line of a complete report.
     *
     * @param passed  how many held.
     * @param failed  how many did not.
     * @param skipped how many could not be run.
     * @return the line.
     */
    public static String summaryLine(final long passed, final long failed, final long skipped) {
        return passed + " passed, " + failed + " failed, " + skipped + " skipped";
    }

    /**
     * The outcomes that were reported.
     *
     * @return in their order.
     */
    public List<ResultLine> results() {
        return report.stream().map(ResultLine::parse).flatMap(Optional::stream).toList();
    }

    /**
     * Outcomes of one kind.
     *
     * @param status which kind.
     * @return their number.
     */
    public long count(final ResultLine.Status status) {
        return results().stream().filter(line -> line.status() == status).count();
    }

    /**
     * What did not hold.
     *
     * @return in their order.
     */
    public List<ResultLine> failed() {
        return results().stream().filter(line -> line.status() == ResultLine.Status.FAIL).toList();
    }

    /**
     * Whether the report was brought to its end, and nothing of it is missing.
     *
     * @return false after a crash, and for a command that reports nothing.
     */
    public boolean complete() {
        final Matcher summary = SUMMARY.matcher(report.isEmpty() ? "" : report.get(report.size() - 1));
        return summary.matches() && summary.group().equals(summaryLine(count(ResultLine.Status.PASS),
            count(ResultLine.Status.FAIL), count(ResultLine.Status.SKIP)));
    }

    /**
     * A fact that was reported.
     *
     * @param key its key.
     * @return the last value given for it, if any was.
     */
    public Optional<String> info(final String key) {
        final String head = "INFO " + key + '=';
        return report.stream().filter(line -> line.startsWith(head)).reduce((first, last) -> last)
            .map(line -> line.substring(head.length()));
    }

    /**
     * What was said about an outcome beside its message.
     *
     * @param name the test.
     * @return lines, possibly none.
     */
    public List<String> details(final String name) {
        final String head = "DETAIL " + name + ' ';
        return report.stream().filter(line -> line.startsWith(head)).map(line -> line.substring(head.length()))
            .toList();
    }

    /**
     * What the command printed.
     *
     * @return all lines.
     * @throws GuestException if the file cannot be read.
     */
    public List<String> output() {
        try {
            return Files.readAllLines(folder.resolve(OUTPUT_FILE));
        } catch (final IOException e) {
            throw new GuestException("cannot read what the command printed: " + folder.resolve(OUTPUT_FILE), e);
        }
    }

    /**
     * One line for people.
     *
     * @return exit code, outcomes, time and place.
     */
    public String summary() {
        final String outcomes = report.isEmpty() ? "no report" : summaryLine(count(ResultLine.Status.PASS),
            count(ResultLine.Status.FAIL), count(ResultLine.Status.SKIP)) + (complete() ? "" : ", report cut off");
        return String.format("exit code %d, %s, %.1f s, see %s",
            exitCode, outcomes, duration.toMillis() / 1000.0, folder);
    }
}
