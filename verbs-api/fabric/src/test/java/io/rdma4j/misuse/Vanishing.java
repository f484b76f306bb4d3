/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_SHARED;
import static io.rdma4j.driver.libc.LibcConstants.PROT_NONE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;

import io.rdma4j.driver.libc.Libc;

import java.util.List;

/**
 * Memory that a program takes away while calls use it: pages that nobody may touch any more, and those of a file that
 * has become too short. Nobody else gets the addresses before this is closed.
 */
final class Vanishing implements AutoCloseable {
    static final int LENGTH = 2 * 4096;

    private final int file = Libc.memfdCreate("vanishing", 0);
    private final long pages = Libc.mmap(0, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    private final long filePages;

    Vanishing() {
        Libc.ftruncate(file, LENGTH);
        filePages = Libc.mmap(0, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }

    /** Where they begin. */
    List<Long> addresses() {
        return List.of(pages, filePages);
    }

    void vanish() {
        Libc.mmap(pages, LENGTH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        Libc.ftruncate(file, 0);
    }

    @Override
    public void close() {
        Libc.munmap(pages, LENGTH);
        Libc.munmap(filePages, LENGTH);
        Libc.close(file);
    }
}
