#include "COpenAPI.h"

// C has #embed since C23. For older versions of the language, it is an extension of Clang.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "../../Documentation/openapi.json"
};

const void *COpenAPIBytes(void) { return bytes; }

size_t COpenAPILength(void) { return sizeof bytes; }
