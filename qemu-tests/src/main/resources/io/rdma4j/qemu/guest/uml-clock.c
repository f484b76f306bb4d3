/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The time without a system call, for programs on User Mode Linux: loaded before other libraries (LD_PRELOAD).
 *
 * Two of three system calls of QEMU in the guest ask for the time, and each takes as long as thousands of instructions.
 * What the kernel said last is good for a millisecond here, with what the processor's counter has counted since. How fast
 * that counts is learned from what the kernel says, and known better the longer a program runs. Time never goes back, but
 * for the time of day where somebody sets it back by more than a second. It is the kernel's to a millisecond, but for a
 * thread that has lost the processor meanwhile.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define SECOND 1000000000L
/* How long what the kernel said is good for, and how long it takes to learn how fast the counter is. */
#define GOOD (SECOND / 1000)
#define LEARN (SECOND / 50)

/* One for each of the two clocks that programs ask for all the time. Odd while it is written. */
static struct clock {
    _Atomic uint32_t version;
    _Atomic uint64_t first_count, count;
    _Atomic int64_t first_time, time, last;
    /* Nanoseconds in 2^32 counts; 0: not learned. */
    _Atomic uint64_t speed;
} clocks[2];

static int64_t ask(clockid_t id, uint64_t *before, uint64_t *after) {
    struct timespec t;
    *before = __rdtsc();
    syscall(SYS_clock_gettime, id, &t);
    *after = __rdtsc();
    return t.tv_sec * SECOND + t.tv_nsec;
}

static int64_t since(const uint64_t counts, const uint64_t speed) {
    return (int64_t) ((unsigned __int128) counts * speed >> 32);
}

/* What was told last, if that is later: to another thread, while this one had no processor, however long that was. */
static int64_t forward(clockid_t id, int64_t now) {
    struct clock *c = &clocks[id == CLOCK_MONOTONIC];
    int64_t last = c->last;
    if (id == CLOCK_REALTIME && last - now > SECOND) {
        atomic_compare_exchange_strong(&c->last, &last, now);
        return now;
    }
    while (last < now && !atomic_compare_exchange_weak(&c->last, &last, now)) {
    }
    return last > now ? last : now;
}

static int64_t now(clockid_t id) {
    struct clock *c = &clocks[id == CLOCK_MONOTONIC];
    uint64_t before, after;
    uint32_t version = c->version;
    const uint64_t speed = c->speed, count = c->count;
    const int64_t time = c->time;
    if (speed != 0 && (version & 1) == 0) {
        const int64_t gone = since(__rdtsc() - count, speed);
        if (gone >= 0 && gone < GOOD && c->version == version) {
            return forward(id, time + gone);
        }
    }
    const int64_t said = ask(id, &before, &after);
    version = c->version;
    /* What took long to come is no time to count from. */
    const bool good = speed == 0 || (uint64_t) since(after - before, speed) < GOOD;
    if (good && (version & 1) == 0 && atomic_compare_exchange_strong(&c->version, &version, version + 1)) {
        if (c->first_count == 0 || said < c->first_time) {
            c->first_count = after;
            c->first_time = said;
            c->speed = 0;
        } else if (said - c->first_time > LEARN) {
            c->speed = (uint64_t) (((unsigned __int128) (said - c->first_time) << 32) / (after - c->first_count));
        }
        c->count = after;
        c->time = said;
        c->version = version + 2;
    }
    return forward(id, said);
}

int clock_gettime(clockid_t id, struct timespec *to) {
    if (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME) {
        return syscall(SYS_clock_gettime, id, to);
    }
    const int64_t t = now(id);
    to->tv_sec = t / SECOND;
    to->tv_nsec = t % SECOND;
    return 0;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    if (zone != NULL) {
        return syscall(SYS_gettimeofday, to, zone);
    }
    const int64_t t = now(CLOCK_REALTIME);
    to->tv_sec = t / SECOND;
    to->tv_usec = t % SECOND / 1000;
    return 0;
}
