/*
 * xla_ffi: the part of XLA's foreign function interface that a handler for GEMM needs.
 *
 * An ABI written down as facts: names are ours, offsets are XLA's (major version 0, minor 1 and
 * later, on 64-bit machines) and asserted below. Structures only grow at their ends; each begins
 * with the number of bytes that its writer knows, XLA_SIZE of its last field. This header has no
 * functions and no errors.
 */
#ifndef KNAP_FRAMEWORK_GLUE_JAX_XLA_FFI_H
#define KNAP_FRAMEWORK_GLUE_JAX_XLA_FFI_H

#include <stddef.h>
#include <stdint.h>

/* -- Common ------------------------------------------------------------------------------------ */

#define XLA_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* A chain of requests beside the call itself. */
typedef struct XlaExtension {
    size_t size;
    int32_t type; /* XLA_EXTENSION_METADATA, or unknown to us */
    struct XlaExtension *next;
} XlaExtension;

typedef struct {
    size_t size;
    XlaExtension *extension;
    int32_t major, minor;
} XlaVersion;

enum { XLA_MAJOR = 0, XLA_EXTENSION_METADATA = 1, XLA_STAGE_EXECUTE = 3, XLA_ARG_BUFFER = 1 };

/* Element types that knap multiplies. */
enum {
    XLA_F16 = 10,
    XLA_F32 = 11,
    XLA_F64 = 12,
    XLA_C64 = 15, /* pairs of f32 */
    XLA_BF16 = 16,
    XLA_C128 = 18
};

/* -- Errors ------------------------------------------------------------------------------------ */

typedef struct XlaError XlaError;

enum {
    XLA_INVALID_ARGUMENT = 3,
    XLA_RESOURCE_EXHAUSTED = 8,
    XLA_UNIMPLEMENTED = 12,
    XLA_INTERNAL = 13
};

/* message is copied. */
typedef struct {
    size_t size;
    XlaExtension *extension;
    const char *message;
    int32_t code;
} XlaErrorCreate;

typedef struct {
    size_t size;
    XlaExtension *extension;
    XlaError *error;
} XlaErrorDestroy;

/* -- Execution --------------------------------------------------------------------------------- */

typedef struct XlaContext XlaContext;

/* stream: out, the CUDA stream of the call. An error where the platform has none. */
typedef struct {
    size_t size;
    XlaExtension *extension;
    XlaContext *context;
    void *stream;
} XlaStreamGet;

/* What XLA offers; it has more functions after the last one. */
typedef struct {
    size_t size;
    XlaExtension *extension;
    XlaVersion version;
    const void *internal;
    XlaError *(*error_create)(XlaErrorCreate *args);
    void (*error_message)(void *args);
    void (*error_destroy)(XlaErrorDestroy *args);
    XlaError *(*handler_register)(void *args);
    XlaError *(*stream_get)(XlaStreamGet *args);
} XlaApi;

/* A dense array, its last axis contiguous. */
typedef struct {
    size_t size;
    XlaExtension *extension;
    int32_t dtype;
    void *data;
    int64_t rank;
    const int64_t *dims;
} XlaBuffer;

/* Arguments or results: items[i] is an XlaBuffer where types[i] is XLA_ARG_BUFFER. */
typedef struct {
    size_t size;
    XlaExtension *extension;
    int64_t count;
    const int32_t *types;
    void **items;
} XlaArgs;

typedef struct {
    size_t size;
    XlaExtension *extension;
    int64_t count;
    const int32_t *types;
    void **names;
    void **values;
} XlaAttrs;

/* One call of a handler. */
typedef struct {
    size_t size;
    XlaExtension *extension;
    const XlaApi *api;
    XlaContext *context;
    int32_t stage;
    XlaArgs args, rets;
    XlaAttrs attrs;
} XlaFrame;

/* -- Metadata: asked of a handler once, before its first call ---------------------------------- */

typedef struct {
    size_t size;
    XlaVersion version; /* out: the interface that the handler was written for */
    uint32_t traits;    /* out: bit 0, it can be captured in a CUDA graph */
} XlaMetadata;

typedef struct {
    XlaExtension base;
    XlaMetadata *metadata;
} XlaMetadataExtension;

/* -- Offsets ----------------------------------------------------------------------------------- */

#define XLA_AT(type, field, offset) \
    _Static_assert(offsetof(type, field) == (offset), #type "." #field)

XLA_AT(XlaExtension, type, 8);
XLA_AT(XlaExtension, next, 16);
XLA_AT(XlaVersion, major, 16);
XLA_AT(XlaVersion, minor, 20);
XLA_AT(XlaErrorCreate, message, 16);
XLA_AT(XlaErrorCreate, code, 24);
XLA_AT(XlaErrorDestroy, error, 16);
XLA_AT(XlaStreamGet, context, 16);
XLA_AT(XlaStreamGet, stream, 24);
XLA_AT(XlaApi, version, 16);
XLA_AT(XlaApi, internal, 40);
XLA_AT(XlaApi, error_create, 48);
XLA_AT(XlaApi, error_destroy, 64);
XLA_AT(XlaApi, stream_get, 80);
XLA_AT(XlaBuffer, dtype, 16);
XLA_AT(XlaBuffer, data, 24);
XLA_AT(XlaBuffer, rank, 32);
XLA_AT(XlaBuffer, dims, 40);
XLA_AT(XlaArgs, count, 16);
XLA_AT(XlaArgs, types, 24);
XLA_AT(XlaArgs, items, 32);
XLA_AT(XlaAttrs, values, 40);
XLA_AT(XlaFrame, api, 16);
XLA_AT(XlaFrame, context, 24);
XLA_AT(XlaFrame, stage, 32);
XLA_AT(XlaFrame, args, 40);
XLA_AT(XlaFrame, rets, 80);
XLA_AT(XlaFrame, attrs, 120);
XLA_AT(XlaMetadata, version, 8);
XLA_AT(XlaMetadata, traits, 32);
XLA_AT(XlaMetadataExtension, metadata, 24);
_Static_assert(sizeof(XlaVersion) == 24, "XlaVersion");
_Static_assert(sizeof(XlaArgs) == 40, "XlaArgs");
_Static_assert(sizeof(XlaAttrs) == 48, "XlaAttrs");
_Static_assert(sizeof(XlaFrame) == 168, "XlaFrame");
_Static_assert(XLA_SIZE(XlaMetadata, traits) == 36, "XlaMetadata");

#undef XLA_AT

#endif
