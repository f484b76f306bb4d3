/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.live.LiveViews.Status;
import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that look at each other. */
@Timeout(180)
class LiveProcessesTest extends LiveFixture {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    /** With the right to read a class path in a folder of root's. */
    private static final List<String> AS_NOBODY = List.of(SETPRIV.toString(), "--reuid=65534", "--regid=65534",
        "--clear-groups", "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search",
        "--bounding-set=-all,+dac_read_search");
    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() throws InterruptedException {
        for (final Process child : children) {
            child.destroyForcibly();
            assertThat(Patience.ends(child)).isTrue();
        }
    }

    private Process start(final List<String> before, final List<String> options, final String... args)
        throws IOException {
        final List<String> command = new ArrayList<>(before);
        command.addAll(OtherJvm.command(options, LiveChild.class, args));
        final Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        children.add(child);
        return child;
    }

    private Process publisher(final String address) throws IOException {
        final Process child = start(List.of(), List.of("-Drdma4j.state.dir=" + folder), "publish", address);
        awaitLine(child, "open");
        return child;
    }

    private static void awaitLine(final Process child, final String wanted) throws IOException {
        final BufferedReader output = child.inputReader();
        final StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); !wanted.equals(line); line = output.readLine()) {
            assertThat(line).as("the child ended, having said: %s", said).isNotNull();
            said.append(line).append('\n');
        }
    }

    private static String all(final Process child) throws Exception {
        final String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(Patience.ends(child)).isTrue();
        return said;
    }

    @Test
    void aProcessIsReadWhileItRunsAndAfterItWasKilled() throws Exception {
        final Process child = publisher("fake:child");
        final LiveView view = ofPid(child.pid(), null);
        assertThat(view.address()).isEqualTo("fake:child");
        assertThat(view.pid()).isEqualTo(child.pid());
        assertThat(view.isAlive()).isTrue();
        long before = -1;
        long now = value(view);
        for (int tries = 0; now <= before || before < 0; tries++) {
            assertThat(tries).as("it goes on counting; now %d", now).isLessThan(10_000);
            before = before < 0 ? now : before;
            TimeUnit.MILLISECONDS.sleep(1);
            now = value(view);
        }
        assertThat(view.objects(Kinds.FULL)).hasSize(1);

        child.destroyForcibly().waitFor();

        assertThat(view.isAlive()).isFalse();
        assertThat(value(view)).isGreaterThanOrEqualTo(now);
        assertThat(view.objects(Kinds.FULL)).hasSize(1);
        assertThat(view.commands()).hasSize(1);
        assertThat(view.errors()).hasSize(1);
        assertThat(LiveViews.list()).singleElement().satisfies(listed -> {
            assertThat(listed.status()).isEqualTo(Status.STALE);
            assertThat(listed.pid()).isEqualTo(child.pid());
        });
        device("fake:b");
        assertThat(LiveViews.list()).as("removed by who comes next").singleElement()
            .satisfies(listed -> assertThat(listed.pid()).isEqualTo(PID));
        assertThat(value(view)).as("who has it open keeps it").isGreaterThanOrEqualTo(now);
    }

    private static long value(final LiveView view) {
        return view.counters().stream().filter(counter -> counter.label().equals("loops")).findFirst().orElseThrow()
            .value();
    }

    /** Its own settings say where it publishes, also where those of this process are others. */
    @Test
    void theFolderOfTheOtherProcessIsFound() throws Exception {
        final Process child = publisher("fake:child");
        System.setProperty("rdma4j.state.dir", folder.resolve("other").toString());
        assertThat(LiveViews.list()).isEmpty();
        assertThat(ofPid(child.pid(), "fake:child").isAlive()).isTrue();
    }

    @Test
    void filesThatAProcessHasOpen() throws IOException {
        final Path file = Files.createTempFile("rdma4j-open", "");
        try (BufferedReader open = Files.newBufferedReader(file)) {
            assertThat(LiveProcess.hasOpen(LiveProcess.PID, file.toString())).isTrue();
            assertThat(LiveProcess.hasOpen(LiveProcess.PID, file + "x")).isFalse();
            assertThat(open.read()).isEqualTo(-1);
        } finally {
            Files.delete(file);
        }
        assertThat(LiveProcess.hasOpen(LiveProcess.PID, file.toString())).isFalse();
        assertThat(LiveProcess.hasOpen(0, "")).isFalse();
    }

    @Test
    void aProcessThatEndsByItselfLeavesNothing() throws Exception {
        final Process child = publisher("fake:child");
        child.getOutputStream().close();
        all(child);
        assertThat(LiveViews.list()).isEmpty();
    }

    /** Root's rights are taken away, but for those of the files' owner. */
    private static List<String> withoutRights() {
        if (Libc.geteuid() != 0) {
            return List.of();
        }
        assumeThat(Files.isExecutable(SETPRIV)).as("root needs setpriv to give up its rights").isTrue();
        return List.of(SETPRIV.toString(), "--bounding-set=-all", "--inh-caps=-all");
    }

    @Test
    void aFileWithoutTheRightToReadIt() throws Exception {
        final Path file = device("fake:a").file().orElseThrow();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        final String said = all(start(withoutRights(), List.of("-Drdma4j.state.dir=" + folder), "look",
            Long.toString(PID), file.toString()));
        assertThat(said).contains("listed NO_RIGHT", "open 13 ", "ofPid 13 ",
            "run as the user that the file belongs to");
    }

    @Test
    void aProcessOfAnotherUser() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to start a process as another user").isZero();
        withoutRights();
        final Process other = new ProcessBuilder(SETPRIV.toString(), "--reuid=65534", "--regid=65534", "--clear-groups",
            "sleep", "170").start();
        children.add(other);
        for (int tries = 0; LiveProcess.user(other.pid()) != 65534; tries++) {
            assertThat(tries).as("user %d", LiveProcess.user(other.pid())).isLessThan(10_000);
            TimeUnit.MILLISECONDS.sleep(1);
        }
        final String said = all(start(withoutRights(), List.of("-Drdma4j.state.dir=" + folder), "look",
            Long.toString(other.pid()), folder.resolve("none").toString()));
        assertThat(said).contains("open 2 ", "ofPid 13 ",
            "process " + other.pid() + " is of user 65534, whose files cannot be read", "or as root");
    }

    private Path folderOfNobody() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        final Path theirs = Files.createDirectory(folder.resolve("theirs"));
        Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(theirs, "unix:uid", 65534);
        return theirs;
    }

    /** In a folder that their own settings name; what others than its process put there is none of root's business. */
    @Test
    void rootListsTheDevicesOfEveryUser() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to start a process as another user").isZero();
        assumeThat(System.getenv(StateFolder.VARIABLE)).as("a folder that is named is all that is looked at").isNull();
        withoutRights();
        final Path theirs = folderOfNobody();
        final Process child = start(AS_NOBODY, List.of("-Drdma4j.state.dir=" + theirs), "publish", "fake:child");
        awaitLine(child, "open");
        final byte[] ofRoot = Files.readAllBytes(device("fake:root").file().orElseThrow());
        for (final long pid : new long[] {PID, child.pid()}) {
            final Path claim = Files.write(theirs.resolve("live-" + pid + "-77.dat"), ofRoot);
            Files.setAttribute(claim, "unix:uid", 65534);
        }
        assertThat(LiveViews.list()).extracting(LiveViews.Listed::address).containsExactly("fake:root");
        assertThat(LiveViews.nobody()).isEqualTo("no process of this user");
        System.clearProperty("rdma4j.state.dir");

        assertThat(LiveViews.list()).filteredOn(listed -> listed.file().startsWith(theirs)).containsExactly(
            new LiveViews.Listed(theirs.resolve("live-" + child.pid() + "-0.dat"), child.pid(), "fake:child",
                Status.LIVE, ""));
        assertThat(LiveViews.nobody()).isEqualTo("no process");
    }

    /** Whoever reads has more rights than whoever wrote: root reads nothing for him that he could not read. */
    @Test
    void anotherUsersProcessThatNamesAFileOfRoots() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to start a process as another user").isZero();
        withoutRights();
        final Path secret = Files.write(folder.resolve("secret"), new byte[4096]);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        final Path theirs = folderOfNobody();
        final Process child = start(AS_NOBODY, List.of("-Drdma4j.state.dir=" + theirs), "bait", secret.toString());
        awaitLine(child, "open");
        System.clearProperty("rdma4j.state.dir");

        final LiveView view = ofPid(child.pid(), null);

        assertThat(view.isAlive()).isTrue();
        assertThat(view.read(0x1000, 16)).isEmpty();
        assertThat(view.troubles()).singleElement().asString()
            .contains("secret is not memory that process " + child.pid() + " shares (a sealed memfd)");
    }

    /** The usual folder's name is no secret. */
    @Test
    void aProcessWhoseFolderSomebodyElseTookIsSeenAllTheSame() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to start a process as another user").isZero();
        withoutRights();
        System.clearProperty("rdma4j.state.dir");
        final Path usual = Path.of("/dev/shm/rdma4j-65534");
        assumeThat(usual).as("a folder of a real process").doesNotExist();
        Files.createDirectory(usual);
        Path used = null;
        try {
            final List<String> command = new ArrayList<>(AS_NOBODY);
            command.addAll(List.of("env", "-u", "XDG_RUNTIME_DIR", "-u", "RDMA4J_STATE_DIR"));
            final Process child = start(command, List.of(), "publish", "fake:child");
            awaitLine(child, "open");
            assertThat(ofPid(child.pid(), null).objects(Kinds.FULL)).hasSize(1);
            used = StateFolder.STATE.existing(name -> null, name -> null, 65534).stream()
                .filter(folder -> !folder.equals(usual)).findFirst().orElseThrow();
            child.getOutputStream().close();
            all(child);
        } finally {
            Files.delete(usual);
            if (used != null) {
                Files.delete(used);
            }
        }
    }
}
