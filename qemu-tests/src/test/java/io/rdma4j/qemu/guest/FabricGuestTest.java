/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The harness against a shell script that plays QEMU and the guest in it. */
class FabricGuestTest {
    private static final String HEAD = """
        #!/bin/sh
        [ "$1" != --version ] || { echo "fake QEMU 0"; exit 0; }
        for word in "$@"; do
            case "$word" in local,path=*,mount_tag=share*) share=${word#local,path=}; share=${share%%,*} ;; esac
        done
        echo "fake guest with $share"
        """;
    private static final String OBEDIENT = """
        touch $share/ready
        n=1
        while [ -e $share/settings.sh ] && [ ! -e $share/poweroff ]; do
            if [ -e $share/$n/command.sh ]; then
                RDMA4J_FOLDER=$share/$n sh $share/$n/command.sh > $share/$n/output.log 2>&1
                echo $? > $share/$n/exit.part; mv $share/$n/exit.part $share/$n/exit; n=$((n + 1))
            fi
            sleep 0.05
        done
        echo bye
        """;

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
    private GuestContext context;
    private GuestKernel kernel;

    @BeforeEach
    void writesAKernel() throws IOException {
        final Path modules = Files.createDirectories(folder.resolve("modules"));
        for (final String name : List.of("virtio_pci", "9pnet_virtio", "9p", "overlay", "crc32_generic", "veth",
            "rdma_rxe", "edu")) {
            Files.writeString(modules.resolve(name + ".ko"), name);
        }
        try (Stream<Path> files = Files.list(modules)) {
            Files.write(modules.resolve("modules.dep"),
                files.map(file -> file.getFileName() + ":").toList());
        }
        kernel = new GuestKernel(folder.resolve("vmlinuz"), modules, "6.1");
        context = new GuestContext().name("unit").output(folder.resolve("out"))
            .progress(new PrintStream(progress, true, StandardCharsets.UTF_8))
            .bootTimeout(Patience.duration()).commandTimeout(Patience.duration());
    }

    private FabricGuest start(final String script) throws IOException {
        final Path qemu = Files.writeString(folder.resolve("qemu.sh"), HEAD + script);
        Files.setPosixFilePermissions(qemu, PosixFilePermissions.fromString("rwxr-xr-x"));
        context.binary = qemu.toString();
        context.conclude();
        return FabricGuest.start(context, QemuMachine.fabric(context, kernel, Path.of("/bin/sh"),
            "fake QEMU 0"));
    }

    /** Lines come by a thread of their own, which may need a while for them. */
    private void awaitProgress(final String text) {
        final long end = System.nanoTime() + Patience.nanos();
        while (!progress.toString(StandardCharsets.UTF_8).contains(text)) {
            assertThat(System.nanoTime() - end).as("'%s' in: %s", text, progress).isNegative();
            Patience.pause();
        }
    }

    private static boolean isAlive(final long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void runsCommandsOneAfterTheOther() throws IOException {
        try (FabricGuest guest = start(OBEDIENT)) {
            final GuestResult first = guest.runCommand(List.of("sh", "-c", "echo \"it's $0\"; exit 3", "one"));
            assertThat(first.exitCode()).isEqualTo(3);
            assertThat(first.output()).containsExactly("it's one");
            final GuestResult second = guest.runCommand(List.of("sh", "-c", "cat > $RDMA4J_FOLDER/results.txt <<EOF\n"
                + "RESULT a PASS\nRESULT b FAIL why\n1 passed, 1 failed, 0 skipped\nEOF"));
            assertThat(second.results()).hasSize(2);
            assertThat(second.complete()).isTrue();
            assertThat(second.folder()).isEqualTo(guest.folder().resolve("share/2").toRealPath());
        }
    }

    @Test
    void endsTheGuestWhenClosed() throws IOException {
        final FabricGuest guest = start(OBEDIENT);
        guest.close();
        guest.close();
        assertThat(isAlive(guest.pid())).isFalse();
        assertThat(guest.folder().resolve("console.log")).content().contains("fake guest with").contains("bye");
        assertThat(progress.toString(StandardCharsets.UTF_8)).contains("[unit] bye");
    }

    @Test
    void packsTheModulesThatWereAskedForIntoTheInitramfs() throws IOException {
        context.modules("edu").kernelArguments("intel_iommu=on").qemuArguments("-device", "edu");
        try (FabricGuest guest = start(OBEDIENT)) {
            assertThat(guest.folder().resolve("initramfs.cpio")).content(StandardCharsets.ISO_8859_1)
                .contains("modules/106-rdma_rxe.ko").contains("modules/107-edu.ko").contains("#!/bin/busybox sh");
            assertThat(guest.folder().resolve("machine-command.sh")).content()
                .contains("panic=-1 no_timer_check intel_iommu=on").contains("-device edu");
        }
    }

    @Test
    void showsTheConsoleOfAGuestThatDiesAtBoot() {
        assertThatThrownBy(() -> start("echo 'Kernel panic - not syncing'; exit 1"))
            .isInstanceOf(GuestException.class)
            .hasMessageContaining("did not come up: it ended").hasMessageContaining("exit=1")
            .hasMessageContaining("| Kernel panic - not syncing").hasMessageContaining("console.log");
    }

    private Path socketFolder() throws IOException {
        return Path.of(Files.readString(folder.resolve("out/unit/share").resolve(GuestShell.PLACE)).strip())
            .getParent();
    }

    @Test
    void saysWhatKeepsQemuFromStartingAndLeavesNoFolder() throws IOException {
        context.binary = "/nonexistent/qemu";
        context.conclude();
        assertThatThrownBy(() -> FabricGuest.start(context,
            QemuMachine.fabric(context, kernel, Path.of("/bin/sh"), "none")))
            .isInstanceOf(GuestException.class).hasMessageContaining("cannot start guest unit")
            .hasMessageContaining("\"/nonexistent/qemu\"").hasMessageContaining("No such file");
        assertThat(socketFolder()).doesNotExist();
    }

    @Test
    void leavesNoFolderWhenTheGuestCannotBePrepared() throws IOException {
        context.conclude();
        assertThatThrownBy(() -> FabricGuest.start(
            context, QemuMachine.fabric(context, kernel, folder.resolve("busybox"), "none")))
            .isInstanceOf(GuestException.class).hasMessageContaining(folder.resolve("busybox").toString());
        assertThat(socketFolder()).doesNotExist();
    }

    @Test
    void deletesTheFolderOfTheSockets() throws IOException {
        final Path sockets;
        try (FabricGuest guest = start(OBEDIENT)) {
            sockets = socketFolder();
            assertThat(sockets).as("%s", guest).isDirectory();
        }
        assertThat(sockets).doesNotExist();
    }

    @Test
    void livesLongerThanItsCommandMay() throws IOException {
        context.bootTimeout(Duration.ofMinutes(2)).commandTimeout(Duration.ofHours(3));
        try (FabricGuest guest = start(OBEDIENT)) {
            assertThat(guest.folder().resolve("share/settings.sh")).content().contains("lifetime=11220\n");
        }
    }

    @Test
    void livesAnHourOrAsLongAsItWasGiven() {
        context.conclude();
        assertThat(context.lifetime).isEqualTo(Duration.ofHours(1));
        final GuestContext given = new GuestContext().commandTimeout(Duration.ofHours(3))
            .lifetime(Duration.ofMinutes(1));
        given.conclude();
        assertThat(given.lifetime).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void killsAGuestThatDoesNotComeUpInTime() throws IOException {
        context.bootTimeout(Duration.ofSeconds(5));
        assertThatThrownBy(() -> start("echo $$ > $share/pid; echo hanging; exec sleep 60"))
            .isInstanceOf(GuestException.class)
            .hasMessageContaining("did not come up within 5 s").hasMessageContaining("| hanging");
        final String pid = Files.readString(folder.resolve("out/unit/share/pid")).strip();
        assertThat(isAlive(Long.parseLong(pid))).isFalse();
    }

    @Test
    void givesUpOnACommandAtItsDeadline() throws IOException {
        context.commandTimeout(Duration.ofSeconds(1));
        try (FabricGuest guest = start("echo deaf; touch $share/ready; exec sleep 60")) {
            awaitProgress("deaf");
            assertThatThrownBy(() -> guest.runCommand(List.of("true"))).isInstanceOf(GuestException.class)
                .hasMessageContaining("did not finish command 1, true, within 1 s").hasMessageContaining("| deaf");
        }
    }

    @Test
    void saysWhenTheGuestDiesUnderACommand() throws IOException {
        try (FabricGuest guest = start("touch $share/ready; sleep 0.5; echo '[ 3.0] BUG: null'; "
            + "echo '[ 3.0] RIP: 0010:f+0x1/0x2'; for i in $(seq 30); do echo word; done; echo Oops; exit 9")) {
            assertThatThrownBy(() -> guest.runCommand(List.of("true"))).isInstanceOf(GuestException.class)
                .hasMessageMatching("(?s)guest unit \\([^|]*BUG: null; [^|]*RIP: 0010:f.0x1/0x2\\) did not finish.*")
                .hasMessageContaining("it ended").hasMessageContaining("| Oops");
        }
    }

    /** Its machine crashes at the first command of the first boot; all that comes after holds. */
    private GuestResult runOnOneThatCrashes(final String reportedBefore) {
        final String script = String.format(Locale.ROOT, """
            touch $share/ready
            until [ -e $share/1/command.sh ]; do sleep 0.05; done
            if [ ! -e '%1$s' ]; then
                touch '%1$s'
                echo 'RESULT a %2$s' > $share/1/results.txt
                kill -SEGV $$
            fi
            printf 'RESULT a PASS\n1 passed, 0 failed, 0 skipped\n' > $share/1/results.txt
            echo 0 > $share/1/exit.part; mv $share/1/exit.part $share/1/exit
            """, folder.resolve("crashed"), reportedBefore);
        return FabricGuest.runIn(() -> context, given -> {
            try {
                return start(script);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }, List.of("Main"));
    }

    @Test
    void runsOnceMoreWhereTheMachineCrashesAndKeepsWhatTheFirstLeft() {
        final GuestResult result = runOnOneThatCrashes("PASS");
        assertThat(result.failed()).isEmpty();
        assertThat(result.complete()).isTrue();
        assertThat(progress.toString(StandardCharsets.UTF_8)).contains(GuestResult.RETRIED + "unit: ");
        assertThat(folder.resolve("out/unit-crashed/console.log")).exists();
        assertThat(folder.resolve("out/unit-crashed/share/1/results.txt")).hasContent("RESULT a PASS");
    }

    @Test
    void whatFailedBeforeTheMachineCrashedStays() {
        assertThatThrownBy(() -> runOnOneThatCrashes("FAIL why")).isInstanceOf(EmulatorCrash.class)
            .hasMessageContaining("crashed before guest unit could finish command 1")
            .hasMessageContaining("failed before it: [ResultLine[name=a, status=FAIL, message=why]]");
        assertThat(progress.toString(StandardCharsets.UTF_8)).doesNotContain(GuestResult.RETRIED);
    }

    @Test
    void keepsTheGuestUntilSomeoneEndsIt() throws Exception {
        context.keep(true);
        final FabricGuest guest = start(OBEDIENT);
        final Thread closer = new Thread(guest::close);
        closer.start();
        awaitProgress("--attach " + guest.folder());
        closer.join(700);
        assertThat(closer.isAlive()).isTrue();
        assertThat(isAlive(guest.pid())).isTrue();
        Files.writeString(guest.folder().resolve("share/poweroff"), "");
        Patience.join(closer);
        assertThat(isAlive(guest.pid())).isFalse();
    }

    private UmlMachine uml(final Path clock) throws IOException {
        final Path program = Files.writeString(folder.resolve("uml.sh"), """
            #!/bin/sh
            for word in "$@"; do case "$word" in init=*) init=${word#init=} ;; esac; done
            eval "$(grep '^share=' "$init")"
            echo "fake kernel, $*"
            """ + OBEDIENT);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new UmlMachine(new UmlKernel(program, clock, "6.1"));
    }

    @Test
    void runsAKernelThatIsAProgram() throws IOException {
        final Path clock = Files.writeString(folder.resolve("a clock"), "a library");
        context.memoryMib(600).conclude();
        assertThat(context.emulated()).isFalse();
        try (FabricGuest guest = FabricGuest.start(context, uml(clock))) {
            assertThat(guest.runCommand(List.of("echo", "done")).output()).containsExactly("done");
            awaitProgress("fake kernel, mem=600M");
            assertThat(guest.folder().resolve("console.log")).content().contains("fake kernel, mem=600M");
            assertThat(guest.folder().resolve("share/settings.sh")).content().contains("terminal=tty1");
            assertThat(guest.folder().resolve("share/clock.so")).hasSameTextualContentAs(clock);
        }
    }

    /** As the guest of a JVM that died before it could close it. */
    @Test
    void aGuestOfARunThatDiedDoesNotTakeTheNextRunsCommands() throws Exception {
        final Path ran = folder.resolve("ran");
        final List<String> command = List.of("sh", "-c", "echo once >> \"$0\"", ran.toString());
        final UmlMachine machine = uml(Files.writeString(folder.resolve("clock"), "a library"));
        context.memoryMib(600).conclude();
        try (FabricGuest old = FabricGuest.start(context, machine);
            FabricGuest next = FabricGuest.start(context, machine)) {
            assertThat(next.runCommand(command).exitCode()).isZero();
            // The old one ends by itself: what it would run is run by then.
            final long end = System.nanoTime() + Patience.nanos();
            while (isAlive(old.pid())) {
                assertThat(System.nanoTime() - end).as("%s lives on", old).isNegative();
                Patience.pause();
            }
            assertThat(isAlive(next.pid())).isTrue();
            assertThat(ran).content().isEqualTo("once\n");
        }
    }

    @Test
    void guestsTakeCommandsAsLongAsTheirShareIsThere() throws IOException {
        assertThat(Initramfs.script("guest.sh"))
            .contains("while [ -e $share/settings.sh ] && [ ! -e $share/poweroff ]; do");
    }

    @Test
    void devicesAndModulesTakeAnEmulatedMachine() {
        assertThat(new GuestContext().qemuArguments("-device", "edu").emulated()).isTrue();
        assertThat(new GuestContext().modules("vfio-pci").emulated()).isTrue();
        context.kind = "xen";
        assertThatThrownBy(context::conclude).isInstanceOf(GuestException.class)
            .hasMessageContaining("rdma4j.qemu.guest is one of [uml, qemu], not 'xen'");
    }

    @Test
    void refusesANameThatIsNoFolderName() {
        assertThatThrownBy(() -> new GuestContext().name("../etc").conclude()).isInstanceOf(GuestException.class);
        assertThatThrownBy(() -> new GuestContext().memoryMib(64).conclude()).isInstanceOf(GuestException.class)
            .hasMessageContaining("512 MiB");
    }
}
