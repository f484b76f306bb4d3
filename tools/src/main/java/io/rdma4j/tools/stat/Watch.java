/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.driver.live.LiveViews.Listed;
import io.rdma4j.driver.live.LiveViews.Status;
import io.rdma4j.driver.state.StateFolder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All devices that are watched: those that were asked for, as they come and go. Not thread-safe; the caller closes it.
 */
public final class Watch implements AutoCloseable {
    private static final Pattern NUMBER = Pattern.compile("live-\\d+-(\\d{1,9})\\.dat");

    private final Long pid;
    private final String address;
    private final Map<Path, Watched> devices = new LinkedHashMap<>();
    /** Files that were told to be left out, and are still there. */
    private final Set<Path> told = new HashSet<>();
    private Watched elsewhere;

    private Watch(final Long pid, final String address) {
        this.pid = pid;
        this.address = address;
    }

    /**
     * Begins to watch.
     *
     * @param pid     whose devices; null for those of all processes that {@link LiveViews#list()} has.
     * @param address which of them, options aside; null for all.
     * @return at least one device; the caller closes it.
     * @throws RdmaException ESRCH or ENODEV if there is none, EACCES or EIO if there are only such as cannot be read.
     */
    public static Watch begin(final Long pid, final String address) {
        final Watch watch = new Watch(pid, address);
        try (Undo undo = new Undo()) {
            undo.add(watch::close);
            watch.findNew(LiveViews.list());
            if (watch.devices.isEmpty()) {
                watch.openElsewhere();
            }
            undo.forget();
            return watch;
        }
    }

    /** A process may publish in the folder of another environment; whoever names it finds it, or learns why not. */
    private void openElsewhere() {
        if (pid == null) {
            throw nothing();
        }
        elsewhere = new Watched(LiveViews.ofPid(pid, address), 0);
    }

    private RdmaException nothing() {
        final List<Listed> hidden = leftOut(LiveViews.list());
        final RdmaException.Builder trouble = RdmaException.of("watch counters").device(address);
        if (hidden.isEmpty()) {
            return trouble.detail("%s", nobody(address)).errno(RdmaException.ENODEV)
                .hint("start one, such as ./rdma4j pingpong -D 60%s", LiveViews.isOfEveryUser() ? ""
                    : "; root sees those of other users, unless " + StateFolder.VARIABLE + " is set").build();
        }
        final Listed first = hidden.get(0);
        return trouble.detail("%s: %s", first.file(), first.detail())
            .errno(first.status() == Status.NO_RIGHT ? RdmaException.EACCES : RdmaException.EIO)
            .hint("run as the user of process %d, and the rdma4j that it runs", first.pid()).build();
    }

    /**
     * What is told where there is nothing to watch.
     *
     * @param address as {@link #begin} takes it.
     * @return one clause.
     */
    public static String nobody(final String address) {
        return LiveViews.nobody() + " has " + (address == null ? "a device" : "this device") + " open";
    }

    private static boolean isHidden(final Listed listed) {
        return listed.status() != Status.LIVE && listed.status() != Status.STALE;
    }

    /** A file that cannot be read does not tell its address, which may be the one that was asked for. */
    private boolean isWanted(final Listed listed) {
        return (pid == null || pid == listed.pid()) && (address == null || listed.address().isEmpty()
            || withoutOptions(address).equals(withoutOptions(listed.address())));
    }

    private static String withoutOptions(final String device) {
        return device.replaceFirst("\\?.*", "");
    }

    private void findNew(final List<Listed> all) {
        for (final Listed listed : all) {
            if (listed.status() == Status.LIVE && isWanted(listed) && !devices.containsKey(listed.file())) {
                final LiveView view = open(listed.file());
                if (view != null) {
                    devices.put(listed.file(), new Watched(view, number(listed.file())));
                }
            }
        }
    }

    private List<Listed> leftOut(final List<Listed> all) {
        return all.stream().filter(Watch::isHidden).filter(this::isWanted).toList();
    }

    /**
     * Tells files that cannot be looked into, once each: their devices are left out. A process that ended while its
     * file was looked at leaves one of which nothing makes sense, so what is told is there at a second look, too.
     */
    private void tellLeftOut(final List<Listed> all, final Consumer<String> news) {
        final List<Listed> hidden = leftOut(all);
        told.retainAll(hidden.stream().map(Listed::file).toList());
        if (hidden.stream().allMatch(listed -> told.contains(listed.file()))) {
            return;
        }
        for (final Listed listed : leftOut(LiveViews.list())) {
            if (hidden.contains(listed) && told.add(listed.file())) {
                news.accept(String.format("%s is left out: %s", listed.file(), listed.detail()));
            }
        }
    }

    /** It may be gone since it was listed. */
    private static LiveView open(final Path file) {
        try {
            return LiveViews.open(file);
        } catch (final RdmaException e) {
            return null;
        }
    }

    private static int number(final Path file) {
        final Matcher matcher = NUMBER.matcher(file.getFileName().toString());
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /**
     * Looks at everything once.
     *
     * @param news is told, in a line each, of devices that are gone since the last look, and of files that cannot be
     *             looked into.
     * @return the frames; empty if nothing is left.
     */
    List<Frame> look(final Consumer<String> news) {
        final List<Listed> all = LiveViews.list();
        findNew(all);
        tellLeftOut(all, news);
        final List<Frame> frames = new ArrayList<>();
        for (final Iterator<Watched> each = devices.values().iterator(); each.hasNext();) {
            if (!look(each.next(), frames, news)) {
                each.remove();
            }
        }
        if (elsewhere != null && !look(elsewhere, frames, news)) {
            elsewhere = null;
        }
        return frames;
    }

    private static boolean look(
        final Watched device, final List<Frame> frames, final Consumer<String> news) {
        if (device.isAlive()) {
            frames.add(device.look());
            return true;
        }
        news.accept(device.farewell());
        device.close();
        return false;
    }

    @Override
    public void close() {
        devices.values().forEach(Watched::close);
        devices.clear();
        if (elsewhere != null) {
            elsewhere.close();
            elsewhere = null;
        }
    }
}
