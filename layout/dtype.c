/* dtype: the table of element types and its readers. See dtype.h. */
#include "layout/dtype.h"

#include <string.h>

static const struct {
    const char *name;
    int bits;
    bool complex;
    Dtype real;
} table[DTYPE_COUNT] = {
#define ROW(id, name, bits, complex, real) {name, bits, complex, DTYPE_##real},
    DTYPE_LIST(ROW)
#undef ROW
};

static Dtype in_table(Dtype t)
{
    return (unsigned)t < DTYPE_COUNT ? t : DTYPE_NONE;
}

const char *dtype_name(Dtype t)
{
    return table[in_table(t)].name;
}

int dtype_bits(Dtype t)
{
    return table[in_table(t)].bits;
}

int dtype_bytes(Dtype t)
{
    return dtype_bits(t) / 8;
}

bool dtype_is_complex(Dtype t)
{
    return table[in_table(t)].complex;
}

Dtype dtype_real(Dtype t)
{
    return table[in_table(t)].real;
}

Dtype dtype_parse(const char *name)
{
    for (int t = 1; t < DTYPE_COUNT; t++)
        if (strcmp(name, table[t].name) == 0) return (Dtype)t;
    return DTYPE_NONE;
}
