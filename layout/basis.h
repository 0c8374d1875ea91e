/*
 * basis: strides and coordinates that are more than integers.
 *
 * A Basis is k times the basis element E<i,j,...>, which is 1 in entry j of entry i of an infinite
 * tuple and 0 elsewhere; E<> is the integer 1. It prints with the outermost index last, as in a
 * layout: 5*E<0,1> is 5@1@0. An Arith (CuTe's ArithmeticTuple) is a tree of integers, such as
 * ((7,4),23), that adds entry by entry and scales. Entries that a tuple does not have are 0, and
 * the integer 0 is the zero of every tuple. So sums of scaled basis elements are coordinates.
 *
 * The same tree with `_` in place of an entry serves as the coordinate of a slice ((2,_): row 2)
 * and as a projection (CuTe's Step: X is read as `_`). Such a tree prints, but does not add.
 *
 * Both are values; nothing allocates. What is impossible, overflow included, gives a poisoned value
 * that carries a sentence saying why, and every operation on a poisoned value returns it unchanged.
 */
#ifndef KNAP_LAYOUT_BASIS_H
#define KNAP_LAYOUT_BASIS_H

#include "layout/layout.h"

enum {
    ARITH_NODES = 48,  /* integers and tuples of one Arith */
    ARITH_LEAF = -1,   /* rank of an integer */
    ARITH_ANY = -2,    /* rank of `_` */
    ARITH_TEXT = 2048, /* a buffer that holds any printed Arith */
    BASIS_TEXT = 160   /* a buffer that holds any printed Basis */
};

typedef struct {
    int64_t scale;
    uint8_t path[LAYOUT_PATH]; /* outermost first, each index + 1; 0 ends it, as in LayoutNode */
    uint8_t zero[4];
    char why[136]; /* not empty: poisoned, and this is the reason */
} Basis;

/* One node in preorder: a tuple is followed by its entries, each `span` nodes long. */
typedef struct {
    int64_t value; /* of an integer; else 0 */
    int8_t rank;   /* number of entries, ARITH_LEAF or ARITH_ANY */
    uint8_t span;  /* nodes of this subtree, itself included */
    uint8_t zero[6];
} ArithNode;

/* A zeroed one is the empty tuple (). */
typedef struct {
    uint32_t poisoned; /* nonzero: `why` holds the reason and there are no nodes */
    uint32_t zero;
    union {
        ArithNode node[ARITH_NODES];
        char why[ARITH_NODES * sizeof(ArithNode)];
    };
} Arith;

/* -- Basis elements ---------------------------------------------------------------------------- */
/* E<path[0],...,path[n-1]>, 0 <= n <= LAYOUT_PATH. */
Basis basis_element(int n, const int path[]);
/* k times b; 0 times any element is the integer 0. */
Basis basis_scale(Basis b, int64_t k);
/* INT {'@' INT} | [INT '*'] 'E<' [INT {',' INT}] '>' */
Basis basis_parse(const char *text);
/* "5@1@0", or "poisoned: why". Returns the full length, as snprintf does. */
int basis_print(char *buf, size_t size, Basis b);
bool basis_ok(Basis b);

/* -- Making coordinates ------------------------------------------------------------------------ */
Arith arith_int(int64_t value);
Arith arith_any(void);
Arith arith_tuple(int rank, const Arith entries[]);
Arith arith_pair(Arith a, Arith b);
/* The flat tuple (v[0],...,v[n-1]). */
Arith arith_ints(int n, const int64_t v[]);
/* The shortest tuple that b is: 5@1@0 is ((0,5)). */
Arith arith_basis(Basis b);
/* The extents of L, nested as L is. */
Arith arith_shape(Layout L);
/* sum := term {'+' term}; term := {INT '*'} ('(' [sum {',' sum}] ')' | '_' | 'X' | basis). */
Arith arith_parse(const char *text);
Arith arith_poison(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* -- Asking ------------------------------------------------------------------------------------ */
bool arith_ok(Arith a);
/* The reason of a poisoned one; "" otherwise. Points into *a. */
const char *arith_why(const Arith *a);
/* "((7,4),23)", or "poisoned: why". Returns the full length, as snprintf does. */
int arith_print(char *buf, size_t size, Arith a);
/* The same as the infinite tuple that it begins: "((7,4,0,...),23,0,...)". */
int arith_print_open(char *buf, size_t size, Arith a);
/* Number of entries; 1 for an integer and for `_`, as for a layout. */
int arith_rank(Arith a);
bool arith_is_tuple(Arith a);
bool arith_is_any(Arith a);
/* A `_` somewhere. */
bool arith_has_any(Arith a);
/* Entry i of a tuple; poisoned where there is none. */
Arith arith_mode(Arith a, int i);
/* The value of an integer; 0 for anything else. */
int64_t arith_value(Arith a);
/* The node at a path (as in Basis), or -1. */
int arith_find(const Arith *a, const uint8_t path[LAYOUT_PATH]);
/* Same nesting and values. A poisoned one equals none. */
bool arith_equal(Arith a, Arith b);

/* -- Arithmetic -------------------------------------------------------------------------------- */
/* Entry by entry. Refused: a nonzero integer with a tuple, and `_`. */
Arith arith_add(Arith a, Arith b);
Arith arith_scale(Arith a, int64_t k);

/* -- Comparison --------------------------------------------------------------------------------
 * Each entry of a is less than its entry of b. Entries that a lacks are 0; an entry that b lacks is
 * less than none; `_` in b bounds nothing. Where an integer other than 0 meets a tuple, or anything
 * is poisoned, the answer is false: what cannot be compared is out of bounds. */
bool arith_elem_less(Arith a, Arith b);
/* elem_less, and no entry of a is negative: a is a coordinate inside the shape. */
bool arith_within(Arith a, Arith shape);

#endif
