/* A small transformer in int8, as the packaged networks are: what the files of this folder share.
 *
 * The arithmetic is that of the networks' ONNX graphs: weights with a step a column, each token's inputs rounded to int8
 * with a step of their own, products summed exactly in integers, everything else in float32. Sums of floats are taken in
 * sixteen lanes and then by halves, and nothing is fused, so that every instruction set gives the same bits.
 */
#ifndef ENGRAMMA_NETWORK_H
#define ENGRAMMA_NETWORK_H

#include <stdint.h>

#define VERSION 1     /* of what Python calls; it refuses another one */
#define LONGEST 512   /* tokens of a text */
#define HEAD 32       /* numbers of an attention head */
#define WIDEST 64     /* columns of the widest panel */
#define EPSILON 1e-12f

typedef struct {
    int32_t depth, width;   /* inputs and outputs */
    int8_t *packed;         /* the weights, in the order in which a kernel reads them */
    const float *steps;     /* a column's */
    const float *bias;
} Matrix;

typedef struct {
    Matrix attend, join, widen, narrow; /* query, key and value side by side; what follows them; the two of the middle */
    const float *gain[2], *shift[2];    /* of the norm after attention, and of the one at the end */
} Layer;

typedef struct Network Network;

/* What each instruction set has of its own. */
typedef struct {
    const char *name;
    /* Puts a matrix of `depth` rows, `stride` apart, into the columns from `column` on of a packed one. */
    void (*pack)(const int8_t *weights, int32_t depth, int32_t width, int32_t stride, int32_t column, int8_t *packed);
    int (*encode)(const Network *, const int32_t *ids, const int32_t *lengths, int32_t texts, float *hidden,
                  float *vectors);
} Kernel;

struct Network {
    const Kernel *kernel;
    int32_t layers, hidden, heads, wide, words;
    const int8_t *table;      /* of words, and their steps: not copied, the file stays mapped; steps may lie anywhere */
    const void *table_steps;
    const float *places;      /* LONGEST x hidden */
    const float *gain, *shift; /* of the norm of the inputs */
    Layer *layer;
};

#endif
