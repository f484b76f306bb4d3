/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Reads what the device sees at its addresses, through the files of the segments: only memory that the process itself
 * made, whoever asks, and whatever its file says. Segments come and go: what is known
 * of one is used only as long as its place in the table says the same, and what was read only if it still does then.
 */
final class LiveMemoryReader implements AutoCloseable {
    /** More than any ring or table; who asks for more has read nonsense. */
    private static final int MAX_LENGTH = 256 * 1024 * 1024;
    /** Those used last; each keeps the pages of its memory from being given back. */
    private static final int MAX_FILES = 64;

    private final LivePlaces places;
    private final LiveTroubles troubles;
    private final LiveDevice own;
    private final Supplier<PublishedMemory.Whose> whose;
    /** By the word of the segment: the next one may have the same descriptor, of another file. */
    private final Map<Long, LiveImage> files = new LinkedHashMap<>(MAX_FILES, 0.75f, true);
    private List<Known> known = List.of();

    private record Known(int place, long word, LiveSegment segment) {
        boolean holds(final long iova, final int length) {
            return Long.compareUnsigned(iova, segment.iova()) >= 0 && iova - segment.iova() <= segment.length() - length
                && iova - segment.iova() >= 0;
        }
    }

    /** Own is the publisher if it is of this process, else null. */
    LiveMemoryReader(final LivePlaces places, final LiveTroubles troubles, final LiveDevice own,
        final Supplier<PublishedMemory.Whose> whose) {
        this.whose = whose;
        this.places = places;
        this.troubles = troubles;
        this.own = own;
    }

    List<LiveSegment> segments() {
        load();
        return known.stream().map(Known::segment).toList();
    }

    private void load() {
        final List<Known> found = new ArrayList<>();
        places.forEach(place -> {
            final LiveSegment segment = LiveDecoder.segment(place.bytes());
            if (segment == null) {
                troubles.add("the segment at place %d makes no sense", place.place());
            } else {
                found.add(new Known(place.place(), place.word(), segment));
            }
        });
        found.sort(Comparator.comparing(each -> each.segment.iova(), Long::compareUnsigned));
        known = List.copyOf(found);
        final Set<Long> words = known.stream().map(Known::word).collect(Collectors.toSet());
        for (final Long word : List.copyOf(files.keySet())) {
            if (!words.contains(word)) {
                files.remove(word).close();
            }
        }
    }

    Optional<byte[]> read(final long iova, final int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " of memory to read, must be 0 or more");
        }
        if (length > MAX_LENGTH) {
            troubles.add("%d bytes at IOVA 0x%x were not read: at most %d are at a time", length, iova, MAX_LENGTH);
            return Optional.empty();
        }
        Known found = find(iova, length);
        if (found == null || places.word(found.place) != found.word) {
            load();
            found = find(iova, length);
        }
        if (found == null) {
            troubles.add("no segment has %d bytes at IOVA 0x%x", length, iova);
            return Optional.empty();
        }
        return read(found, iova - found.segment.iova(), length);
    }

    private Known find(final long iova, final int length) {
        for (final Known each : known) {
            if (each.holds(iova, length)) {
                return each;
            }
        }
        return null;
    }

    private Optional<byte[]> read(final Known from, final long offset, final int length) {
        final byte[] bytes = from.segment.descriptor() < 0 ? ownBytes(from.segment, offset, length)
            : fileBytes(from, offset, length);
        if (bytes != null && places.word(from.place) != from.word) {
            troubles.add("memory at IOVA 0x%x was given back while it was read", from.segment.iova());
            return Optional.empty();
        }
        return Optional.ofNullable(bytes);
    }

    private byte[] ownBytes(final LiveSegment segment, final long offset, final int length) {
        final byte[] bytes = new byte[own == null ? 0 : length];
        if (own != null && own.readOwn(segment, offset, bytes)) {
            return bytes;
        }
        troubles.add(own == null ? "memory at IOVA 0x%x is not shared: only its own process can read it"
            : "memory at IOVA 0x%x was given back", segment.iova());
        return null;
    }

    private byte[] fileBytes(final Known from, final long offset, final int length) {
        final LiveSegment segment = from.segment;
        final LiveImage file = file(from);
        final byte[] bytes = file == null ? null : file.bytes(segment.offset() + offset, length);
        if (file != null && bytes == null) {
            troubles.add("descriptor %d ends before the memory at IOVA 0x%x", segment.descriptor(), segment.iova());
        }
        return bytes;
    }

    private LiveImage file(final Known of) {
        final LiveImage open = files.get(of.word);
        if (open != null) {
            return open;
        }
        try {
            final LiveImage image = PublishedMemory.open(whose, of.segment.descriptor());
            if (files.size() == MAX_FILES) {
                files.remove(files.keySet().iterator().next()).close();
            }
            files.put(of.word, image);
            return image;
        } catch (final FileSystemException e) {
            troubles.add("memory cannot be read: %s; its process has ended, or is another user's", e.getMessage());
            return null;
        } catch (final IOException e) {
            troubles.add("memory cannot be read: %s", e.getMessage());
            return null;
        }
    }

    @Override
    public void close() {
        files.values().forEach(LiveImage::close);
        files.clear();
    }
}
