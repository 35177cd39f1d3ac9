/* What Python calls: opens a network with the best kernel of this processor, runs it, closes it. */
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#define LARGE_PAGE (2 << 20)
#endif

#include "network.h"

#define SHOWN __attribute__((visibility("default")))

extern const Kernel kernel_plain;

#if defined(__x86_64__)
#include <cpuid.h>
extern const Kernel kernel_vnni512, kernel_avxvnni, kernel_avx512, kernel_avx2, kernel_sse41;

#if defined(HAS_VNNI512) || defined(HAS_AVX512)
static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif
#if defined(HAS_VNNI512)
static int has_vnni512(void) { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }
#endif
#if defined(HAS_AVXVNNI)
static int has_avxvnni(void) {
    unsigned a = 0, b, c, d;
    return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1);
}
#endif
#if defined(HAS_AVX2)
static int has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#endif
#if defined(HAS_SSE41)
static int has_sse41(void) { return __builtin_cpu_supports("sse4.1"); }
#endif
#elif defined(__aarch64__)
extern const Kernel kernel_neon, kernel_asimd;
#if defined(HAS_NEON) && defined(__linux__)
#include <sys/auxv.h>
static int has_neon(void) { return getauxval(AT_HWCAP) >> 20 & 1; } /* asimddp */
#elif defined(HAS_NEON) && defined(__APPLE__)
static int has_neon(void) { return 1; }
#elif defined(HAS_NEON)
static int has_neon(void) { return 0; } /* not known how to ask */
#endif
#endif

static int always(void) { return 1; }

static const struct {
    const Kernel *kernel;
    int (*supported)(void);
} kernels[] = { /* the best first, of those that the compiler knows (hatch_build.py) */
#if defined(HAS_VNNI512)
    {&kernel_vnni512, has_vnni512},
#endif
#if defined(HAS_AVXVNNI)
    {&kernel_avxvnni, has_avxvnni},
#endif
#if defined(HAS_AVX512)
    {&kernel_avx512, has_avx512},
#endif
#if defined(HAS_AVX2)
    {&kernel_avx2, has_avx2},
#endif
#if defined(HAS_SSE41)
    {&kernel_sse41, has_sse41},
#endif
#if defined(HAS_NEON)
    {&kernel_neon, has_neon},
#endif
#if defined(HAS_ASIMD)
    {&kernel_asimd, always}, /* every 64-bit ARM has it */
#endif
    {&kernel_plain, always},
};
#define KERNELS ((int)(sizeof kernels / sizeof *kernels))

SHOWN int engramma_version(void) { return VERSION; }

/* The name of the kernel at a place, the best first, or none: those that this processor can run. */
SHOWN const char *engramma_kernel(int place) {
    for (int i = 0; i < KERNELS; i++)
        if (kernels[i].supported() && place-- == 0) return kernels[i].kernel->name;
    return NULL;
}

static const Kernel *kernel_named(const char *name) {
    for (int i = 0; i < KERNELS; i++)
        if (kernels[i].supported() && (!name || !strcmp(name, kernels[i].kernel->name))) return kernels[i].kernel;
    return NULL;
}

/* Room for a network: in large pages where the system has them, since every text reads all of it. */
static char *room_for(size_t bytes) {
#if defined(__linux__)
    void *room;
    if (posix_memalign(&room, LARGE_PAGE, bytes)) return NULL;
    madvise(room, bytes, MADV_HUGEPAGE);
    return room;
#else
    return malloc(bytes);
#endif
}

typedef struct { char *next; } Block;

static void *take(Block *block, int64_t bytes) {
    char *taken = block->next;
    block->next += (bytes + 63) / 64 * 64;
    return taken;
}

static const float *copied(Block *block, const void **from, int32_t count, int32_t times) {
    float *to = take(block, 4 * (int64_t)count * times);
    for (int32_t i = 0; i < times; i++) memcpy(to + (int64_t)i * count, from[i], 4 * (size_t)count);
    return to;
}

/* `parts` matrices side by side: each has its weights, its steps and its bias, one after the other. */
static Matrix matrix(Block *block, const Kernel *kernel, const void **from, int32_t depth, int32_t width, int32_t parts) {
    const void *steps[3], *bias[3];
    Matrix made = {depth, width * parts, take(block, (int64_t)depth * width * parts), NULL, NULL};
    for (int32_t i = 0; i < parts; i++, from += 3) {
        kernel->pack(from[0], depth, width, width, i * width, made.packed);
        steps[i] = from[1];
        bias[i] = from[2];
    }
    made.steps = copied(block, steps, width, parts);
    made.bias = copied(block, bias, width, parts);
    return made;
}

/* Opens a network. `arrays`: places, gain and shift of the inputs; then for each layer weights, steps and bias of query,
 * key, value and what joins them, gain and shift, weights, steps and bias of the two in the middle, gain and shift.
 * `table` and `table_steps` must stay where they are. None where memory is short, the kernel cannot run here, or the shape does not fit panels. */
SHOWN Network *engramma_open(const char *kernel, const int32_t *shape, const int8_t *table, const void *table_steps,
                             const void **arrays) {
    const Kernel *chosen = kernel_named(kernel);
    const int64_t layers = shape[0], hidden = shape[1], wide = shape[3];
    if (!chosen || hidden % WIDEST || wide % WIDEST || shape[2] * HEAD != hidden) return NULL;
    int64_t bytes = sizeof(Network) + layers * sizeof(Layer) + 4 * LONGEST * hidden + 8 * hidden + 64 * (8 + 16 * layers);
    bytes += layers * (4 * hidden * hidden + 2 * hidden * wide + 8 * (5 * hidden + wide) + 16 * hidden);
    char *room = room_for((size_t)bytes + 64);
    if (!room) return NULL;
    Network *net = (Network *)room; /* the block begins with it, so that free() finds it */
    Block block = {(char *)(((uintptr_t)room + sizeof(Network) + 63) / 64 * 64)};
    *net = (Network){chosen, shape[0], shape[1], shape[2], shape[3], shape[4], table, table_steps, NULL, NULL, NULL, NULL};
    net->layer = take(&block, layers * (int64_t)sizeof(Layer));
    net->places = copied(&block, arrays, LONGEST * net->hidden, 1);
    net->gain = copied(&block, arrays + 1, net->hidden, 1);
    net->shift = copied(&block, arrays + 2, net->hidden, 1);
    arrays += 3;
    for (int32_t i = 0; i < net->layers; i++, arrays += 22) {
        Layer *layer = net->layer + i;
        layer->attend = matrix(&block, chosen, arrays, net->hidden, net->hidden, 3);
        layer->join = matrix(&block, chosen, arrays + 9, net->hidden, net->hidden, 1);
        layer->widen = matrix(&block, chosen, arrays + 14, net->hidden, net->wide, 1);
        layer->narrow = matrix(&block, chosen, arrays + 17, net->wide, net->hidden, 1);
        for (int end = 0; end < 2; end++) {
            layer->gain[end] = copied(&block, arrays + (end ? 20 : 12), net->hidden, 1);
            layer->shift[end] = copied(&block, arrays + (end ? 21 : 13), net->hidden, 1);
        }
    }
    return net;
}

SHOWN void engramma_close(Network *net) { free(net); }

/* 0: done. 1: memory is short. 2: a text is empty or too long, or a word is not in the table. */
SHOWN int engramma_encode(const Network *net, const int32_t *ids, const int32_t *lengths, int32_t texts, float *hidden,
                          float *vectors) {
    int64_t count = 0;
    for (int32_t i = 0; i < texts; i++) {
        if (lengths[i] < 1 || lengths[i] > LONGEST) return 2;
        count += lengths[i];
    }
    for (int64_t i = 0; i < count; i++)
        if (ids[i] < 0 || ids[i] >= net->words) return 2;
    return net->kernel->encode(net, ids, lengths, texts, hidden, vectors);
}
