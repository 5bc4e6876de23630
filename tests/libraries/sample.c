/* A library that accepts what has "project_id: good" in it, and can be built to do other
 * things at its second case (SECOND) or at any message (EACH). */

#include "living_conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SECOND
#define SECOND
#endif
#ifndef EACH
#define EACH
#endif

static int has(const char *message, size_t length, const char *text) {
    size_t size = strlen(text);
    for (size_t at = 0; at + size <= length; at++)
        if (memcmp(message + at, text, size) == 0) return 1;
    return 0;
}

static void say(living_conformance_write write, void *context, const char *text) {
    write(context, text, strlen(text));
}

int living_conformance_v1(const char *message, size_t length,
                          living_conformance_write write, void *context) {
    static int cases;
    EACH;
    if (has(message, length, "\"type\":\"hello\"")) {
        say(write, context, "{\"type\":\"hello\",\"session\":1,\"name\":\"sample\",");
        say(write, context, "\"version\":\"3\",\"language\":\"C\"}");
    } else if (has(message, length, "\"type\":\"case\"")) {
        cases++;
        if (cases == 2) { SECOND; }
        char id[32] = "";
        for (size_t at = 0; at + 5 < length; at++)
            if (memcmp(message + at, "\"id\":", 5) == 0) {
                sscanf(message + at + 5, "%31[0-9]", id);
                break;
            }
        say(write, context, "{\"type\": \"reply\",\n \"id\": ");
        say(write, context, id);
        say(write, context, ",\n \"verdict\": ");
        say(write, context, has(message, length, "project_id: good") ? "\"accept\"" : "\"reject\"");
        say(write, context, "\n}\n");
    }
    return 0;
}
