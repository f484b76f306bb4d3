/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.ChildProcess;
import io.rdma4j.qemu.process.Folders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A virtual machine that sees this host's files and has what the host's kernel may lack: a software RDMA device,
 * {@code rxe0} on {@code eth7}, with 10.9.9.1 as its address. Commands run in it one after the other; each leaves a
 * folder below {@link #folder()}.
 *
 * <p>The host's root is mounted read-only with a layer of memory above it, so a command may write where it likes and
 * nothing of it stays, except below {@code /run/guest-share}, which is {@link #folder()}{@code /share}.
 *
 * <p>Every wait has a deadline, every failure shows the last lines of the console, and the machine ends with
 * {@link #close()}, with this JVM, or by itself after its lifetime. Not thread-safe.
 */
public final class FabricGuest implements AutoCloseable {
    /** Name of the software RDMA device. */
    public static final String IBDEV = "rxe0";
    /** Name of the network device below it. */
    public static final String NETDEV = "eth7";
    /** Address of that network device; GID 1 is ::ffff: and this. */
    public static final String IP_ADDRESS = "10.9.9.1";
    /** The network namespace at the other end of that device's cable. */
    public static final String PEER_NETNS = "peer";
    /** The address there. */
    public static final String PEER_ADDRESS = "10.9.9.2";
    /** Where the guest sees the share. */
    public static final String SHARE = "/run/guest-share";

    private static final Duration POWEROFF = Duration.ofSeconds(20);
    private static final Duration DUMP_BEFORE_END = Duration.ofSeconds(10);
    private static final int TAIL = 25;
    private static final Pattern COMPLAINT =
        Pattern.compile("BUG: |general protection fault|Kernel panic| RIP: [0-9]+:");

    private final GuestContext context;
    private final Path folder;
    private final Path share;
    private final ChildProcess qemu;
    private int commands;
    /** It missed a deadline: it is not asked to end, but killed. */
    private boolean stuck;

    private FabricGuest(final GuestContext context, final Path folder, final Path sockets, final Machine kind)
        throws IOException {
        this.context = context;
        this.folder = folder;
        this.share = folder.resolve(Machine.SHARE).toRealPath();
        Files.writeString(share.resolve("guest.sh"), Initramfs.script("guest.sh"));
        Files.writeString(share.resolve("settings.sh"), settings(context, kind));
        Files.writeString(share.resolve("setup.sh"), kind.setup());
        final List<String> command = kind.command(context, folder, sockets);
        Files.writeString(folder.resolve("machine-command.sh"), Shell.join(command) + '\n');
        qemu = ChildProcess.start("guest-" + context.name, command, folder.resolve("console.log"), this::show,
            List.of(sockets));
    }

    /**
     * Boots a guest and waits until its RDMA device is there.
     *
     * @param context how it is to be.
     * @return the running guest; the caller closes it.
     * @throws GuestException if a tool or the kernel cannot be had (names the command that fixes it), or the guest
     *                        does not come up in time (shows its console).
     */
    public static FabricGuest boot(final GuestContext context) {
        context.conclude();
        HostTools.require(context.binary);
        return start(context, () -> context.emulated() ? QemuMachine.prepare(context) : UmlMachine.prepare(context));
    }

    /**
     * Boots a guest in which Linux' own driver drives devices that another process serves, by the vfio-user protocol:
     * {@code vmw_pvrdma0} and so on. There is no software RDMA device in it, and none of its addresses.
     *
     * @param context how it is to be, with the devices in {@link GuestContext#qemuArguments}.
     * @param parts   what it takes.
     * @return the running guest; the caller closes it.
     * @throws GuestException as {@link #boot(GuestContext)}.
     */
    public static FabricGuest boot(final GuestContext context, final ServedParts parts) {
        context.conclude();
        return start(context, () -> QemuMachine.serving(context, parts));
    }

    /** Where the machine's script may be missing from the build. */
    interface MachineSource {
        Machine get() throws IOException;
    }

    private static FabricGuest start(final GuestContext context, final MachineSource machine) {
        try {
            return start(context, machine.get());
        } catch (final IOException e) {
            throw new GuestException("cannot prepare guest " + context.name + ": " + e, e);
        }
    }

    /** Boots on the given machine; the context is concluded. */
    static FabricGuest start(final GuestContext context, final Machine machine) {
        final long start = System.nanoTime();
        try {
            final Path folder = context.output.resolve(context.name);
            Folders.delete(folder);
            makeShare(folder);
            context.progress.printf("[%s] booting %s, log %s%n", context.name, machine, folder.resolve("console.log"));
            final FabricGuest guest = launch(context, folder, machine);
            guest.awaitReady(start);
            return guest;
        } catch (final UncheckedIOException e) {
            throw new GuestException("cannot start guest " + context.name + ": " + e.getCause(), e);
        } catch (final IOException e) {
            throw new GuestException("cannot start guest " + context.name + ": " + e, e);
        }
    }

    /**
     * Where a JVM dies at once, its guest lives on and looks for commands where they have been: the next one's lie
     * elsewhere. And it ends by itself, as its share is gone.
     */
    private static void makeShare(final Path folder) throws IOException {
        Files.createDirectories(folder);
        final Path share = Files.createTempDirectory(folder, Machine.SHARE + '-',
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.createSymbolicLink(folder.resolve(Machine.SHARE), share.getFileName());
    }

    private static FabricGuest launch(final GuestContext context, final Path folder, final Machine machine)
        throws IOException {
        // The path of a socket may have 107 characters; that of a build folder is often longer.
        final Path sockets = Files.createTempDirectory("rdma4j-guest");
        FabricGuest guest = null;
        try {
            guest = new FabricGuest(context, folder, sockets, machine);
            return guest;
        } finally {
            if (guest == null) {
                Folders.delete(sockets);
            }
        }
    }

    private static String settings(final GuestContext context, final Machine machine) {
        return String.format(Locale.ROOT, "lifetime=%d%nterminal=%s%n", context.keep ? 0 : context.lifetime.toSeconds(),
            machine.terminal());
    }

    private void awaitReady(final long start) {
        boolean ready = false;
        try {
            ready = await(share.resolve("ready"), context.bootTimeout, "come up");
            progress(String.format("up in %.1f s", (System.nanoTime() - start) / 1e9));
        } finally {
            if (!ready) {
                kill();
            }
        }
    }

    /**
     * Boots a guest, runs a Java program in it and ends it; once more where QEMU itself crashes, which no guest should
     * be able to bring about (7.2 does at times while its virtual IOMMU handles an interrupt message), and nothing had
     * failed until then. The first guest's folder is kept, as NAME-crashed.
     *
     * @param contexts          makes a new context for each boot.
     * @param mainAndArguments the program.
     * @return what it left.
     * @throws GuestException as {@link #boot} and {@link #run}; and if QEMU crashes twice, or after a failure.
     */
    public static GuestResult runIn(final Supplier<GuestContext> contexts, final List<String> mainAndArguments) {
        return runIn(contexts, FabricGuest::boot, mainAndArguments);
    }

    static GuestResult runIn(
        final Supplier<GuestContext> contexts, final Function<GuestContext, FabricGuest> boot,
        final List<String> mainAndArguments) {
        final GuestContext first = contexts.get();
        try {
            return bootAndRun(first, boot, mainAndArguments);
        } catch (final EmulatorCrash e) {
            if (!e.isAlone()) {
                throw e;
            }
            first.progress.println(GuestResult.RETRIED + first.name + ": " + e.getMessage());
            keep(first);
            return bootAndRun(contexts.get(), boot, mainAndArguments);
        }
    }

    private static GuestResult bootAndRun(
        final GuestContext context, final Function<GuestContext, FabricGuest> boot,
        final List<String> mainAndArguments) {
        try (FabricGuest guest = boot.apply(context)) {
            return guest.run(mainAndArguments);
        }
    }

    /** The next guest of the name takes its folder. */
    private static void keep(final GuestContext crashed) {
        final Path kept = crashed.output.resolve(crashed.name + "-crashed");
        try {
            Folders.delete(kept);
            Files.move(crashed.output.resolve(crashed.name), kept);
        } catch (final IOException e) {
            throw new GuestException("cannot keep what guest " + crashed.name + " left as " + kept + ": " + e, e);
        }
    }

    /**
     * Runs a Java program with this JVM's JDK and class path.
     *
     * @param mainAndArguments the main class and its arguments.
     * @return what it left, whatever its exit code.
     * @throws GuestException if it does not end in time or the guest dies; shows the console.
     */
    public GuestResult run(final List<String> mainAndArguments) {
        return runCommand(JavaCommand.of(SHARE + '/' + (commands + 1), mainAndArguments));
    }

    /**
     * Runs a command of this host inside the guest, in this process' working folder. The environment variable
     * RDMA4J_FOLDER names the folder in which the command may leave files.
     *
     * @param command program and arguments.
     * @return what it left, whatever its exit code.
     * @throws GuestException if it does not end in time or the guest dies; shows the console.
     */
    public GuestResult runCommand(final List<String> command) {
        commands++;
        final Path place = share.resolve(Integer.toString(commands));
        final long start = System.nanoTime();
        try {
            Files.createDirectories(place);
            Files.writeString(place.resolve("limits.sh"), "dump_after="
                + Math.max(1, context.commandTimeout.minus(DUMP_BEFORE_END).toSeconds()) + '\n');
            final Path script = Files.writeString(place.resolve("command.part"), String.format("cd %s%nexec %s%n",
                Shell.quote(Path.of("").toAbsolutePath().toString()), Shell.join(command)));
            // The guest looks for this name: the file is complete when it appears.
            Files.move(script, place.resolve("command.sh"), StandardCopyOption.ATOMIC_MOVE);
            await(place.resolve("exit"), context.commandTimeout, "finish command " + commands + ", "
                + Shell.quote(command.get(command.size() - 1)) + ",");
            final int exitCode = Integer.parseInt(Files.readString(place.resolve("exit")).strip());
            return GuestResult.read(place, exitCode, Duration.ofNanos(System.nanoTime() - start));
        } catch (final IOException e) {
            throw failure("cannot exchange files with guest " + context.name, e);
        }
    }

    private boolean await(final Path file, final Duration timeout, final String what) {
        final BooleanSupplier there = () -> Files.exists(file);
        try {
            if (qemu.await(there, timeout)) {
                return true;
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("interrupted while waiting for guest " + context.name + " to " + what, e);
        }
        stuck = true;
        if (qemu.hasCrashed()) {
            final List<ResultLine> failed = failed(file.getParent());
            throw new EmulatorCrash(String.format(
                "the machine itself crashed before guest %s could %s: %s%s; last lines:%n%s", context.name, what,
                qemu, failed.isEmpty() ? "" : "; failed before it: " + failed, qemu.tail(TAIL)), failed.isEmpty());
        }
        throw failure(String.format("guest %s%s did not %s%s", context.name, complaints(), what,
            qemu.isAlive() ? " within " + timeout.toSeconds() + " s" : ": it ended (" + qemu + ")"), null);
    }

    /** What a command had told of by then. */
    private List<ResultLine> failed(final Path place) {
        try {
            return GuestResult.read(place, 0, Duration.ZERO).failed();
        } catch (final IOException e) {
            throw failure("the machine itself crashed, and what had failed before it cannot be read", e);
        }
    }

    /** What its kernel said first when it went wrong, and where: before all else, as long messages are shortened. */
    private String complaints() {
        try (Stream<String> lines = Files.lines(folder.resolve("console.log"), StandardCharsets.ISO_8859_1)) {
            final String found = lines.filter(line -> COMPLAINT.matcher(line).find()).limit(2).map(String::strip)
                .collect(Collectors.joining("; "));
            return found.isEmpty() ? "" : " (" + found + ')';
        } catch (final IOException | UncheckedIOException e) {
            return "";
        }
    }

    private GuestException failure(final String what, final Exception cause) {
        return new GuestException(String.format("%s; all of its console is in %s, its last lines:%n%s",
            what, folder.resolve("console.log"), qemu.tail(TAIL)), cause);
    }

    /**
     * The guest's folder on this host: console.log, machine-command.sh, and share with a folder for each command.
     *
     * @return an absolute path.
     */
    public Path folder() {
        return folder;
    }

    /**
     * The process id of the guest's machine.
     *
     * @return as the system numbers it.
     */
    public long pid() {
        return qemu.pid();
    }

    /**
     * Ends the guest; when it is to be kept, waits first until someone ends it from inside or by the file
     * {@code share/poweroff}. Harmless when called again.
     */
    @Override
    public void close() {
        try {
            if (qemu.isAlive()) {
                if (context.keep) {
                    awaitVisitor();
                }
                if (!stuck) {
                    Files.writeString(share.resolve("poweroff"), "");
                    qemu.awaitExit(POWEROFF);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final IOException e) {
            progress("cannot ask guest to end: " + e);
        } finally {
            kill();
        }
    }

    private void awaitVisitor() throws InterruptedException {
        progress("kept; shell: " + GuestShell.usage(folder));
        progress("ends by 'poweroff -f' in that shell, or: touch " + share.resolve("poweroff"));
        qemu.await(() -> Files.exists(share.resolve("poweroff")), Duration.ofDays(1));
    }

    private void kill() {
        try {
            qemu.close();
        } catch (final UncheckedIOException e) {
            progress(e.getMessage() + ": " + e.getCause());
        }
    }

    private void show(final String line) {
        if (!line.isBlank()) {
            progress(line);
        }
    }

    private void progress(final String line) {
        context.progress.println("[" + context.name + "] " + line);
    }

    @Override
    public String toString() {
        return "FabricGuest[" + context.name + ' ' + qemu + ' ' + folder + ']';
    }
}
