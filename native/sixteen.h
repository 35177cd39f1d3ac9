/* Sixteen floats at a time, in as many registers as the instruction set needs for them, and the functions of numbers
 * that a network is made of. Each lane is computed by the same plain operations everywhere. */
#ifndef ENGRAMMA_SIXTEEN_H
#define ENGRAMMA_SIXTEEN_H

#include <stdint.h>
#include <string.h>

#ifndef REGISTER
#define REGISTER 4 /* floats of one */
#endif
#define PARTS (16 / REGISTER)
#define INLINE static inline __attribute__((always_inline))

typedef float Floats __attribute__((vector_size(4 * REGISTER)));
typedef int32_t Ints __attribute__((vector_size(4 * REGISTER)));

typedef struct { Floats part[PARTS]; } Sixteen;

#define EACH _Pragma("GCC unroll 4") for (int i = 0; i < PARTS; i++)

INLINE Sixteen load(const float *from) {
    Sixteen to;
    EACH memcpy(&to.part[i], from + i * REGISTER, sizeof to.part[i]);
    return to;
}

INLINE void store(float *to, Sixteen from) { EACH memcpy(to + i * REGISTER, &from.part[i], sizeof from.part[i]); }

INLINE Sixteen all(float value) {
    Sixteen to;
    EACH to.part[i] = value - (Floats){0};
    return to;
}

INLINE Sixteen plus(Sixteen a, Sixteen b) { EACH a.part[i] += b.part[i]; return a; }
INLINE Sixteen minus(Sixteen a, Sixteen b) { EACH a.part[i] -= b.part[i]; return a; }
INLINE Sixteen times(Sixteen a, Sixteen b) { EACH a.part[i] *= b.part[i]; return a; }
INLINE Sixteen over(Sixteen a, Sixteen b) { EACH a.part[i] /= b.part[i]; return a; }

INLINE Sixteen choose(Sixteen a, Sixteen b, int larger) {
    EACH {
        Ints first = larger ? a.part[i] > b.part[i] : a.part[i] < b.part[i];
        a.part[i] = (Floats)((first & (Ints)a.part[i]) | (~first & (Ints)b.part[i]));
    }
    return a;
}

INLINE Sixteen larger(Sixteen a, Sixteen b) { return choose(a, b, 1); }

INLINE Sixteen size_of(Sixteen a) { EACH a.part[i] = (Floats)((Ints)a.part[i] & 0x7fffffff); return a; }

/* Adding it leaves a float's whole part, rounded to even, in the lowest bits. */
#define WHOLE 12582912.0f
#define WHOLE_BITS 0x4B400000

INLINE float sum_of(Sixteen a) {
    float lane[16];
    store(lane, a);
    for (int half = 8; half; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
}

INLINE float largest_of(Sixteen a) {
    float lane[16];
    store(lane, a);
    for (int half = 8; half; half /= 2)
        for (int i = 0; i < half; i++) lane[i] = lane[i] > lane[i + half] ? lane[i] : lane[i + half];
    return lane[0];
}

/* e to the power of x, to about one unit in the last place; 0 is e^-87. */
INLINE Sixteen exponential(Sixteen x) {
    x = larger(x, all(-87.0f));
    Sixteen marked = plus(times(x, all(1.44269504f)), all(WHOLE)), whole = minus(marked, all(WHOLE));
    Sixteen r = minus(minus(x, times(whole, all(0.693359375f))), times(whole, all(-2.12194440e-4f)));
    Sixteen p = plus(times(all(1.9875691500e-4f), r), all(1.3981999507e-3f));
    p = plus(times(p, r), all(8.3334519073e-3f));
    p = plus(times(p, r), all(4.1665795894e-2f));
    p = plus(times(p, r), all(1.6666665459e-1f));
    p = plus(times(p, r), all(5.0000001201e-1f));
    p = plus(plus(times(times(p, r), r), r), all(1.0f));
    EACH p.part[i] *= (Floats)(((Ints)marked.part[i] - (WHOLE_BITS - 127)) << 23);
    return p;
}

/* x times the share of the normal distribution below x, by formula 7.1.26 of Abramowitz and Stegun (to 1.5e-7). */
INLINE Sixteen gelu(Sixteen x) {
    Sixteen a = times(size_of(x), all(0.70710678f));
    Sixteen t = over(all(1.0f), plus(times(all(0.3275911f), a), all(1.0f)));
    Sixteen p = plus(times(all(1.061405429f), t), all(-1.453152027f));
    p = plus(times(p, t), all(1.421413741f));
    p = plus(times(p, t), all(-0.284496736f));
    p = times(plus(times(p, t), all(0.254829592f)), t);
    p = times(p, exponential(minus(all(0.0f), times(a, a)))); /* twice the share beyond |x| */
    Sixteen above = minus(all(2.0f), p);
    EACH {
        Ints negative = x.part[i] < (Floats){0};
        p.part[i] = (Floats)((negative & (Ints)p.part[i]) | (~negative & (Ints)above.part[i]));
    }
    return times(times(all(0.5f), x), p);
}

/* Whole numbers, each less one that is taken off. */
INLINE Sixteen from_ints(const int32_t *from, int32_t taken) {
    Sixteen to;
    EACH {
        Ints part;
        memcpy(&part, from + i * REGISTER, sizeof part);
        to.part[i] = __builtin_convertvector(part - taken, Floats);
    }
    return to;
}

INLINE Sixteen from_bytes(const int8_t *from) {
    int32_t wide[16];
    for (int i = 0; i < 16; i++) wide[i] = from[i];
    return from_ints(wide, 0);
}

#endif
