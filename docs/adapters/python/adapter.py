#!/usr/bin/env python3
"""A validator and matcher of the Living Repositories Protocol: PyYAML and checks
written by hand.

    adapter.py validate [--strict] MANIFEST
    adapter.py match RUNTIME MANIFEST
    adapter.py session

The first two follow the implementation contract, with one JSON finding a line; the
third answers cases over lines of JSON. Take what you need of it: the checks are
`manifest_findings` and `match_findings`, the rest is how they are reached.
"""

import json
import re
import sys

import yaml

NAME = "python-adapter"
VERSION = "1.0.0"

CAPABILITIES = {
    "run_tasks": 1, "publish_state": 1, "open_pull_requests": 1, "snapshot_restore": 1,
    "handoff": 1, "read_secrets": 4,
}
PROFILES = ("dedicated-vm", "container", "sandbox-process")
TARGETS = ("control-process", "file", "webhook")
LEVELS = ("debug", "info", "warn", "error")
FIELDS = {
    "protocol_version": 1, "project_id": 1, "agent_capabilities": 1, "isolation_profile": 1,
    "state_publication": 1, "logging_requirements": 1, "snapshot": 3, "secrets": 4,
}
# The minor version of the protocol that is meant when nothing else is said.
LATEST = 4


class Unreadable(Exception):
    """A text that is no YAML document."""


# ---------------------------------------------------------------- documents

class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """The safe loader, without an error for values that mean nothing here."""

    def construct_mapping(self, node, deep=False):
        if not isinstance(node, yaml.MappingNode):
            return super().construct_mapping(node, deep)
        self.flatten_mapping(node)
        mapping = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            # Keys that Python cannot hash are no fields, but no reason to give up.
            if isinstance(key, (list, dict, set)):
                key = Foreign(key)
            mapping[key] = self.construct_object(value_node, deep=deep)
        return mapping


class Foreign:
    """A value of a tag or type that the protocol does not have."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return "a value of another kind"


def foreign(loader, node):
    return Foreign(node.tag)


def lenient(construct):
    """What a tag announces and the text does not hold is a value of no use."""
    def construct_or_foreign(loader, node):
        try:
            return construct(loader, node)
        except (ValueError, TypeError, AttributeError, OverflowError, yaml.YAMLError):
            return Foreign(node.value)
    return construct_or_foreign


def construct_map(loader, node):
    mapping = {}
    yield mapping
    mapping.update(loader.construct_mapping(node))


Loader.add_constructor("tag:yaml.org,2002:map", construct_map)
for tag in ("int", "float", "bool", "null", "timestamp", "binary"):
    constructor = yaml.SafeLoader.yaml_constructors["tag:yaml.org,2002:" + tag]
    Loader.add_constructor("tag:yaml.org,2002:" + tag, lenient(constructor))
for tag in ("omap", "pairs", "set", "value"):
    Loader.add_constructor("tag:yaml.org,2002:" + tag, foreign)
Loader.add_constructor(None, foreign)


def load(data):
    """The one document of a text, given as bytes."""
    try:
        return yaml.load(data, Loader)
    except yaml.YAMLError as error:
        raise Unreadable(" ".join(str(error).split())[:200]) from None
    except (UnicodeError, ValueError, RecursionError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}"[:200]) from None


# ---------------------------------------------------------------- findings

class Findings:
    """Collects findings; `hard` are those that reject in lenient mode as well."""

    def __init__(self, strict, minor):
        self.strict = strict
        self.minor = minor
        self.list = []
        self.rejects = False

    def add(self, rule, at, message, hard=False, advice=False):
        rejects = not advice and (hard or self.strict)
        self.rejects = self.rejects or rejects
        severity = "error" if rejects else "warning"
        self.list.append({"rule": rule, "at": at, "severity": severity, "message": message})


def key(name):
    return str(name).replace("~", "~0").replace("/", "~1")


def is_string(value):
    return isinstance(value, str)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


KINDS = {
    "string": is_string,
    "sequence": lambda value: isinstance(value, list),
    "mapping": lambda value: isinstance(value, dict),
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
}


def member(found, parent, place, prefix, name, kind, hard=True, required=True):
    """The value of a field of the right kind, or None after a finding."""
    at = f"{place}/{name}"
    if name not in parent:
        if required:
            found.add(f"{prefix}.{name}.required", at, f"{name} is missing", hard)
        return None
    value = parent[name]
    if not KINDS[kind](value):
        found.add(f"{prefix}.{name}.type", at, f"{name} is not a {kind}", hard)
        return None
    return value


def strings(found, values, at, prefix, hard=True):
    """The entries that are strings, each with its index."""
    good = []
    for index, value in enumerate(values):
        if is_string(value):
            good.append((index, value))
        else:
            found.add(f"{prefix}.item-type", f"{at}/{index}", "an entry is not a string", hard)
    return good


def distinct(found, values, good, at, prefix):
    if not values:
        found.add(f"{prefix}.min-items", at, "there is no entry")
    texts = [text for _, text in good]
    if len(set(texts)) != len(texts):
        found.add(f"{prefix}.unique", at, "an entry occurs twice (duplicate)")


def unknown(found, mapping, at, rule, known, hard=False):
    for name in mapping:
        if not known(name):
            found.add(rule, f"{at}/{key(name)}", f"{name} is not a field", hard)


def one_of(found, value, at, rule, allowed):
    if value is not None and value not in allowed:
        found.add(rule, at, f"{value!r} is not one of {', '.join(allowed)}")


# ---------------------------------------------------------------- manifest

def manifest_findings(document, strict, minor=LATEST):
    """Validates a manifest for protocol version v0.MINOR."""
    found = Findings(strict, minor)
    if not isinstance(document, dict):
        found.add("manifest.document.mapping", "", "the document is not a mapping", hard=True)
        return found

    def known(name):
        return FIELDS.get(name, 99) <= minor or (is_string(name) and name.startswith("x-"))

    unknown(found, document, "", "manifest.unknown-field.top-level", known)
    version = member(found, document, "", "manifest", "protocol_version", "string")
    if version is not None and not re.fullmatch(
        r"v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?", version
    ):
        found.add("manifest.protocol_version.pattern", "/protocol_version",
                  f"{version!r} is not v and a version")
    project_id(found, member(found, document, "", "manifest", "project_id", "string"))
    declared = capabilities(found, document, minor)
    profile = member(found, document, "", "manifest", "isolation_profile", "string")
    one_of(found, profile, "/isolation_profile", "manifest.isolation_profile.values", PROFILES)
    state_publication(found, document)
    logging_requirements(found, document)
    if minor >= FIELDS["snapshot"]:
        snapshot(found, document, declared)
    if minor >= FIELDS["secrets"]:
        secrets(found, document, declared)
    return found


def project_id(found, value):
    if value is None:
        return
    at = "/project_id"
    if re.search(r"[^a-z0-9-]", value):
        found.add("manifest.project_id.charset", at, f"{value!r} has other than a-z, 0-9 and -")
    if not value[:1].isalnum():
        found.add("manifest.project_id.first-character", at,
                  f"{value!r} does not start with a letter or digit")
    if len(value) > 63:
        found.add("manifest.project_id.max-length", at, f"{value!r} is longer than 63")


def capabilities(found, document, minor):
    """The capabilities declared; None when that cannot be told."""
    prefix, at = "manifest.agent_capabilities", "/agent_capabilities"
    values = member(found, document, "", "manifest", "agent_capabilities", "sequence")
    if values is None:
        return [] if "agent_capabilities" not in document else None
    good = strings(found, values, at, prefix)
    distinct(found, values, good, at, prefix)
    for index, value in good:
        if CAPABILITIES.get(value, 99) > minor:
            found.add(f"{prefix}.values", f"{at}/{index}", f"{value!r} is not a capability")
    return [value for _, value in good]


def state_publication(found, document):
    prefix, at = "manifest.state_publication", "/state_publication"
    state = member(found, document, "", "manifest", "state_publication", "mapping")
    if state is None:
        return
    unknown(found, state, at, "manifest.unknown-field.nested",
            lambda name: name in ("target", "path", "url"))
    target = member(found, state, at, prefix, "target", "string")
    one_of(found, target, f"{at}/target", f"{prefix}.target.values", TARGETS)
    path = member(found, state, at, prefix, "path", "string", required=False)
    url = member(found, state, at, prefix, "url", "string", required=False)
    if target == "file":
        if "path" not in state:
            found.add(f"{prefix}.path.required-for-file", f"{at}/path", "path is missing")
        elif path is not None and path.startswith("/"):
            found.add(f"{prefix}.path.relative", f"{at}/path", f"path {path!r} is absolute")
    if target == "webhook":
        if "url" not in state:
            found.add(f"{prefix}.url.required-for-webhook", f"{at}/url", "url is missing")
        elif url is not None and not re.match(r"https://([^/?#]*@)?(?![^/?#]*@)[^/?#:@]", url, re.I):
            found.add(f"{prefix}.url.https", f"{at}/url", f"url {url!r} is not https")


def logging_requirements(found, document):
    prefix, at = "manifest.logging_requirements", "/logging_requirements"
    logging = member(found, document, "", "manifest", "logging_requirements", "mapping")
    if logging is None:
        return
    unknown(found, logging, at, "manifest.unknown-field.nested",
            lambda name: name in ("structured", "level"))
    member(found, logging, at, prefix, "structured", "boolean")
    level = member(found, logging, at, prefix, "level", "string", required=False)
    one_of(found, level, f"{at}/level", f"{prefix}.level.values", LEVELS)


def snapshot(found, document, declared):
    prefix, at = "manifest.snapshot", "/snapshot"
    if "snapshot" not in document:
        if declared and "snapshot_restore" in declared:
            found.add("manifest.snapshot.recommended", at,
                      "snapshot is recommended beside snapshot_restore", advice=True)
        return
    # Its types came after v0.1.0 and never reject in lenient mode.
    value = member(found, document, "", "manifest", "snapshot", "mapping", hard=False)
    if value is None:
        return
    unknown(found, value, at, "manifest.unknown-field.nested",
            lambda name: name in ("paths", "retention_days"))
    paths = member(found, value, at, prefix, "paths", "sequence", hard=False)
    if paths is not None:
        place = f"{at}/paths"
        good = strings(found, paths, place, f"{prefix}.paths", hard=False)
        distinct(found, paths, good, place, f"{prefix}.paths")
        for index, path in good:
            if path.startswith("/"):
                found.add(f"{prefix}.paths.not-absolute", f"{place}/{index}",
                          f"{path!r} is absolute")
            if ".." in path.split("/"):
                found.add(f"{prefix}.paths.no-parent", f"{place}/{index}", f"{path!r} has ..")
    days = member(found, value, at, prefix, "retention_days", "integer", False, False)
    if days is not None and days < 1:
        found.add(f"{prefix}.retention_days.minimum", f"{at}/retention_days", f"{days} is below 1")


def secrets(found, document, declared):
    prefix, at = "manifest.secrets", "/secrets"
    if "secrets" not in document:
        return
    values = member(found, document, "", "manifest", "secrets", "sequence", hard=False)
    if values is None:
        return
    good = strings(found, values, at, prefix, hard=False)
    distinct(found, values, good, at, prefix)
    for index, name in good:
        if not re.fullmatch(r"[A-Z][A-Z0-9_]{0,127}", name):
            found.add(f"{prefix}.pattern", f"{at}/{index}", f"{name!r} is not the name of a secret")
    if values and declared is not None and "read_secrets" not in declared:
        found.add(f"{prefix}.requires-read_secrets", at, "secrets need read_secrets")


# ---------------------------------------------------------------- match

LISTS = ("protocol_versions", "agent_capabilities", "isolation_profiles",
         "state_publication_targets")


def runtime_findings(runtime, found):
    """Validates a runtime capability document."""
    if not isinstance(runtime, dict):
        found.add("runtime.document.mapping", "", "the runtime document is not a mapping")
        return
    unknown(found, runtime, "", "runtime.unknown-field",
            lambda name: name == "runtime" or name in LISTS
            or (is_string(name) and name.startswith("x-")))
    member(found, runtime, "", "runtime", "runtime", "string")
    for name in LISTS:
        values = member(found, runtime, "", "runtime", name, "sequence")
        if values is None:
            continue
        at = f"/{name}"
        good = strings(found, values, at, f"runtime.{name}")
        if not values and name != "agent_capabilities":
            found.add(f"runtime.{name}.min-items", at, f"{name} has no entry")
        if name == "protocol_versions":
            for index, text in good:
                if not re.fullmatch(r"v[0-9]+\.[0-9]+", text):
                    found.add(f"runtime.{name}.pattern", f"{at}/{index}",
                              f"{text!r} is not v, major and minor")


def match_findings(runtime, manifest):
    """Says why a runtime does not support a manifest."""
    found = Findings(True, LATEST)
    runtime_findings(runtime, found)
    if found.rejects:
        return found
    if not isinstance(manifest, dict):
        found.add("manifest.document.mapping", "", "the manifest is not a mapping")
        return found

    version = manifest.get("protocol_version")
    wanted = re.match(r"v([0-9]+)\.([0-9]+)", version) if is_string(version) else None
    entries = [re.fullmatch(r"v([0-9]+)\.([0-9]+)", text) for text in runtime["protocol_versions"]]
    if not wanted or not any(
        number(entry[1]) == number(wanted[1]) and number(entry[2]) >= number(wanted[2])
        for entry in entries
    ):
        found.add("match.protocol-version", "/protocol_version",
                  f"protocol version {version!r} is not supported")
    declared = manifest.get("agent_capabilities")
    if not isinstance(declared, list) or not all(
        is_string(value) and value in runtime["agent_capabilities"] for value in declared
    ):
        found.add("match.agent-capabilities", "/agent_capabilities",
                  "not all capabilities are supported")
    profile = manifest.get("isolation_profile")
    if not is_string(profile) or profile not in runtime["isolation_profiles"]:
        found.add("match.isolation-profile", "/isolation_profile",
                  f"isolation profile {profile!r} is not supported")
    state = manifest.get("state_publication")
    target = state.get("target") if isinstance(state, dict) else None
    if not is_string(target) or target not in runtime["state_publication_targets"]:
        found.add("match.state-publication-target", "/state_publication/target",
                  f"publication target {target!r} is not supported")
    return found


def number(digits):
    """Compares as the number does, however long; int() has a limit."""
    digits = digits.lstrip("0")
    return len(digits), digits


# ---------------------------------------------------------------- ways to ask

def decide(operation, documents, minor=LATEST):
    """The findings for documents given as bytes, by name."""
    try:
        if operation in ("lenient", "strict"):
            manifest = load_as("manifest", documents)
            return manifest_findings(manifest, operation == "strict", minor)
        return match_findings(load_as("runtime", documents), load_as("manifest", documents))
    except Unreadable as error:
        found = Findings(True, minor)
        kind, message = error.args
        found.add(f"{kind}.document.parse", "", f"not well-formed YAML: {message}")
        return found


def load_as(name, documents):
    data = documents[name]
    if name == "runtime":
        try:
            # JSON has escapes that YAML loaders do not take.
            return json.loads(data)
        except (ValueError, RecursionError):
            pass
    try:
        return load(data)
    except Unreadable as error:
        raise Unreadable(name, str(error)) from None


def read(path):
    with open(path, "rb") as file:
        return file.read()


def answer(case):
    documents = {
        name: document["text"].encode() if "text" in document else read(document["path"])
        for name, document in case["documents"].items()
    }
    operation = case["operation"]
    if operation not in ("lenient", "strict", "match"):
        return {"type": "reply", "id": case["id"], "unsupported": f"there is no {operation}"}
    found = decide(operation, documents, int(case["protocol"].split(".")[1]))
    verdict = "reject" if found.rejects else "accept"
    return {"type": "reply", "id": case["id"], "verdict": verdict, "findings": found.list}


def session():
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            reply = {"type": "hello", "session": 1, "name": NAME, "version": VERSION,
                     "language": "Python", "operations": ["lenient", "strict", "match"]}
        elif message["type"] == "case":
            reply = answer(message)
        else:
            break
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
    return 0


def main(arguments):
    command, *rest = arguments or ["help"]
    if command == "session" and not rest:
        return session()
    if command == "--version":
        print(NAME, VERSION)
        return 0
    if command == "validate" and rest:
        operation = "strict" if rest[0] == "--strict" else "lenient"
        documents = {"manifest": read(rest[-1])}
    elif command == "match" and len(rest) == 2:
        operation, documents = "match", {"runtime": read(rest[0]), "manifest": read(rest[1])}
    else:
        print(__doc__, file=sys.stderr)
        return 2
    found = decide(operation, documents)
    for finding in found.list:
        print(json.dumps(finding))
    return 1 if found.rejects else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
