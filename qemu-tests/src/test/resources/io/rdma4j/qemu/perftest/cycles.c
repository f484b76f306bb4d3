/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints how many cycles of the processor's time stamp counter make a microsecond: perftest, which counts in them,
 * looks for that in /proc/cpuinfo, where User Mode Linux has nothing.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define TRIES 1000

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Both clocks at the same time: of many tries the one that was interrupted least. */
static void both(double *micros, double *cycles)
{
    double best = 1e9;

    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = __rdtsc();
        const double time = now();
        const uint64_t took = __rdtsc() - before;

        if (took < best) {
            best = took;
            *micros = time;
            *cycles = before + took / 2.0;
        }
    }
}

int main(void)
{
    double micros[2], cycles[2];

    both(&micros[0], &cycles[0]);
    usleep(200000);
    both(&micros[1], &cycles[1]);
    printf("%.3f\n", (cycles[1] - cycles[0]) / (micros[1] - micros[0]));
    return 0;
}
