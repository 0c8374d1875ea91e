/* printer: text put piece by piece into a caller's buffer. See printer.h. */
#include "layout/printer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

void printer_put(Printer *out, const char *fmt, ...)
{
    bool fits = (size_t)out->length < out->size;
    va_list args;
    va_start(args, fmt);
    out->length += vsnprintf(fits ? out->buf + out->length : NULL,
                             fits ? out->size - (size_t)out->length : 0, fmt, args);
    va_end(args);
}
