/* ptxas: NVIDIA's assembler, for the tests that hold text against it. $PTXAS, or the one on PATH.
 */
#ifndef KNAP_TESTS_PTXAS_H
#define KNAP_TESTS_PTXAS_H

#include "tests/tap.h"

#include <unistd.h>

static inline const char *ptxas(void)
{
    const char *path = getenv("PTXAS");
    return path && *path ? path : "ptxas";
}

/* A fresh file for PTX text, its name in path. Bails out where there can be none. */
static inline FILE *ptxas_text(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/knap_ptxas_XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) bail("cannot write %s", path);
    return out;
}

/* False, and a skipped point, where there is no ptxas. */
static inline bool ptxas_is_here(void)
{
    char command[320];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", ptxas());
    if (system(command) == 0) return true;
    skip("no ptxas");
    return false;
}

/* Assembles the text in path for a chip, as one point called what; removes it if ptxas takes it.
 * ptxas of today knows nothing below sm_75, but takes text for older chips. */
static inline void ptxas_takes(const char *path, int sm, const char *suffix, const char *what)
{
    char command[640], line[512] = "", rest[512];
    snprintf(command, sizeof command, "%s -arch=sm_%d%s -o /dev/null %s 2>&1", ptxas(),
             sm < 75 ? 75 : sm, suffix, path);
    FILE *in = popen(command, "r");
    if (!in) bail("cannot run %s", command);
    if (!fgets(line, sizeof line, in)) line[0] = '\0';
    while (fgets(rest, sizeof rest, in)) continue;
    if (ok(pclose(in) == 0, "ptxas: %s", what))
        unlink(path);
    else
        diag("%s (the text is in %s)", line, path);
}

#endif
