/* Compares all kernels that a processor can run, on a network and texts that are made up: they must give the same bits.
 * Also for other machines, under emulation:
 *
 *     ENGRAMMA_MACHINE=aarch64 CC=aarch64-linux-gnu-gcc python hatch_build.py libnetwork-aarch64.so
 *     aarch64-linux-gnu-gcc -O1 native/compare.c -ldl -o compare
 *     qemu-aarch64 -L /usr/aarch64-linux-gnu ./compare ./libnetwork-aarch64.so
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 2, HIDDEN = 384, HEADS = 12, WIDE = 1536, WORDS = 300, PLACES = 512, TEXTS = 9, EACH_LAYER = 22 };

static uint32_t state = 7;
static uint32_t drawn(void) { return state = state * 1664525u + 1013904223u; }

static void *numbers(int64_t count, float size, float around) {
    float *made = malloc((size_t)count * sizeof *made);
    for (int64_t i = 0; i < count; i++) made[i] = around + size * ((float)(drawn() >> 8) / (1 << 23) - 1);
    return made;
}

static void *bytes(int64_t count) { /* from -128 on, which overflows first */
    int8_t *made = malloc((size_t)count);
    for (int64_t i = 0; i < count; i++) made[i] = drawn() % 16 ? (int8_t)(drawn() >> 24) : INT8_MIN;
    return made;
}

int main(int count, char **given) {
    void *library = count == 2 ? dlopen(given[1], RTLD_NOW) : NULL;
    if (!library) return fprintf(stderr, "usage: compare LIBRARY (%s)\n", count == 2 ? dlerror() : "no library"), 2;
    void *(*open)(const char *, const int32_t *, const void *, const void *, const void **) = dlsym(library, "engramma_open");
    int (*encode)(const void *, const int32_t *, const int32_t *, int32_t, float *, float *) = dlsym(library, "engramma_encode");
    const char *(*kernel)(int) = dlsym(library, "engramma_kernel");

    const void *arrays[3 + EACH_LAYER * LAYERS], **next = arrays;
    *next++ = numbers((int64_t)PLACES * HIDDEN, 0.1f, 0);
    *next++ = numbers(HIDDEN, 0.2f, 1), *next++ = numbers(HIDDEN, 0.1f, 0);
    for (int layer = 0; layer < LAYERS; layer++) {
        static const int32_t deep[] = {HIDDEN, HIDDEN, HIDDEN, HIDDEN, 0, HIDDEN, WIDE, 0}, /* 0: gain and shift */
            wide[] = {HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN, WIDE, HIDDEN, HIDDEN};
        for (int part = 0; part < 8; part++) {
            if (deep[part]) *next++ = bytes((int64_t)deep[part] * wide[part]), *next++ = numbers(wide[part], 2e-4f, 4e-4f);
            else *next++ = numbers(wide[part], 0.2f, 1);
            *next++ = numbers(wide[part], 0.1f, 0);
        }
    }
    const int32_t shape[] = {LAYERS, HIDDEN, HEADS, WIDE, WORDS}, lengths[TEXTS] = {1, 2, 3, 5, 17, 40, 64, 131, 512};
    void *table = bytes((int64_t)WORDS * HIDDEN), *steps = numbers(WORDS, 2e-4f, 4e-4f);
    int32_t ids[PLACES * TEXTS];
    for (int i = 0; i < PLACES * TEXTS; i++) ids[i] = (int32_t)(drawn() % WORDS);

    static float first[TEXTS * HIDDEN], vectors[TEXTS * HIDDEN];
    int differ = 0;
    for (int place = 0; kernel(place); place++) {
        void *network = open(kernel(place), shape, table, steps, arrays);
        if (!network || encode(network, ids, lengths, TEXTS, NULL, vectors)) return printf("%s failed\n", kernel(place)), 1;
        if (!place) memcpy(first, vectors, sizeof first);
        int same = !memcmp(first, vectors, sizeof first);
        uint64_t hash = 14695981039346656037u;
        for (size_t i = 0; i < sizeof vectors; i++) hash = (hash ^ ((unsigned char *)vectors)[i]) * 1099511628211u;
        printf("%s: %016llx%s\n", kernel(place), (unsigned long long)hash, same ? "" : " differs");
        differ |= !same;
    }
    return differ;
}
