/*
 * printer: text put piece by piece into a caller's buffer, with the contract of snprintf for the
 * whole: always terminated where size > 0, and the length is what the full text needs. Private to
 * layout/.
 */
#ifndef KNAP_LAYOUT_PRINTER_H
#define KNAP_LAYOUT_PRINTER_H

#include <stddef.h>

typedef struct {
    char *buf;
    size_t size;
    int length; /* of the whole text, printed or not */
} Printer;

/* Appends, as printf. */
void printer_put(Printer *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
