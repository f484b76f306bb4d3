/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonIOException;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.rdma4j.RdmaException;
import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.LimitedFile;
import io.rdma4j.tools.text.OwnFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes documents as files. */
public final class DumpFile {
    /** Longer ones are refused: a report of thousands of queues has a few megabytes. */
    static final long MAX_LENGTH = 256L << 20;

    private static final String READ = "read dump file";
    private static final String WRITE = "write dump file";

    private DumpFile() {
    }

    /**
     * Writes a document, for its owner only, for keys and messages are in it.
     *
     * @param file     where to, as {@link OwnFile#write} takes it.
     * @param document what.
     * @throws RdmaException EIO, ENOENT or EACCES if the file cannot be written.
     */
    public static void write(final Path file, final JsonObject document) {
        try {
            OwnFile.write(file, out -> print(document, out));
        } catch (final IOException e) {
            throw FileFailure.of(WRITE, file, e).build();
        }
    }

    private static void print(final JsonObject document, final Writer out) throws IOException {
        try {
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(document, out);
            out.write('\n');
        } catch (final JsonIOException e) {
            // Gson's coat around what the writer threw.
            throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e);
        }
    }

    /**
     * Reads a document.
     *
     * @param file where it is.
     * @return the document, whose version is {@link DumpDocument#VERSION}; nothing else is certain.
     * @throws RdmaException ENOENT or EACCES if it cannot be read; EINVAL if it is no JSON (the message says where), no
     *                       dump, of another version or too long.
     */
    public static JsonObject read(final Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw invalid(file, "it is a folder");
            }
            try (BufferedReader reader = LimitedFile.open(file, MAX_LENGTH)) {
                return checked(file, parse(file, reader));
            }
        } catch (final IllegalArgumentException e) {
            throw invalid(file, e.getMessage());
        } catch (final CharacterCodingException e) {
            throw invalid(file, "it is no text in UTF-8");
        } catch (final IOException e) {
            throw FileFailure.of(READ, file, e).build();
        }
    }

    private static JsonElement parse(final Path file, final BufferedReader reader) throws IOException {
        final JsonReader json = new JsonReader(reader);
        json.setStrictness(Strictness.STRICT);
        try {
            // Of nothing at all the parser makes null; this throws, and says where it ends.
            if (json.peek() == JsonToken.END_DOCUMENT) {
                throw invalid(file, "it is empty");
            }
            final JsonElement document = JsonParser.parseReader(json);
            if (json.peek() != JsonToken.END_DOCUMENT) {
                throw invalid(file, "something follows the document");
            }
            return document;
        } catch (final JsonParseException e) {
            if (e.getCause() instanceof CharacterCodingException) {
                throw (CharacterCodingException) e.getCause();
            }
            throw invalid(file, Json.whyNone(e));
        } catch (final CharacterCodingException e) {
            throw e;
        } catch (final IOException e) {
            // That of the reader about what stands before or behind the document; it names line and column.
            throw invalid(file, Json.whyNone(e));
        }
    }

    private static JsonObject checked(final Path file, final JsonElement document) {
        if (!document.isJsonObject() || !document.getAsJsonObject().has(DumpDocument.MAGIC)) {
            throw invalid(file, "it is JSON, but has no member '" + DumpDocument.MAGIC + "'");
        }
        final JsonObject object = document.getAsJsonObject();
        final long version = Nodes.number(object, DumpDocument.MAGIC, -1);
        if (version != DumpDocument.VERSION) {
            throw RdmaException.of(READ).object(file).errno(RdmaException.EINVAL)
                .detail("it is of version %s, this program reads version %d", object.get(DumpDocument.MAGIC),
                    DumpDocument.VERSION)
                .hint("read it with the rdma4j that wrote it (%s)", Nodes.text(object, "rdma4j")).build();
        }
        return object;
    }

    private static RdmaException invalid(final Path file, final String why) {
        return RdmaException.of(READ).object(file).errno(RdmaException.EINVAL).detail("%s", why)
            .hint("give a file that 'rdma4j dump --all', or --json of a dump command, wrote").build();
    }
}
