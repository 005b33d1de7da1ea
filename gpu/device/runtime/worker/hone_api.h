/* The table through which a host object reaches the device.
 *
 * The object links against no CUDA library: the process that loads it calls
 * hone_bind with a table of its own functions, stores a handle in the hone_id of
 * every kernel, and then calls hone_entry. Plain C, for both sides.
 *
 * Results are values of cudaError_t. Kinds and flags have CUDA's own values.
 */
#ifndef HONE_API_H
#define HONE_API_H

#include <stddef.h>

#define HONE_API_VERSION 1

/* hone_kernel stands for one kernel, or one instance of a template. The object has
 * one variable of it per kernel that it may launch; the process fills the handle in. */
typedef struct hone_kernel {
    void* handle;
} hone_kernel;

typedef struct hone_config {
    unsigned site; /* number of the launch in the source, from 0; HONE_NO_SITE for a launch by API call */
    unsigned grid[3], block[3];
    size_t shared_bytes;
    void* stream;
    int cooperative;
} hone_config;

#define HONE_NO_SITE 0xffffffffu

enum hone_memory { HONE_DEVICE, HONE_MANAGED, HONE_PINNED };

typedef struct hone_api {
    unsigned version; /* HONE_API_VERSION */
    unsigned size;    /* of this struct in bytes */

    /* The arguments point to one value each; sizes has as many. */
    int (*launch)(const hone_kernel* kernel, const hone_config* config, void** arguments, const size_t* sizes,
                  unsigned count);
    /* The same by the address of a kernel in the object, where the sizes are not known. */
    int (*launch_address)(const void* kernel, const hone_config* config, void** arguments);
    int (*set_attribute)(const void* kernel, int attribute, int value);
    int (*get_attribute)(const void* kernel, int attribute, int* value); /* a CUfunction_attribute */
    int (*occupancy)(const void* kernel, int* blocks, int block_size, size_t shared_bytes);

    int (*allocate)(void** address, size_t bytes, int memory, void* stream, int ordered);
    int (*release)(void* address, int memory, void* stream, int ordered);
    int (*copy)(void* to, const void* from, size_t bytes, int kind, void* stream, int asynchronous);
    int (*copy_rows)(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t rows, int kind, void* stream, int asynchronous);
    int (*fill)(void* address, int value, size_t bytes, void* stream, int asynchronous);
    /* From the address of a device variable's stand-in in the object. */
    int (*symbol)(const void* stand_in, void** address, size_t* bytes);
    int (*memory_info)(size_t* free, size_t* total);

    int (*device_attribute)(int* value, int attribute);
    int (*device_name)(char* name, size_t bytes);
    int (*device_synchronize)(void);
    int (*last_error)(int reset);
    const char* (*error_name)(int error);
    const char* (*error_text)(int error);

    int (*stream_create)(void** stream, unsigned flags, int priority);
    int (*stream_destroy)(void* stream);
    int (*stream_synchronize)(void* stream);
    int (*stream_query)(void* stream);
    int (*stream_wait)(void* stream, void* event, unsigned flags);
    int (*event_create)(void** event, unsigned flags);
    int (*event_destroy)(void* event);
    int (*event_record)(void* event, void* stream);
    int (*event_synchronize)(void* event);
    int (*event_query)(void* event);
    int (*event_elapsed)(float* milliseconds, void* start, void* end);
} hone_api;

#endif
