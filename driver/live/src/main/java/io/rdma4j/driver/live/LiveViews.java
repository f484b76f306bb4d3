/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.state.StateFolder;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds and opens what processes publish. */
public final class LiveViews {
    /** What programs open that use libibverbs, such as by {@code ibv:rxe0}. */
    private static final String KERNEL_DEVICES = "/dev/infiniband/uverbs";
    private static final long ROOT = 0;
    private static final int ESRCH = 3;
    private static final int EPROTO = 71;
    private static final Set<Status> NOT_OF_THE_PROCESS = Set.of(Status.STALE, Status.ELSEWHERE, Status.FOREIGN);
    private static final String OPERATION = "look into a live device";
    private static final String MISNAMED = "it is of process %d, and named after another";

    private LiveViews() {
    }

    /** What a file in the folder is. */
    public enum Status {
        /** Its process is there. */
        LIVE,
        /** Its process ended without removing it. */
        STALE,
        /** It is of another version of the layout. */
        OTHER_VERSION,
        /** It is no such file, or a damaged one. */
        CORRUPT,
        /** It cannot be read: no right. */
        NO_RIGHT,
        /** Its process is of another container, so that nobody can tell whether it is there. */
        ELSEWHERE,
        /** It says that it is of a process of another user, who did not write it, or of another than its name says. */
        FOREIGN
    }

    /**
     * One file.
     *
     * @param file    where it is.
     * @param pid     whose, by its name; 0 if that does not say.
     * @param address of the device; empty if it cannot be read.
     * @param status  what it is.
     * @param detail  one sentence for anything but {@link Status#LIVE}; else empty.
     */
    public record Listed(Path file, long pid, String address, Status status, String detail) {
    }

    /**
     * What is in the folders of this user; {@linkplain #isOfEveryUser for root}, also what each other process that is
     * there publishes in its own.
     *
     * @return by process and time; empty if there is no folder.
     */
    public static List<Listed> list() {
        final Map<Object, Listed> found = new LinkedHashMap<>();
        try {
            StateFolder.STATE.existing().stream().flatMap(folder -> LiveFolder.files(folder).stream())
                .forEach(file -> look(file).ifPresent(its -> found.put(file, its)));
        } catch (final IOException | InvalidPathException e) {
            return List.of();
        }
        if (isOfEveryUser()) {
            ProcessHandle.allProcesses().forEach(process -> found.putAll(ofProcess(process.pid())));
        }
        return found.values().stream().sorted(Comparator.comparingLong(Listed::pid)).toList();
    }

    /**
     * Whether {@link #list()} has the devices of every user.
     *
     * @return true for root, unless a folder of state is named: then it has what is in that one.
     */
    public static boolean isOfEveryUser() {
        return LiveProcess.user(LiveProcess.PID) == ROOT && !StateFolder.STATE.isNamed();
    }

    /**
     * Who has no device open where {@link #list()} has none.
     *
     * @return "no process", or "no process of this user".
     */
    public static String nobody() {
        return isOfEveryUser() ? "no process" : "no process of this user";
    }

    /** Empty if its process removed it since the folder was listed. */
    static Optional<Listed> look(final Path file) {
        try (LiveImage image = image(file, own(file))) {
            final LiveHeader header = LiveHeader.read(image);
            final Verdict verdict = isMisnamed(file, header.pid())
                ? new Verdict(Status.FOREIGN, String.format(Locale.ROOT, MISNAMED, header.pid()))
                : Verdict.of(image, header);
            return Optional.of(
                new Listed(file, LiveFolder.pid(file), header.address(), verdict.status, verdict.detail));
        } catch (final IOException e) {
            return Files.notExists(file, LinkOption.NOFOLLOW_LINKS) ? Optional.empty()
                : Optional.of(new Listed(file, LiveFolder.pid(file), "",
                    isDenied(file, e) ? Status.NO_RIGHT : Status.CORRUPT, String.valueOf(e.getMessage())));
        }
    }

    /** Whoever writes a file names it: one user's could pass for a process of another. */
    private static boolean isMisnamed(final Path file, final long pid) {
        return pid != 0 && LiveFolder.pid(file) != 0 && LiveFolder.pid(file) != pid;
    }

    /** What a file is, once it was looked where it leads to. */
    private record Verdict(Status status, String detail) {
        static Verdict of(final LiveImage image, final LiveHeader header) {
            if (header.status() != Status.LIVE) {
                return new Verdict(header.status(), header.detail());
            }
            final long user = LiveProcess.user(header.pid());
            if (user != image.owner()) {
                return new Verdict(Status.FOREIGN, String.format("it is of user %d, and process %d of user %d",
                    image.owner(), header.pid(), user));
            }
            return header.layout() != null ? new Verdict(Status.LIVE, "") : new Verdict(Status.STALE,
                "process " + header.pid() + " has ended or closed the device; " + header.detail());
        }
    }

    /** The file; where the C library cannot be called, the memory of this process that it is. */
    private static LiveImage image(final Path file, final LiveDevice own) throws IOException {
        try {
            return LiveImage.of(file);
        } catch (final IOException e) {
            if (own == null || !isUnavailable(e)) {
                throw e;
            }
            return new LiveImage.OfMemory(own.memory(), own.length());
        }
    }

    private static boolean isUnavailable(final IOException e) {
        return e.getCause() instanceof RdmaException cause && cause.errno() == RdmaException.EOPNOTSUPP;
    }

    private static boolean isDenied(final Path file, final IOException e) {
        return e instanceof AccessDeniedException || Files.exists(file) && !Files.isReadable(file);
    }

    /**
     * Opens one file.
     *
     * @param file as {@link #list()} names it. A copy of one leads to the same process, as long as that lives, unless
     *             its name is that of another's.
     * @return the view; the caller closes it.
     * @throws io.rdma4j.RdmaException ENOENT if it is not there, EACCES without the right, EPROTO if it is of another
     *                                 version, EIO if it is damaged or foreign.
     */
    public static LiveView open(final Path file) {
        try (Undo undo = new Undo()) {
            final LiveDevice own = own(file);
            final LiveImage image = image(file, own);
            undo.add(image::close);
            final LiveView view = open(image, file, own);
            if (isMisnamed(file, view.pid())) {
                throw RdmaException.of(OPERATION).object(file).detail(MISNAMED, view.pid()).errno(RdmaException.EIO)
                    .build();
            }
            undo.forget();
            return view;
        } catch (final IOException e) {
            throw unreadable(file, e);
        }
    }

    private static RdmaException unreadable(final Path file, final IOException e) {
        final boolean there = Files.exists(file);
        final boolean denied = isDenied(file, e);
        final boolean hidden = !there && !Files.notExists(file);
        return RdmaException.of(OPERATION).object(file).detail("%s", e.getMessage()).cause(e)
            .errno(denied || hidden ? RdmaException.EACCES : there ? RdmaException.EIO : RdmaException.ENOENT)
            .hint(denied || hidden ? "run as the user that the file belongs to, or as root"
                : "the names of what is there are in the list of live devices").build();
    }

    private static LiveView open(final LiveImage image, final Object name, final LiveDevice own) {
        final LiveHeader header = LiveHeader.read(image);
        if (header.layout() == null) {
            throw RdmaException.of(OPERATION).object(name).detail("%s", Verdict.of(image, header).detail)
                .errno(header.isOfOther() ? EPROTO : RdmaException.EIO)
                .hint(header.isOfOther() ? "look into it with the rdma4j that the process runs"
                    : "name a file live-PID-N.dat").build();
        }
        return new LiveImageView(image, header, own);
    }

    private static LiveDevice own(final Path file) {
        for (final LiveDevice device : LiveDevice.ofProcess()) {
            if (device.file().filter(its -> isSame(its, file)).isPresent()) {
                return device;
            }
        }
        return null;
    }

    private static boolean isSame(final Path one, final Path other) {
        try {
            return one.getFileName().equals(other.getFileName()) && Files.isSameFile(one, other);
        } catch (final IOException e) {
            return false;
        }
    }

    /**
     * Opens the device of a process.
     *
     * @param pid     the process; may be this one.
     * @param address which of its devices, as it was opened by; null for the only one. Where several were opened by one
     *                address, the last of them; where none was, the only one whose address differs in options alone.
     * @return the view; the caller closes it.
     * @throws io.rdma4j.RdmaException ESRCH if there is no such process, ENODEV if it publishes no such device (the
     *                                 message lists those it does), EOPNOTSUPP if it drives one through libibverbs
     *                                 and publishes none, EINVAL if address is null and there are several,
     *                                 EACCES if it is another user's, and as {@link #open(Path)}.
     */
    public static LiveView ofPid(final long pid, final String address) {
        requireProcess(pid);
        final Map<Object, Listed> found = ofProcess(pid);
        if (pid == LiveProcess.PID) {
            addUnpublished(found);
        }
        final Object chosen = choose(pid, address, found);
        return chosen instanceof LiveDevice device
            ? open(new LiveImage.OfMemory(device.memory(), device.length()), device, device) : open((Path) chosen);
    }

    /** In the first of its folders that has any. */
    private static Map<Object, Listed> ofProcess(final long pid) {
        final Map<Object, Listed> found = new LinkedHashMap<>();
        for (final Path folder : LiveSearch.folders(pid)) {
            if (found.isEmpty()) {
                addFiles(folder, pid, found);
            }
        }
        return found;
    }

    private static void addFiles(final Path folder, final long pid, final Map<Object, Listed> found) {
        for (final Path file : LiveFolder.files(folder)) {
            if (LiveFolder.pid(file) == pid) {
                look(file).filter(its -> !NOT_OF_THE_PROCESS.contains(its.status()))
                    .ifPresent(its -> found.put(file, its));
            }
        }
    }

    private static void requireProcess(final long pid) {
        if (pid <= 0 || LiveProcess.startTicks(pid) == LiveProcess.NONE) {
            throw RdmaException.of(OPERATION).detail("there is no process %d", pid).errno(ESRCH).hint("%s", others())
                .build();
        }
    }

    private static String others() {
        final List<Long> pids = list().stream().filter(listed -> listed.status() == Status.LIVE).map(Listed::pid)
            .distinct().toList();
        return pids.isEmpty() ? nobody() + " has a device open" : "processes with open devices: " + pids;
    }

    private static void addUnpublished(final Map<Object, Listed> found) {
        for (final LiveDevice device : LiveDevice.ofProcess()) {
            if (device.objection() != null) {
                found.put(device, new Listed(null, LiveProcess.PID, device.address(), Status.LIVE, ""));
            }
        }
    }

    private static Object choose(final long pid, final String address, final Map<Object, Listed> found) {
        final List<Object> live = found.keySet().stream()
            .filter(each -> found.get(each).status() == Status.LIVE).toList();
        List<Object> matches = live.stream()
            .filter(each -> address == null || address.equals(found.get(each).address())).toList();
        if (matches.isEmpty()) {
            matches = live.stream().filter(each -> isSameDevice(address, found.get(each).address())).toList();
        } else if (address != null) {
            matches = matches.subList(matches.size() - 1, matches.size());
        }
        if (matches.isEmpty()) {
            // Opening what cannot be looked into says what is wrong with it.
            return found.keySet().stream().filter(each -> !live.contains(each)).findFirst()
                .orElseThrow(() -> nothing(pid, address, found.values()));
        }
        if (matches.size() > 1) {
            throw RdmaException.of(OPERATION).detail("process %d has %d open devices: %s", pid, matches.size(),
                names(matches.stream().map(found::get).toList())).errno(RdmaException.EINVAL)
                .hint("name one of them").build();
        }
        return matches.get(0);
    }

    /** Options say how a device is used; what is before them says which one it is. */
    private static boolean isSameDevice(final String one, final String other) {
        return one != null && one.split("\\?", 2)[0].equals(other.split("\\?", 2)[0]);
    }

    private static RdmaException nothing(final long pid, final String address, final Collection<Listed> found) {
        final RdmaException.Builder trouble = RdmaException.of(OPERATION).device(address);
        if (found.isEmpty() && !Files.isReadable(LiveProcess.of(pid, "environ"))) {
            return trouble.detail("process %d is of user %d, whose files cannot be read", pid, LiveProcess.user(pid))
                .errno(RdmaException.EACCES).hint("run as that user, or as root").build();
        }
        if (found.isEmpty() && LiveProcess.hasOpen(pid, KERNEL_DEVICES)) {
            return trouble.detail("process %d drives its RDMA device through libibverbs, and publishes nothing",
                pid).errno(RdmaException.EOPNOTSUPP)
                .hint("one that opened it by rdma4j publishes it, unless it runs with %s=off", LiveSettings.VARIABLE)
                .build();
        }
        return trouble
            .detail(found.isEmpty() ? "process %d publishes no device" : "process %d publishes %s", pid,
                names(found))
            .errno(RdmaException.ENODEV)
            .hint(found.isEmpty() ? "it has none open, or runs with " + LiveSettings.VARIABLE + "=off; " + others()
                : "name one of them").build();
    }

    private static List<String> names(final Collection<Listed> found) {
        return found.stream().map(listed -> listed.status() == Status.LIVE ? "'" + listed.address() + "'"
            : listed.file() + " (" + listed.detail() + ")").toList();
    }
}
