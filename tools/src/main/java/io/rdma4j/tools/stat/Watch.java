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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private Watched elsewhere;

    private Watch(final Long pid, final String address) {
        this.pid = pid;
        this.address = address;
    }

    /**
     * Begins to watch.
     *
     * @param pid     whose devices; null for those of all processes.
     * @param address which of them, options aside; null for all.
     * @return at least one device; the caller closes it.
     * @throws RdmaException ESRCH or ENODEV if there is none, EACCES if there are only those of others.
     */
    public static Watch begin(final Long pid, final String address) {
        final Watch watch = new Watch(pid, address);
        try (Undo undo = new Undo()) {
            undo.add(watch::close);
            watch.findNew();
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
        final List<Listed> hidden = LiveViews.list().stream()
            .filter(listed -> listed.status() != Status.LIVE && listed.status() != Status.STALE).toList();
        final RdmaException.Builder trouble = RdmaException.of("watch counters").device(address);
        if (hidden.isEmpty()) {
            return trouble.detail("no process has %s open", address == null ? "a device" : "this device")
                .errno(RdmaException.ENODEV)
                .hint("start one, such as ./rdma4j pingpong -D 60; those of other users are seen by root").build();
        }
        final Listed first = hidden.get(0);
        return trouble.detail("%s: %s", first.file(), first.detail())
            .errno(first.status() == Status.NO_RIGHT ? RdmaException.EACCES : RdmaException.EIO)
            .hint("run as the user of process %d, and the rdma4j that it runs", first.pid()).build();
    }

    private boolean isWanted(final Listed listed) {
        return listed.status() == Status.LIVE && (pid == null || pid == listed.pid())
            && (address == null || withoutOptions(address).equals(withoutOptions(listed.address())));
    }

    private static String withoutOptions(final String device) {
        return device.replaceFirst("\\?.*", "");
    }

    private void findNew() {
        for (final Listed listed : LiveViews.list()) {
            if (isWanted(listed) && !devices.containsKey(listed.file())) {
                final LiveView view = open(listed.file());
                if (view != null) {
                    devices.put(listed.file(), new Watched(view, number(listed.file())));
                }
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
     * @param farewells is told of each device that is gone since the last look, in one line.
     * @return the frames; empty if nothing is left.
     */
    List<Frame> look(final Consumer<String> farewells) {
        findNew();
        final List<Frame> frames = new ArrayList<>();
        for (final Iterator<Watched> all = devices.values().iterator(); all.hasNext();) {
            if (!look(all.next(), frames, farewells)) {
                all.remove();
            }
        }
        if (elsewhere != null && !look(elsewhere, frames, farewells)) {
            elsewhere = null;
        }
        return frames;
    }

    private static boolean look(
        final Watched device, final List<Frame> frames, final Consumer<String> farewells) {
        if (device.isAlive()) {
            frames.add(device.look());
            return true;
        }
        farewells.accept(device.farewell());
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
