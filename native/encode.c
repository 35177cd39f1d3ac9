/* From tokens to vectors, for one instruction set: compiled once for each, with KERNEL as the name of what it offers. */
#include <stdlib.h>

#include "network.h"
#include "product.h"
#include "sixteen.h"

/* Rows that were rounded for a product: whole numbers, each row's step, and the sum of each row's numbers. */
typedef struct {
    Whole *rows;
    float *steps;
    int32_t *sums;
} Rounded;

static void round_rows(const float *rows, int32_t count, int32_t depth, Rounded to) {
    for (int32_t t = 0; t < count; t++, rows += depth) {
        Sixteen most = all(0.0f);
        for (int32_t k = 0; k < depth; k += 16) most = larger(most, size_of(load(rows + k)));
        float step = largest_of(most) / 127.0f;
        to.steps[t] = step = step > EPSILON ? step : EPSILON;
        Sixteen scale = all(1.0f / step);
        Ints sums[PARTS] = {{0}};
        for (int32_t k = 0; k < depth; k += 16)
            store_rounded(to.rows + (int64_t)t * depth + k, times(load(rows + k), scale), sums);
        int32_t lanes[16], sum = 0;
        memcpy(lanes, sums, sizeof lanes);
        for (int i = 0; i < 16; i++) sum += lanes[i];
        to.sums[t] = sum;
    }
}

enum After { NOTHING, GELU };

INLINE void rows_of_panel(const int rows, const Matrix *matrix, const Rounded *from, int32_t t, int32_t column,
                          enum After after, float *to) {
    Sums sums __attribute__((aligned(64)));
    tile(rows, from->rows + (int64_t)t * matrix->depth, matrix->depth, matrix->packed + (int64_t)column * matrix->depth,
         sums);
    for (int r = 0; r < rows; r++) {
        float *row = to + (int64_t)(t + r) * matrix->width + column;
        Sixteen step = all(from->steps[t + r]);
        for (int c = 0; c < PANEL; c += 16) {
            Sixteen value = from_ints(&sums[r][c], OFFSET * from->sums[t + r]);
            value = times(times(value, load(matrix->steps + column + c)), step);
            value = plus(value, load(matrix->bias + column + c));
            store(row + c, after == GELU ? gelu(value) : value);
        }
    }
}

static void multiply(const Matrix *matrix, const Rounded *from, int32_t count, enum After after, float *to) {
    for (int32_t column = 0; column < matrix->width; column += PANEL) {
        int32_t t = 0;
        for (; t + ROWS <= count; t += ROWS) rows_of_panel(ROWS, matrix, from, t, column, after, to);
        switch (count - t) {
            case 5: rows_of_panel(ROWS < 5 ? ROWS : 5, matrix, from, t, column, after, to); break;
            case 4: rows_of_panel(4, matrix, from, t, column, after, to); break;
            case 3: rows_of_panel(3, matrix, from, t, column, after, to); break;
            case 2: rows_of_panel(2, matrix, from, t, column, after, to); break;
            case 1: rows_of_panel(1, matrix, from, t, column, after, to); break;
        }
    }
}

/* Each row less its mean, over its deviation, with gain and shift; `added` is added before, unless it is none. */
static void normalize(float *rows, const float *added, int32_t count, int32_t width, const float *gain,
                      const float *shift) {
    for (int32_t t = 0; t < count; t++, rows += width) {
        Sixteen sum = all(0.0f), squares = all(0.0f);
        for (int32_t k = 0; k < width; k += 16) {
            Sixteen value = load(rows + k);
            if (added) store(rows + k, value = plus(value, load(added + (int64_t)t * width + k)));
            sum = plus(sum, value);
        }
        Sixteen mean = all(sum_of(sum) / (float)width);
        for (int32_t k = 0; k < width; k += 16) {
            Sixteen away = minus(load(rows + k), mean);
            squares = plus(squares, times(away, away));
        }
        Sixteen scale = all(1.0f / __builtin_sqrtf(sum_of(squares) / (float)width + EPSILON));
        for (int32_t k = 0; k < width; k += 16) {
            Sixteen value = times(minus(load(rows + k), mean), scale);
            store(rows + k, plus(times(value, load(gain + k)), load(shift + k)));
        }
    }
}

#define TOGETHER 4 /* rows of one text that look at the others at the same time */

/* What `rows` tokens take from all tokens of their text, for one head. `turned` has the keys, a number of a key a row. */
INLINE void look(const int rows, const float *asking, int64_t stride, const float *turned, int32_t padded,
                 const float *values, int32_t length, float *shares, float *to, int64_t to_stride) {
    Sixteen most[TOGETHER];
    UNROLLED for (int r = 0; r < rows; r++) most[r] = all(-1e30f);
    for (int32_t j = 0; j < padded; j += 16) {
        Sixteen score[TOGETHER];
        UNROLLED for (int r = 0; r < rows; r++) score[r] = all(0.0f);
        for (int d = 0; d < HEAD; d++) {
            Sixteen keys = load(turned + (int64_t)d * padded + j);
            UNROLLED for (int r = 0; r < rows; r++)
                score[r] = plus(score[r], times(all(asking[r * stride + d]), keys));
        }
        UNROLLED for (int r = 0; r < rows; r++) {
            store(shares + (int64_t)r * padded + j, score[r]);
            for (int32_t i = length - j; i < 16; i++) shares[(int64_t)r * padded + j + i] = -1e30f;
            most[r] = larger(most[r], load(shares + (int64_t)r * padded + j));
        }
    }
    Sixteen total[TOGETHER], first[TOGETHER], second[TOGETHER];
    UNROLLED for (int r = 0; r < rows; r++) {
        Sixteen highest = all(largest_of(most[r]));
        total[r] = first[r] = second[r] = all(0.0f);
        for (int32_t j = 0; j < padded; j += 16) {
            float *at = shares + (int64_t)r * padded + j;
            Sixteen share = exponential(minus(load(at), highest));
            store(at, share);
            for (int32_t i = length - j; i < 16; i++) at[i] = 0.0f;
            total[r] = plus(total[r], load(at));
        }
    }
    for (int32_t j = 0; j < length; j++, values += stride) {
        Sixteen low = load(values), high = load(values + 16);
        UNROLLED for (int r = 0; r < rows; r++) {
            Sixteen share = all(shares[(int64_t)r * padded + j]);
            first[r] = plus(first[r], times(share, low));
            second[r] = plus(second[r], times(share, high));
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) {
        Sixteen scale = all(1.0f / sum_of(total[r]));
        store(to + r * to_stride, times(first[r], scale));
        store(to + r * to_stride + 16, times(second[r], scale));
    }
}

/* `mixed` has a row of queries, keys and values a token. */
static void attend(const Network *net, const float *mixed, int32_t length, float *turned, float *shares, float *to) {
    const int32_t padded = (length + 15) / 16 * 16, hidden = net->hidden;
    const int64_t stride = 3 * (int64_t)hidden;
    for (int32_t head = 0; head < net->heads; head++) {
        const float *asking = mixed + head * HEAD, *keys = asking + hidden, *values = keys + hidden;
        for (int d = 0; d < HEAD; d++) {
            for (int32_t j = 0; j < length; j++) turned[(int64_t)d * padded + j] = keys[j * stride + d];
            for (int32_t j = length; j < padded; j++) turned[(int64_t)d * padded + j] = 0.0f;
        }
        int32_t t = 0;
        for (; t + TOGETHER <= length; t += TOGETHER)
            look(TOGETHER, asking + t * stride, stride, turned, padded, values, length, shares,
                 to + (int64_t)t * hidden + head * HEAD, hidden);
        for (; t < length; t++)
            look(1, asking + t * stride, stride, turned, padded, values, length, shares,
                 to + (int64_t)t * hidden + head * HEAD, hidden);
    }
}

static void look_up(const Network *net, const int32_t *ids, int32_t length, float *to) {
    const int32_t hidden = net->hidden;
    for (int32_t t = 0; t < length; t++, to += hidden) {
        const int8_t *row = net->table + (int64_t)ids[t] * hidden;
        float step;
        memcpy(&step, (const char *)net->table_steps + 4 * (int64_t)ids[t], sizeof step);
        const float *place = net->places + (int64_t)t * hidden;
        for (int32_t k = 0; k < hidden; k += 16)
            store(to + k, plus(times(from_bytes(row + k), all(step)), load(place + k)));
    }
}

static void run_layer(const Network *net, const Layer *layer, const int32_t *lengths, int32_t texts, int32_t count,
                      float *hidden, float *wide, float *other, Rounded rounded, float *turned, float *shares) {
    round_rows(hidden, count, net->hidden, rounded);
    multiply(&layer->attend, &rounded, count, NOTHING, wide);
    int32_t start = 0;
    for (int32_t i = 0; i < texts; start += lengths[i++])
        attend(net, wide + 3 * (int64_t)start * net->hidden, lengths[i], turned, shares,
               other + (int64_t)start * net->hidden);
    round_rows(other, count, net->hidden, rounded);
    multiply(&layer->join, &rounded, count, NOTHING, other);
    normalize(hidden, other, count, net->hidden, layer->gain[0], layer->shift[0]);
    round_rows(hidden, count, net->hidden, rounded);
    multiply(&layer->widen, &rounded, count, GELU, wide);
    round_rows(wide, count, net->wide, rounded);
    multiply(&layer->narrow, &rounded, count, NOTHING, other);
    normalize(hidden, other, count, net->hidden, layer->gain[1], layer->shift[1]);
}

/* The mean of a text's rows, as long as one. */
static void pool(const float *rows, int32_t length, int32_t hidden, float *to) {
    Sixteen squares = all(0.0f);
    for (int32_t k = 0; k < hidden; k += 16) {
        Sixteen sum = all(0.0f);
        for (int32_t t = 0; t < length; t++) sum = plus(sum, load(rows + (int64_t)t * hidden + k));
        store(to + k, sum = over(sum, all((float)length)));
        squares = plus(squares, times(sum, sum));
    }
    Sixteen norm = all(__builtin_sqrtf(sum_of(squares)));
    for (int32_t k = 0; k < hidden; k += 16) store(to + k, over(load(to + k), norm));
}

/* The last layer's rows of the texts' tokens, text after text, and each text's vector; either may be left out.
 * Returns 0, or 1 where memory is short. */
static int encode(const Network *net, const int32_t *ids, const int32_t *lengths, int32_t texts, float *hidden,
                  float *vectors) {
    int64_t count = 0, longest = 0;
    for (int32_t i = 0; i < texts; i++) {
        count += lengths[i];
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    const int64_t broad = net->wide > 3 * net->hidden ? net->wide : 3 * net->hidden, padded = (longest + 15) / 16 * 16;
    const int64_t floats = count * (broad + 2 * net->hidden + 2) + padded * (HEAD + TOGETHER);
    float *room = malloc(floats * sizeof(float) + count * broad * sizeof(Whole));
    if (!room) return 1;
    float *wide = room, *other = wide + count * broad, *turned = other + count * net->hidden;
    float *shares = turned + padded * HEAD, *own = shares + padded * TOGETHER, *steps = own + count * net->hidden;
    Rounded rounded = {(Whole *)(steps + 2 * count), steps, (int32_t *)(steps + count)};
    float *rows = hidden ? hidden : own;
    int64_t start = 0;
    for (int32_t i = 0; i < texts; start += lengths[i++]) look_up(net, ids + start, lengths[i], rows + start * net->hidden);
    normalize(rows, NULL, (int32_t)count, net->hidden, net->gain, net->shift);
    for (int32_t i = 0; i < net->layers; i++)
        run_layer(net, net->layer + i, lengths, texts, (int32_t)count, rows, wide, other, rounded, turned, shares);
    start = 0;
    for (int32_t i = 0; vectors && i < texts; start += lengths[i++])
        pool(rows + start * net->hidden, lengths[i], net->hidden, vectors + (int64_t)i * net->hidden);
    free(room);
    return 0;
}

const Kernel KERNEL = {NAME, pack, encode};
