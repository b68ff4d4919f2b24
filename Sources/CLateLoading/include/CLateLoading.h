// Functions of a library that is loaded on the first call.
//
// A program linked against a library loads it at startup, with all its dependencies, whether or not it uses them. A
// user of `TT_FORWARD` instead defines the library's functions under their own names, and each forwards its call. The
// library's headers check every signature; a missing function does not link.
#ifndef TINTYPE_CLATELOADING_H
#define TINTYPE_CLATELOADING_H

// Returns the function's address, looked up once and cached where `address` points. If it is missing, the program ends,
// as it would at startup if it were linked; `purpose` says what it was needed for.
void *tt_late_function(void **address, const char *library, const char *name, const char *purpose);

// Hidden, so that calls between the libraries do not go through here.
#define TT_FORWARD(library, purpose, result, name, parameters, arguments)                              \
    __attribute__((visibility("hidden"))) result name parameters {                                     \
        static void *address;                                                                          \
        return ((result(*) parameters)tt_late_function(&address, library, #name, purpose)) arguments;  \
    }

#endif
