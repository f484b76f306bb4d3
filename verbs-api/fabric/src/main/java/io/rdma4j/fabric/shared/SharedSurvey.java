/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.SharedVector;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.verbs.Gid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Looks at the shared vectors of this user from outside. Files are read, not mapped, so that nothing that becomes of
 * them meanwhile does harm; an entry that is being changed may be missing.
 */
public final class SharedSurvey {
    private SharedSurvey() {
    }

    /**
     * Reads vectors.
     *
     * @param name which, of all domains, with their addresses; null for all, without.
     * @return sorted by file.
     * @throws FabricException FI_EACCES for files of others, FI_EIO.
     */
    public static List<SharedVector> read(final String name) {
        try {
            final List<SharedVector> all = new ArrayList<>();
            for (final Path folder : folders()) {
                all.addAll(read(files(StateFolder.prepare(folder)), name));
            }
            return all;
        } catch (final IOException e) {
            throw Troubles.of(Troubles.LOOK, Path.of(SharedFolder.FOLDER.variable()), e);
        }
    }

    /** Where there is none of this user's, the usual one, which may be somebody else's: that is told. */
    private static List<Path> folders() throws IOException {
        final List<Path> folders = SharedFolder.FOLDER.existing();
        final Path usual = SharedFolder.FOLDER.find();
        return folders.isEmpty() && Files.exists(usual, LinkOption.NOFOLLOW_LINKS) ? List.of(usual) : folders;
    }

    private static List<Path> files(final Path folder) throws IOException {
        final List<Path> files = new ArrayList<>();
        try (var all = Files.newDirectoryStream(folder, "*@*.av")) {
            all.forEach(files::add);
        }
        files.sort(null);
        return files;
    }

    /** Of files that were there when they were listed. */
    static List<SharedVector> read(final List<Path> files, final String name) {
        final List<SharedVector> all = new ArrayList<>();
        for (final Path path : files) {
            final boolean isWanted = name == null || path.getFileName().toString().startsWith(name + "@");
            final SharedVector vector = isWanted ? read(path, name != null) : null;
            if (vector != null) {
                all.add(vector);
            }
        }
        return all;
    }

    /** Null if who had it open last has closed it meanwhile. */
    private static SharedVector read(final Path path, final boolean withEntries) {
        try {
            SharedFolder.checkMine(path);
            return SharedFile.look(path, (channel, isOpen) -> vector(path, channel, isOpen, withEntries));
        } catch (final NoSuchFileException e) {
            return null;
        } catch (final FabricException | IOException e) {
            return SharedVector.unreadable(path.toString(), e.getMessage());
        }
    }

    private static SharedVector vector(
        final Path path, final FileChannel channel, final boolean isOpen, final boolean withEntries)
        throws IOException {
        final UnsafeBuffer header = new UnsafeBuffer(new byte[SharedLayout.HEADER]);
        final SharedLayout layout = SharedLayout.read(header, SharedFile.read(channel, header), path);
        final SharedName name = SharedLayout.name(header);
        return new SharedVector(name.name(), name.domain(), path.toString(), layout.type, layout.format,
            layout.rxCtxBits, layout.base, layout.places(header), header.getLong(SharedLayout.SIZE_OFFSET),
            header.getInt(SharedLayout.PROCESS_OFFSET), isOpen, null,
            withEntries ? entries(channel, layout, layout.places(header)) : List.of());
    }

    private static List<SharedVector.Entry> entries(
        final FileChannel channel, final SharedLayout layout, final int places) throws IOException {
        final List<SharedVector.Entry> all = new ArrayList<>();
        final byte[] copy = new byte[layout.entrySize];
        final UnsafeBuffer bytes = new UnsafeBuffer(copy);
        for (int place = 0; place < places; place++) {
            final int read = channel.read(ByteBuffer.wrap(copy), layout.position(place));
            if (read == copy.length && SharedEntries.isLive(bytes.getLong(0))) {
                all.add(entry(place, bytes, layout));
            }
        }
        return all;
    }

    private static SharedVector.Entry entry(final int place, final UnsafeBuffer bytes, final SharedLayout layout) {
        final long handle = AvNames.handle(place, SharedEntries.lifeOf(bytes.getLong(0)));
        final byte[] inserted = new byte[SharedEntries.length(bytes, 0, layout)];
        bytes.getBytes(SharedLayout.INSERTED, inserted);
        final Gid gid = new Gid(bytes.getLong(SharedLayout.GID_HIGH), bytes.getLong(SharedLayout.GID_LOW));
        final int qpn = bytes.getInt(SharedLayout.QPN);
        final FabricAddress device = FabricAddress.device(gid, qpn & SharedEntries.QPN_MASK,
            bytes.getInt(SharedLayout.QKEY), kind(qpn >>> SharedEntries.KIND_SHIFT));
        return new SharedVector.Entry(place, layout.type == AvType.TABLE ? place : layout.base + handle,
            FabricAddress.of(layout.format, inserted), device);
    }

    /** Who wrote nonsense there is told of RDM. */
    private static EndpointType kind(final int value) {
        for (final EndpointType kind : EndpointType.values()) {
            if (kind.value() == value) {
                return kind;
            }
        }
        return EndpointType.RDM;
    }
}
