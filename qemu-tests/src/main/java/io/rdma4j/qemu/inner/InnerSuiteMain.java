/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.RdmaException;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.ResultLine;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.tools.ToolCommand;
import io.rdma4j.qemu.tools.Transcript;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * What runs in the fabric guest: lets a prepared inner guest go on and gives its stations their jobs. The conformance
 * suite through VFIO, then what only a real system can show: commands that look into the device and into a process
 * that uses it, a process that is killed, one that comes second, one without rights, and a device that is taken away.
 * Reports with {@link ResultWriter}, and leaves what commands printed as a {@link Transcript}.
 */
public final class InnerSuiteMain {
    /** Stages to run, separated by commas; by default all that make sense on the machine. */
    public static final String STAGES_PROPERTY = "rdma4j.qemu.inner.stages";

    /** The outcome that says that the inner guest was lost by a fault of QEMU's own. */
    static final String LOST = "innerQemuLost";

    /** The outcome that says whether all of the suite's outcomes came over. */
    private static final String COMPLETE = "conformanceReportIsComplete";
    private static final String ANY_SUM = "\\d+ passed, \\d+ failed, \\d+ skipped";

    /** A stage that runs nothing until the machine ends. */
    static final String WAIT = "wait";

    /** What a machine with an IOMMU does. */
    public static final String STAGES = "conformance,tools,kill,users,unbind";
    /** What a machine without an IOMMU does. */
    static final String STAGES_WITHOUT_IOMMU = "conformance,small,kill,capabilities,unbind";
    private static final String ADDRESS =
        "vfio:" + InnerMachine.DEVICE + "?gid=::ffff:" + FabricGuest.IP_ADDRESS;
    /** Few, as they say enough of the driver's own memory. */
    private static final String SMALL_PAGES_CASES = "rc.";
    private static final String REPORT = "/tmp/rdma4j-report.json";
    /** Four times what it takes: each case has its own deadline, so this one is for who hangs between them. */
    private static final Duration SUITE = Duration.ofMinutes(50);
    private static final Duration JOB = Duration.ofMinutes(3);
    private static final Duration END = Duration.ofMinutes(1);
    private static final String PATIENCE = "30";

    private final ResultWriter results;
    private final InnerGuest guest;
    private final List<String> suiteArguments;
    private final List<String> stages;
    private final String address;
    /** Null before it is needed. */
    private InnerGuest.Job traffic;

    private InnerSuiteMain(
        final ResultWriter results, final InnerGuest guest, final boolean hasIommu, final List<String> suiteArguments) {
        this.results = results;
        this.guest = guest;
        this.suiteArguments = suiteArguments;
        stages = List.of(System.getProperty(STAGES_PROPERTY, hasIommu ? STAGES : STAGES_WITHOUT_IOMMU).split(","));
        address = hasIommu ? ADDRESS : ADDRESS + "&iommu=none";
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args the folder of the inner guest's image, then further arguments for the suite.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final Path log = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."), "inner-console.log");
        final int failures;
        final long start = System.nanoTime();
        try (ResultWriter results = ResultWriter.open(System.out)) {
            final InnerImage image = new InnerImage(Path.of(args[0]));
            try (InnerGuest guest = InnerGuest.boot(image, log, InnerSuiteMain::show)) {
                results.info("bootMillis", (System.nanoTime() - start) / 1_000_000);
                new InnerSuiteMain(results, guest, image.hasIommu(), Arrays.asList(args).subList(1, args.length))
                    .runAll();
            } catch (final GuestException e) {
                results.fail("innerGuest", e.getMessage());
            }
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    private static void show(final String line) {
        if (!line.contains("|TIME ") && !line.contains("|INFO " + Jobs.PRINTED + '=')) {
            System.out.println("    " + line);
        }
    }

    private void runAll() {
        try {
            run();
        } catch (final GuestException e) {
            results.fail(guest.isLost() ? LOST : "innerGuest", e.getMessage());
        }
    }

    private void run() {
        stage("conformance", this::conformance);
        stage("small", this::smallPages);
        stage("tools", this::tools);
        stage("kill", this::killInTraffic);
        stage("users", this::withoutRights);
        stage("capabilities", this::withoutCapabilities);
        // Last: the device is gone afterwards.
        stage("unbind", this::unbindWhileOpen);
        if (stages.contains(WAIT)) {
            guest.awaitEnd();
        }
        results.info("qemuAlive", guest.isAlive());
    }

    private void stage(final String name, final Runnable what) {
        if (stages.contains(name)) {
            final long start = System.nanoTime();
            what.run();
            results.info(name + "StageMillis", (System.nanoTime() - start) / 1_000_000);
        }
    }

    private void report(final String name, final boolean holds, final Object seen) {
        final ResultLine.Status status = holds ? ResultLine.Status.PASS : ResultLine.Status.FAIL;
        results.write(new ResultLine(name, status, String.valueOf(seen)));
    }

    private void conformance() {
        final InnerGuest.Job job = guest.start(Station.MAIN, "conformance " + address + " --effort quick --patience "
            + PATIENCE + ' ' + String.join(" ", suiteArguments));
        final int code = endOf(() -> job.await(SUITE), job::lines, results);
        copy(job.lines(), code, results);
    }

    /** A suite's exit code. What has failed in one that does not come to its end is reported nevertheless. */
    static int endOf(final IntSupplier wait, final Supplier<List<String>> lines, final ResultWriter results) {
        try {
            return wait.getAsInt();
        } catch (final GuestException e) {
            lines.get().stream().flatMap(line -> ResultLine.parse(line).stream())
                .filter(line -> line.status() == ResultLine.Status.FAIL).forEach(results::write);
            throw e;
        }
    }

    /**
     * Takes over a report. The console that it came by has other writers: a line that one of them damaged is told from
     * none by the report's own sum and exit code.
     */
    static void copy(final List<String> lines, final int code, final ResultWriter results) {
        final List<ResultLine> copied = lines.stream().flatMap(line -> ResultLine.parse(line).stream()).toList();
        copied.forEach(results::write);
        copyFacts(lines, results);
        final long failed = count(copied, ResultLine.Status.FAIL);
        final String sum = GuestResult.summaryLine(count(copied, ResultLine.Status.PASS), failed,
            count(copied, ResultLine.Status.SKIP));
        final boolean complete = lines.contains(sum) && (code != 0) == (failed > 0);
        results.write(new ResultLine(COMPLETE, complete ? ResultLine.Status.PASS : ResultLine.Status.FAIL,
            "exit code " + code + ", copied " + sum + "; the suite's sum: "
                + lines.stream().filter(line -> line.matches(ANY_SUM)).toList()));
    }

    private static long count(final List<ResultLine> lines, final ResultLine.Status status) {
        return lines.stream().filter(line -> line.status() == status).count();
    }

    private static void copyFacts(final List<String> lines, final ResultWriter results) {
        for (final String line : lines) {
            final String[] words = line.split(" ", 3);
            if (words[0].equals("DETAIL") && words.length == 3) {
                results.detail(words[1], words[2]);
            } else if (words[0].equals("INFO") && line.contains("=")) {
                final int equals = line.indexOf('=');
                results.info(line.substring("INFO ".length(), equals), line.substring(equals + 1));
            }
        }
    }

    /** Rings and tables in pages that the kernel might move, and that lie anywhere. */
    private void smallPages() {
        final InnerGuest.Job job = guest.start(Station.MAIN, "conformance " + address
            + "&pages=4K --effort quick --patience " + PATIENCE + " --only " + SMALL_PAGES_CASES);
        final int code = endOf(() -> job.await(SUITE), job::lines, results);
        final List<ResultLine> lines =
            job.lines().stream().flatMap(line -> ResultLine.parse(line).stream()).toList();
        final long passed = lines.stream().filter(line -> line.status() == ResultLine.Status.PASS).count();
        report("smallPagesCarryTraffic", code == 0 && passed > 0
            && lines.stream().noneMatch(line -> line.status() == ResultLine.Status.FAIL), passed + " cases passed, "
            + lines.stream().filter(line -> line.status() == ResultLine.Status.FAIL).toList());
    }

    /** The right to open the group's file is not enough where the device reaches all memory. */
    private void withoutCapabilities() {
        final InnerGuest.Job user = guest.start(Station.USER, "open " + address);
        final int failed = user.await(JOB);
        report("userWithoutCapabilitiesIsRefused", failed != 0 && user.number("errno") == RdmaException.EPERM
            && user.info("message").contains("CAP_SYS_RAWIO"), user.info("message"));
    }

    /** Commands on the device itself, then on a process that uses it and does not notice. */
    private void tools() {
        final Transcript transcript = new Transcript();
        for (final ToolCommand command : ToolCommand.onDevice(address, REPORT)) {
            transcript.add(tool(Station.MAIN, command));
        }
        startTraffic();
        for (final ToolCommand command : ToolCommand.onProcessInOne()) {
            transcript.add(tool(Station.MAIN, command));
        }
        transcript.add(tool(Station.USER, ToolCommand.WITHOUT_RIGHTS));
        try {
            transcript.write(Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, ".")));
        } catch (final IOException e) {
            throw new GuestException("cannot write what commands printed: " + e, e);
        }
        if (!stages.contains("kill")) {
            guest.kill(Station.VICTIM, END);
        }
    }

    private Transcript.Entry tool(final Station station, final ToolCommand command) {
        final InnerGuest.Job job = guest.start(station, Jobs.TOOL + ' ' + command.line());
        final int code = job.await(JOB);
        return new Transcript.Entry(job.info(Jobs.TYPED), code, Transcript.unpack(job.info(Jobs.PRINTED)));
    }

    private void startTraffic() {
        if (traffic == null) {
            traffic = guest.start(Station.VICTIM, "traffic " + address);
            traffic.awaitLine(Jobs.RUNNING, JOB);
        }
    }

    /** A second process is refused while the first one is at work; that one is killed; then the second takes over. */
    private void killInTraffic() {
        startTraffic();
        final InnerGuest.Job second = guest.start(Station.MAIN, "open " + address);
        final int refused = second.await(JOB);
        report("secondProcessIsRefused", refused != 0 && second.number("errno") == RdmaException.EBUSY,
            second.info("message"));
        final int exit = guest.kill(Station.VICTIM, END);
        report("processIsKilledInItsTraffic", exit == 128 + 9, "exit code " + exit);
        final InnerGuest.Job recover = guest.start(Station.MAIN, "recover " + address);
        final int code = recover.await(JOB);
        final String seen = String.join(" | ", recover.lines());
        report("nextProcessFindsAndDestroysLeftovers", recover.number("found") >= 5
            && recover.number("destroyed") >= recover.number("found") - 1, seen);
        report("nextProcessMovesData", recover.number("messages") > 0, seen);
        report("nothingIsLeftInTheDevice", code == 0 && recover.number("foundAgain") == 0
            && recover.number("pds") > 0 && recover.number("pds") == recover.number("maxPd"), seen);
    }

    private void withoutRights() {
        final InnerGuest.Job poor = guest.start(Station.POOR, "pingpong " + address);
        final int failed = poor.await(JOB);
        report("tooSmallMemlockIsExplained", failed != 0 && poor.number("errno") == RdmaException.ENOMEM
            && poor.info("message").contains("RLIMIT_MEMLOCK allows 64 KiB"), poor.info("message"));
        final InnerGuest.Job user = guest.start(Station.USER, "pingpong " + address);
        final int code = user.await(JOB);
        report("userWithRightsOnTheGroupMovesData", code == 0 && user.number("messages") > 0,
            String.join(" | ", user.lines()));
    }

    /** Last: the device is gone afterwards. */
    private void unbindWhileOpen() {
        final InnerGuest.Job hold = guest.start(Station.MAIN, "hold " + address);
        hold.awaitLine(Jobs.RUNNING, JOB);
        final int unbound = guest.shell("echo " + InnerMachine.DEVICE + " > /sys/bus/pci/drivers/vfio-pci/unbind");
        final int code = hold.await(JOB);
        final String seen = String.join(" | ", hold.lines());
        report("unbindMakesTheContextFatal", code == 0 && hold.info("event").equals("DEVICE_FATAL")
            && hold.info("failed").equals("true"), seen);
        report("everythingClosesAfterUnbind", hold.info("closed").equals("true"), seen);
        report("unbindCompletes", unbound == 0 && guest.shell("[ ! -e /sys/bus/pci/devices/" + InnerMachine.DEVICE
            + "/driver ]") == 0, "exit code " + unbound);
        final int exit = guest.end(Station.MAIN, END);
        report("processEndsNormallyAfterUnbind", exit == 0, "exit code " + exit);
    }
}
