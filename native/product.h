/* Products of rounded rows with a packed matrix, for the instruction set that this is compiled for.
 *
 * Packed, a matrix is panels of PANEL columns; in a panel GROUP inputs of each column lie side by side. `tile` multiplies
 * up to ROWS rows with one panel and leaves exact sums. OFFSET is added to every weight, where the instruction wants one
 * factor without a sign; what this adds to a sum is taken off by the sum of the row. */
#ifndef ENGRAMMA_PRODUCT_H
#define ENGRAMMA_PRODUCT_H

#include "network.h"
#include "sixteen.h"

#if defined(VNNI512) || defined(AVX512)
#include <immintrin.h>
#define PANEL 64
#define ROWS 6
#elif defined(AVXVNNI) || defined(AVX2)
#include <immintrin.h>
#define PANEL 16
#define ROWS 4
#elif defined(SSE41)
#include <immintrin.h>
#define PANEL 16
#define ROWS 2
#elif defined(NEON)
#include <arm_neon.h>
#define PANEL 16
#define ROWS 6
#elif defined(ASIMD)
#include <arm_neon.h>
#define PANEL 16
#define ROWS 4
#else
#define PANEL 16
#define ROWS 4
#endif

#if defined(VNNI512) || defined(AVXVNNI)
#define OFFSET 128
#else
#define OFFSET 0
#endif

/* What a row is rounded to: 16 bits where products of two are added up in 16 bits and must not overflow. */
#if defined(AVX512) || defined(AVX2) || defined(SSE41)
#define GROUP 2
typedef int16_t Whole;
#else
#define GROUP 4
typedef int8_t Whole;
#endif

typedef Whole Wholes __attribute__((vector_size(sizeof(Whole) * REGISTER)));
typedef int32_t Sums[ROWS][PANEL];

/* Rounds to whole numbers that fit, stores them, and adds them up lane by lane. */
INLINE void store_rounded(Whole *to, Sixteen x, Ints *sums) {
    EACH {
        Ints whole = (Ints)(x.part[i] + WHOLE) - WHOLE_BITS;
        Wholes narrow = __builtin_convertvector(whole, Wholes);
        memcpy(to + i * REGISTER, &narrow, sizeof narrow);
        sums[i] += whole;
    }
}

#define UNROLLED _Pragma("GCC unroll 8")

/* Fetches the next panel while this one is worked on: what a step reads of it lies as far ahead as a panel is long. */
INLINE void fetch_next(const int8_t *packed, int32_t depth) {
    UNROLLED for (int at = 0; at < PANEL * GROUP; at += 64)
        __builtin_prefetch((const void *)((uintptr_t)packed + (uintptr_t)(depth * PANEL + at)), 0, 2);
}

INLINE int32_t group_at(const Whole *row) {
    int32_t group;
    memcpy(&group, row, sizeof group);
    return group;
}

#if defined(VNNI512)
typedef __m512i Register;
#define NONE _mm512_setzero_si512()
#define STORED(to, from) _mm512_storeu_si512(to, from)
#define REPEATED(group) _mm512_set1_epi32(group)
#define WEIGHTS(packed) _mm512_loadu_si512(packed)
#define ADDED(sum, weights, inputs) _mm512_dpbusd_epi32(sum, weights, inputs)
#elif defined(AVX512)
typedef __m512i Register;
#define NONE _mm512_setzero_si512()
#define STORED(to, from) _mm512_storeu_si512(to, from)
#define REPEATED(group) _mm512_set1_epi32(group)
#define WEIGHTS(packed) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(packed)))
#define ADDED(sum, weights, inputs) _mm512_add_epi32(sum, _mm512_madd_epi16(weights, inputs))
#elif defined(AVXVNNI)
typedef __m256i Register;
#define NONE _mm256_setzero_si256()
#define STORED(to, from) _mm256_storeu_si256((__m256i *)(to), from)
#define REPEATED(group) _mm256_set1_epi32(group)
#define WEIGHTS(packed) _mm256_loadu_si256((const __m256i *)(packed))
#define ADDED(sum, weights, inputs) _mm256_dpbusd_avx_epi32(sum, weights, inputs)
#elif defined(AVX2)
typedef __m256i Register;
#define NONE _mm256_setzero_si256()
#define STORED(to, from) _mm256_storeu_si256((__m256i *)(to), from)
#define REPEATED(group) _mm256_set1_epi32(group)
#define WEIGHTS(packed) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(packed)))
#define ADDED(sum, weights, inputs) _mm256_add_epi32(sum, _mm256_madd_epi16(weights, inputs))
#elif defined(SSE41)
typedef __m128i Register;
#define NONE _mm_setzero_si128()
#define STORED(to, from) _mm_storeu_si128((__m128i *)(to), from)
#define REPEATED(group) _mm_set1_epi32(group)
#define WEIGHTS(packed) _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(packed)))
#define ADDED(sum, weights, inputs) _mm_add_epi32(sum, _mm_madd_epi16(weights, inputs))
#elif defined(NEON)
typedef int32x4_t Register;
#define NONE vdupq_n_s32(0)
#define STORED(to, from) vst1q_s32(to, from)
#define REPEATED(group) vdupq_n_s32(group)
#define WEIGHTS(packed) vreinterpretq_s32_s8(vld1q_s8(packed))
#define ADDED(sum, weights, inputs) vdotq_s32(sum, vreinterpretq_s8_s32(weights), vreinterpretq_s8_s32(inputs))
#elif defined(ASIMD)
typedef int32x4_t Register;
#define NONE vdupq_n_s32(0)
#define STORED(to, from) vst1q_s32(to, from)
#define REPEATED(group) vdupq_n_s32(group)
#define WEIGHTS(packed) vreinterpretq_s32_s8(vld1q_s8(packed))
#define ADDED(sum, weights, inputs) added(sum, vreinterpretq_s8_s32(weights), vreinterpretq_s8_s32(inputs))
INLINE Register added(Register sum, int8x16_t weights, int8x16_t inputs) {
    int16x8_t low = vmull_s8(vget_low_s8(weights), vget_low_s8(inputs)), high = vmull_high_s8(weights, inputs);
    return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
}
#endif

#if defined(ADDED)

#define COLUMNS ((int)sizeof(Register) / 4) /* of a register */
#define ACROSS (PANEL / COLUMNS)

INLINE void tile(const int rows, const Whole *row, int32_t depth, const int8_t *packed, Sums sums) {
    Register sum[ROWS][ACROSS];
    UNROLLED for (int r = 0; r < rows; r++)
        UNROLLED for (int c = 0; c < ACROSS; c++) sum[r][c] = NONE;
    for (int32_t k = 0; k < depth; k += GROUP, packed += PANEL * GROUP) {
        fetch_next(packed, depth);
        Register weights[ACROSS];
        UNROLLED for (int c = 0; c < ACROSS; c++) weights[c] = WEIGHTS(packed + COLUMNS * GROUP * c);
        UNROLLED for (int r = 0; r < rows; r++) {
            Register inputs = REPEATED(group_at(row + (int64_t)r * depth + k));
            UNROLLED for (int c = 0; c < ACROSS; c++) sum[r][c] = ADDED(sum[r][c], weights[c], inputs);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++)
        UNROLLED for (int c = 0; c < ACROSS; c++) STORED(&sums[r][COLUMNS * c], sum[r][c]);
}

#else

INLINE void tile(const int rows, const Whole *row, int32_t depth, const int8_t *packed, Sums sums) {
    memset(sums, 0, sizeof(Sums));
    for (int32_t k = 0; k < depth; k += GROUP, packed += PANEL * GROUP)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < PANEL; c++)
                for (int g = 0; g < GROUP; g++)
                    sums[r][c] += packed[c * GROUP + g] * row[(int64_t)r * depth + k + g];
}

#endif

/* Puts a matrix of `depth` rows into the columns from `column` on of a packed one that is `depth` deep. */
static void pack(const int8_t *weights, int32_t depth, int32_t width, int32_t stride, int32_t column, int8_t *packed) {
    for (int32_t c = 0; c < width; c += PANEL) {
        int8_t *panel = packed + (int64_t)(column + c) * depth;
        for (int32_t k = 0; k < depth; k += GROUP)
            for (int32_t i = 0; i < PANEL; i++)
                for (int32_t g = 0; g < GROUP; g++)
                    *panel++ = (int8_t)(weights[(int64_t)(k + g) * stride + c + i] + OFFSET);
    }
}

#endif
