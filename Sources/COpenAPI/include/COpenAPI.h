#ifndef KITH_COPENAPI_H
#define KITH_COPENAPI_H

#include <stddef.h>

/// The description of the API: the bytes of `Documentation/openapi.json` when the program was built.
///
/// Swift's compiler needs minutes for an array literal of this length. C has `#embed`, which takes no time.
const void *_Nonnull COpenAPIBytes(void);

/// The number of bytes.
size_t COpenAPILength(void);

#endif
