/*
 * The C ABI of living-conformance, version 1.
 *
 * A shared object that exports living_conformance_v1 can be tested with
 *
 *     living-conformance --library PATH
 *
 * It is loaded in a process of its own, one for each worker. What it crashes, hangs
 * or exits costs the case under way; then it is loaded again for the next one.
 *
 * The messages are those of a session, see sessions.md and session.schema.json:
 * `hello`, any number of `case`, `bye`, each one JSON object in UTF-8.
 */
#ifndef LIVING_CONFORMANCE_H
#define LIVING_CONFORMANCE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this ABI, which is in the name of the entry point, too. A library
 * may export entry points of several versions. */
#define LIVING_CONFORMANCE_ABI 1

/*
 * Takes a piece of the answer. The bytes are copied before it returns, and stay the
 * library's. It may be called several times for one message; the pieces are joined.
 * It must not be called after living_conformance_v1 has returned, nor from another
 * thread.
 */
typedef void (*living_conformance_write)(void *context, const char *bytes, size_t length);

/*
 * Answers one message.
 *
 * `message` has `length` bytes, without a NUL at the end. It belongs to the caller and
 * is there until this function returns. `context` is handed on to `write` as it is.
 *
 * `hello` is answered with a `hello`, `case` with a `reply`, and `bye` with nothing.
 *
 * Returns 0, or anything else when the library cannot go on; then the process ends and
 * the case under way is charged with it.
 *
 * It is called from one thread, one message after the other. No exception may leave
 * it. Standard input is empty, and standard output leads to standard error, which is
 * shown with failing cases and never judged.
 */
int living_conformance_v1(const char *message, size_t length,
                          living_conformance_write write, void *context);

#ifdef __cplusplus
}
#endif

#endif
