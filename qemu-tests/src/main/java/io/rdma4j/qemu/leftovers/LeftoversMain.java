/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.leftovers;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.process.ChildProcess;
import io.rdma4j.qemu.process.HostCommand;
import io.rdma4j.qemu.qtest.QtestDevice;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Kills a process in the middle of its traffic, then opens its device: inside the fabric guest, where the objects of
 * the RDMA device behind QEMU's can be counted.
 */
public final class LeftoversMain {
    private static final Duration VICTIM_START = Duration.ofSeconds(60);
    private static final Duration COMMAND = Duration.ofSeconds(10);
    private static final String STATE_FOLDER = "rdma4j.state.dir";
    /** Layout of a journal, as far as it is forged here. */
    private static final int JOURNAL_UNDER_WAY = 20;
    private static final int JOURNAL_LAST_QP = 24;
    private static final int JOURNAL_SLOTS = 256;
    private static final int JOURNAL_SLOT_LENGTH = 32;
    private static final int JOURNAL_HANDLE = 4;
    private static final int JOURNAL_QP = 1;
    private static final int TAIL = 30;
    private static final int MESSAGES = 20;
    private static final long LIFE_MILLIS = 300;

    private final ResultWriter results;
    private final Path folder;
    private final Path state;
    private final QtestDevice device;
    private final String address;

    private LeftoversMain(
        final ResultWriter results, final Path folder, final Path state, final QtestDevice device) {
        this.results = results;
        this.folder = folder;
        this.state = state;
        this.device = device;
        this.address = device.verbsAddress().toString();
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException          if results cannot be written.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException {
        final Path folder = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."));
        final Path state = Files.createTempDirectory(Path.of("/dev/shm"), "rdma4j-state");
        System.setProperty(STATE_FOLDER, state.toString());
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out);
            QtestDevice device = QtestDevice.start(folder.resolve("qtest-qemu.log"))) {
            new LeftoversMain(results, folder, state, device).run();
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    private void run() throws IOException, InterruptedException {
        final String before = backendObjects();
        killVictim("victimRan");
        final String left = backendObjects();
        report("journalStays", journals().size() == 1, "journals: " + journals());
        forgetSecondQueuePair(journals().get(0));
        report("theDeadLeaveObjects", !left.equals(before), "before: " + before + "; after the kill: " + left);
        final long start = System.nanoTime();
        try (RdmaContext context = RdmaDevices.open(address)) {
            results.info("reopenMillis", (System.nanoTime() - start) / 1_000_000);
            final String dump = context.dump();
            final long found = number(dump, "leftovers found");
            final long destroyed = number(dump, "leftovers destroyed");
            final long guessed = number(dump, "leftovers of unknown handle");
            // One may have been gone already: the victim may die when it knows not yet that the device has obeyed.
            report("leftoversDestroyed", found >= Traffic.objects() && destroyed >= found - 1 && guessed == 1,
                String.format("found %d, destroyed %d, refused %d, of unknown handle %d", found, destroyed,
                    number(dump, "leftovers refused"), guessed));
            final String after = backendObjects();
            report("nothingIsLeft", after.equals(before), "before: " + before + "; after: " + after);
            traffic(context);
        } catch (final RdmaException | IllegalStateException e) {
            results.fail("reopen", e + "\nQEMU said: " + device.log());
        }
        report("qemuLives", device.isAlive(), device.toString());
        report("journalIsGone", journals().isEmpty(), "journals: " + journals());
        report("cleanEnd", backendObjects().equals(before), "before: " + before + "; at the end: " + backendObjects());
        lostFirstQp(before);
    }

    /** Where the device behind this one has a QP of which nobody ever knew the number. */
    private void lostFirstQp(final String before) throws IOException, InterruptedException {
        killVictim("firstVictimRan", Victim.FIRST_QP);
        forgetAllQueuePairs(journals().get(0));
        try (RdmaContext context = RdmaDevices.open(address)) {
            final String waits = backendObjects();
            report("firstQpWaits", !waits.equals(before), "before: " + before + "; waiting: " + waits);
            new Traffic(context).exchange();
        } catch (final RdmaException | IllegalStateException e) {
            results.fail("reopenForFirstQp", e + "\nQEMU said: " + device.log());
        }
        final String after = backendObjects();
        report("firstQpIsFound", after.equals(before), "before: " + before + "; at the end: " + after);
    }

    private void killVictim(final String name, final String... arguments) throws InterruptedException {
        final AtomicBoolean running = new AtomicBoolean();
        try (ChildProcess victim = ChildProcess.start("victim", victimCommand(arguments), folder.resolve("victim.log"),
            line -> running.compareAndSet(false, line.contains(Victim.RUNNING)))) {
            final boolean up = victim.await(running::get, VICTIM_START);
            Thread.sleep(up ? LIFE_MILLIS : 0);
            report(name, up && victim.isAlive(), victim.tail(TAIL));
        }
    }

    private List<String> victimCommand(final String... arguments) {
        final List<String> command = new ArrayList<>();
        command.add(OtherJvm.java());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-D" + STATE_FOLDER + '=' + state);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Victim.class.getName(), address));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Makes the journal what it is when its process dies between the birth of its second QP and the note of it: the QP
     * is not listed, the command is under way. Not where the process has really died in the middle of a command.
     */
    private static void forgetSecondQueuePair(final Path journal) throws IOException {
        final ByteBuffer bytes = bytes(journal);
        if (bytes.getInt(JOURNAL_UNDER_WAY) != 0) {
            return;
        }
        final TreeMap<Integer, Integer> slots = queuePairs(bytes);
        final int first = slots.firstKey();
        bytes.putInt(slots.get(slots.higherKey(first)), 0);
        write(journal, bytes, first + 1);
    }

    /** What it is when its process dies in the creation of its first QP. */
    private static void forgetAllQueuePairs(final Path journal) throws IOException {
        final ByteBuffer bytes = bytes(journal);
        queuePairs(bytes).values().forEach(slot -> bytes.putInt(slot, 0));
        write(journal, bytes, 0);
    }

    private static ByteBuffer bytes(final Path journal) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(journal)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Where each is listed, by its number. */
    private static TreeMap<Integer, Integer> queuePairs(final ByteBuffer bytes) {
        final TreeMap<Integer, Integer> slots = new TreeMap<>();
        for (int slot = JOURNAL_SLOTS; slot < bytes.capacity(); slot += JOURNAL_SLOT_LENGTH) {
            if (bytes.getInt(slot) == JOURNAL_QP) {
                slots.put(bytes.getInt(slot + JOURNAL_HANDLE), slot);
            }
        }
        return slots;
    }

    private static void write(final Path journal, final ByteBuffer bytes, final int afterLastQp) throws IOException {
        bytes.putInt(JOURNAL_UNDER_WAY, Command.CREATE_QP.id() + 1);
        bytes.putInt(JOURNAL_LAST_QP, afterLastQp);
        Files.write(journal, bytes.array());
    }

    private void traffic(final RdmaContext context) {
        final Traffic traffic = new Traffic(context);
        for (int i = 0; i < MESSAGES; i++) {
            traffic.exchange();
        }
        results.pass("trafficGoesOn", MESSAGES + " messages");
    }

    private void report(final String name, final boolean holds, final String seen) {
        final String line = seen.strip().replaceAll("\\R", " | ");
        if (holds) {
            results.pass(name, line);
        } else {
            results.fail(name, line);
        }
    }

    /** PDs, CQs, QPs and regions of the RDMA device behind QEMU's, QEMU's own included. */
    private static String backendObjects() {
        final String text =
            HostCommand.run(null, COMMAND, List.of("rdma", "resource", "show")).text();
        return text.replaceAll("\\s+", " ").strip();
    }

    private static long number(final String dump, final String counter) {
        final Matcher matcher = Pattern.compile(Pattern.quote(counter) + "=(\\d+)").matcher(dump);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    }

    /** What a process publishes of its devices is in the same folder. */
    private List<Path> journals() throws IOException {
        try (Stream<Path> files = Files.list(state)) {
            return files.filter(file -> file.toString().endsWith(".journal")).toList();
        }
    }
}
