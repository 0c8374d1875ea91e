/*
 * sim_program: one entry of a PTX module, decoded. Nothing in it changes after parsing.
 */
#ifndef KNAP_GPU_SIM_SIM_PROGRAM_H
#define KNAP_GPU_SIM_SIM_PROGRAM_H

#include "gpu/sim/sim_isa.h"

/* Special registers, in the order of sim_specials. */
typedef enum {
    SIM_TID_X,
    SIM_TID_Y,
    SIM_TID_Z,
    SIM_NTID_X,
    SIM_NTID_Y,
    SIM_NTID_Z,
    SIM_CTAID_X,
    SIM_CTAID_Y,
    SIM_CTAID_Z,
    SIM_NCTAID_X,
    SIM_NCTAID_Y,
    SIM_NCTAID_Z,
    SIM_LANEID,
    SIM_WARPID,
    SIM_NWARPID,
    SIM_SPECIALS
} SimSpecial;

typedef struct {
    SimSlot slot;
    SimSpecial id;
} SimSpecialUse;

typedef struct {
    SimSlot slot;
    int bytes; /* of a lane; 0: a predicate */
    uint64_t bits;
} SimConst;

/* Shared memory begins here and not at 0, so that code which takes the first array's address
 * for 0 fails. */
enum { SIM_SHARED_BASE = 1024, SIM_SHARED_MAX = 48 << 10 };

typedef struct {
    char *name;
    char *text; /* the whole module, kept for messages */
    SimInsn *insns;
    size_t insn_count;
    SimSlot *args;
    size_t arg_count;
    SimConst *consts;
    size_t const_count;
    SimSpecialUse *specials;
    size_t special_count;
    uint32_t slots;
    uint32_t shared_bytes, param_bytes;
    uint32_t max_threads; /* .maxntid, .reqntid; 1024 where neither stands */
    uint32_t req_threads; /* .reqntid, or 0 */
    int ptx, target;      /* .version and .target, 10*major + minor */
} SimProgram;

/* Parses text for a chip of compute capability sm and returns entry. NULL: err (size bytes)
 * says why. */
SimProgram *sim_program_parse(const char *text, const char *entry, int sm, char *err, size_t size);
void sim_program_free(SimProgram *p);

/* Line number `line` (from 1) without indentation; *n its length. */
const char *sim_program_line(const char *text, uint32_t line, int *n);

#endif
