#!/usr/bin/env node
'use strict';
// A validator and matcher of the Living Repositories Protocol: js-yaml 5 and checks
// written by hand.
//
//     adapter.cjs validate [--strict] MANIFEST
//     adapter.cjs match RUNTIME MANIFEST
//     adapter.cjs session
//
// The first two follow the implementation contract, with one JSON finding a line;
// the third answers cases over lines of JSON. js-yaml is looked for where Node looks,
// which NODE_PATH adds to.

const fs = require('node:fs');
const readline = require('node:readline');
const yaml = require('js-yaml');

const NAME = 'node-adapter';
const VERSION = '1.0.0';
// The minor version of the protocol that is meant when nothing else is said.
const LATEST = 4;

const FIELDS = {
  protocol_version: 1, project_id: 1, agent_capabilities: 1, isolation_profile: 1,
  state_publication: 1, logging_requirements: 1, snapshot: 3, secrets: 4,
};
const CAPABILITIES = {
  run_tasks: 1, publish_state: 1, open_pull_requests: 1, snapshot_restore: 1, handoff: 1,
  read_secrets: 4,
};
const PROFILES = ['dedicated-vm', 'container', 'sandbox-process'];
const TARGETS = ['control-process', 'file', 'webhook'];
const LEVELS = ['debug', 'info', 'warn', 'error'];
const LISTS = [
  'protocol_versions', 'agent_capabilities', 'isolation_profiles', 'state_publication_targets',
];

// ------------------------------------------------------------------ documents

class Unreadable extends Error {}

/** A value of a tag that the protocol does not have. */
class Foreign {}

const foreign = ['!', 'tag:'].flatMap((prefix) => [
  yaml.defineScalarTag(prefix, {
    matchByTagPrefix: true, resolve: () => new Foreign(), identify: () => false,
  }),
  yaml.defineSequenceTag(prefix, {
    matchByTagPrefix: true, create: () => new Foreign(), addItem: () => '', identify: () => false,
  }),
  yaml.defineMappingTag(prefix, {
    matchByTagPrefix: true, create: () => new Foreign(), addPair: () => '', has: () => false,
    keys: () => [], get: () => undefined, identify: () => false,
  }),
]);
// Mappings become Maps: keys need not be strings.
const SCHEMA = yaml.CORE_SCHEMA.withTags(yaml.realMapTag, ...foreign);

function load(bytes) {
  let encoding = 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) encoding = 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) encoding = 'utf-16be';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    const documents = yaml.loadAll(text, { schema: SCHEMA });
    if (documents.length > 1) throw new Unreadable('there is more than one document');
    return documents[0];
  } catch (error) {
    throw new Unreadable(String(error.message).split('\n')[0]);
  }
}

// ------------------------------------------------------------------- findings

class Findings {
  constructor(strict) {
    this.strict = strict;
    this.list = [];
    this.rejects = false;
  }

  /** `hard` findings reject in lenient mode as well, advice never does. */
  add(rule, at, message, { hard = false, advice = false } = {}) {
    const rejects = !advice && (hard || this.strict);
    this.rejects ||= rejects;
    this.list.push({ rule, at, severity: rejects ? 'error' : 'warning', message });
  }
}

const HARD = { hard: true };
const key = (name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1');
const quote = (value) => JSON.stringify(value);
const isString = (value) => typeof value === 'string';
const isMapping = (value) => value instanceof Map;
const since = (table, name) => (Object.hasOwn(table, name) ? table[name] : Infinity);

const KINDS = {
  string: isString,
  sequence: Array.isArray,
  mapping: isMapping,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
};

/** The value of a field of the right kind, or undefined after a finding. */
function member(found, parent, place, prefix, name, kind, { required = true, hard = true } = {}) {
  const at = `${place}/${name}`;
  if (!parent.has(name)) {
    if (required) found.add(`${prefix}.${name}.required`, at, `${name} is missing`, { hard });
    return undefined;
  }
  const value = parent.get(name);
  if (KINDS[kind](value)) return value;
  found.add(`${prefix}.${name}.type`, at, `${name} is not a ${kind}`, { hard });
  return undefined;
}

/** The entries that are strings, each with its index. */
function strings(found, values, at, prefix, { hard = true } = {}) {
  const good = [];
  values.forEach((value, index) => {
    if (isString(value)) good.push([index, value]);
    else found.add(`${prefix}.item-type`, `${at}/${index}`, 'an entry is not a string', { hard });
  });
  return good;
}

function distinct(found, values, good, at, prefix) {
  if (values.length === 0) found.add(`${prefix}.min-items`, at, 'there is no entry');
  if (new Set(good.map(([, text]) => text)).size < good.length) {
    found.add(`${prefix}.unique`, at, 'an entry occurs twice (duplicate)');
  }
}

function unknown(found, mapping, at, rule, known, options) {
  for (const name of mapping.keys()) {
    if (!known(name)) found.add(rule, `${at}/${key(name)}`, `${name} is not a field`, options);
  }
}

function oneOf(found, value, at, rule, allowed) {
  if (value !== undefined && !allowed.includes(value)) {
    found.add(rule, at, `${quote(value)} is not one of ${allowed.join(', ')}`);
  }
}

const isExtension = (name) => isString(name) && name.startsWith('x-');

// ------------------------------------------------------------------- manifest

/** Validates a manifest for protocol version v0.MINOR. */
function manifestFindings(document, strict, minor = LATEST) {
  const found = new Findings(strict);
  if (!isMapping(document)) {
    found.add('manifest.document.mapping', '', 'the document is not a mapping', HARD);
    return found;
  }
  unknown(found, document, '', 'manifest.unknown-field.top-level',
    (name) => since(FIELDS, name) <= minor || isExtension(name));
  const field = (name, kind) => member(found, document, '', 'manifest', name, kind);
  const version = field('protocol_version', 'string');
  if (version !== undefined && !/^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    found.add('manifest.protocol_version.pattern', '/protocol_version',
      `${quote(version)} is not v and a version`);
  }
  projectId(found, field('project_id', 'string'));
  const declared = capabilities(found, document, minor);
  oneOf(found, field('isolation_profile', 'string'), '/isolation_profile',
    'manifest.isolation_profile.values', PROFILES);
  statePublication(found, field('state_publication', 'mapping'));
  loggingRequirements(found, field('logging_requirements', 'mapping'));
  if (minor >= FIELDS.snapshot) snapshot(found, document, declared);
  if (minor >= FIELDS.secrets) secrets(found, document, declared);
  return found;
}

function projectId(found, value) {
  if (value === undefined) return;
  const at = '/project_id';
  if (/[^a-z0-9-]/u.test(value)) {
    found.add('manifest.project_id.charset', at, `${quote(value)} has other than a-z, 0-9 and -`);
  }
  if (!/^[\p{L}\p{N}]/u.test(value)) {
    found.add('manifest.project_id.first-character', at,
      `${quote(value)} does not start with a letter or digit`);
  }
  if ([...value].length > 63) {
    found.add('manifest.project_id.max-length', at, `${quote(value)} is longer than 63`);
  }
}

/** The capabilities declared; undefined when that cannot be told. */
function capabilities(found, document, minor) {
  const prefix = 'manifest.agent_capabilities';
  const at = '/agent_capabilities';
  const values = member(found, document, '', 'manifest', 'agent_capabilities', 'sequence');
  if (values === undefined) return document.has('agent_capabilities') ? undefined : [];
  const good = strings(found, values, at, prefix);
  distinct(found, values, good, at, prefix);
  for (const [index, value] of good) {
    if (since(CAPABILITIES, value) > minor) {
      found.add(`${prefix}.values`, `${at}/${index}`, `${quote(value)} is not a capability`);
    }
  }
  return good.map(([, value]) => value);
}

function statePublication(found, state) {
  if (state === undefined) return;
  const prefix = 'manifest.state_publication';
  const at = '/state_publication';
  unknown(found, state, at, 'manifest.unknown-field.nested',
    (name) => ['target', 'path', 'url'].includes(name));
  const target = member(found, state, at, prefix, 'target', 'string');
  oneOf(found, target, `${at}/target`, `${prefix}.target.values`, TARGETS);
  const path = member(found, state, at, prefix, 'path', 'string', { required: false });
  const url = member(found, state, at, prefix, 'url', 'string', { required: false });
  if (target === 'file') {
    if (!state.has('path')) {
      found.add(`${prefix}.path.required-for-file`, `${at}/path`, 'path is missing');
    } else if (path?.startsWith('/')) {
      found.add(`${prefix}.path.relative`, `${at}/path`, `path ${quote(path)} is absolute`);
    }
  }
  if (target === 'webhook') {
    if (!state.has('url')) {
      found.add(`${prefix}.url.required-for-webhook`, `${at}/url`, 'url is missing');
    } else if (url !== undefined && !/^https:\/\/([^/?#]*@)?(?![^/?#]*@)[^/?#:@]/i.test(url)) {
      found.add(`${prefix}.url.https`, `${at}/url`, `url ${quote(url)} is not https`);
    }
  }
}

function loggingRequirements(found, logging) {
  if (logging === undefined) return;
  const prefix = 'manifest.logging_requirements';
  const at = '/logging_requirements';
  unknown(found, logging, at, 'manifest.unknown-field.nested',
    (name) => ['structured', 'level'].includes(name));
  member(found, logging, at, prefix, 'structured', 'boolean');
  const level = member(found, logging, at, prefix, 'level', 'string', { required: false });
  oneOf(found, level, `${at}/level`, `${prefix}.level.values`, LEVELS);
}

// The types of what came after v0.1.0 never reject in lenient mode.
const SOFT = { hard: false };

function snapshot(found, document, declared) {
  const prefix = 'manifest.snapshot';
  const at = '/snapshot';
  if (!document.has('snapshot')) {
    if (declared?.includes('snapshot_restore')) {
      found.add('manifest.snapshot.recommended', at,
        'snapshot is recommended beside snapshot_restore', { advice: true });
    }
    return;
  }
  const value = member(found, document, '', 'manifest', 'snapshot', 'mapping', SOFT);
  if (value === undefined) return;
  unknown(found, value, at, 'manifest.unknown-field.nested',
    (name) => ['paths', 'retention_days'].includes(name));
  const paths = member(found, value, at, prefix, 'paths', 'sequence', SOFT);
  if (paths !== undefined) {
    const place = `${at}/paths`;
    const good = strings(found, paths, place, `${prefix}.paths`, SOFT);
    distinct(found, paths, good, place, `${prefix}.paths`);
    for (const [index, path] of good) {
      if (path.startsWith('/')) {
        found.add(`${prefix}.paths.not-absolute`, `${place}/${index}`,
          `${quote(path)} is absolute`);
      }
      if (path.split('/').includes('..')) {
        found.add(`${prefix}.paths.no-parent`, `${place}/${index}`, `${quote(path)} has ..`);
      }
    }
  }
  const options = { hard: false, required: false };
  const days = member(found, value, at, prefix, 'retention_days', 'integer', options);
  if (days < 1) {
    found.add(`${prefix}.retention_days.minimum`, `${at}/retention_days`, `${days} is below 1`);
  }
}

function secrets(found, document, declared) {
  const prefix = 'manifest.secrets';
  const at = '/secrets';
  if (!document.has('secrets')) return;
  const values = member(found, document, '', 'manifest', 'secrets', 'sequence', SOFT);
  if (values === undefined) return;
  const good = strings(found, values, at, prefix, SOFT);
  distinct(found, values, good, at, prefix);
  for (const [index, name] of good) {
    if (!/^[A-Z][A-Z0-9_]{0,127}$/.test(name)) {
      found.add(`${prefix}.pattern`, `${at}/${index}`, `${quote(name)} is not a secret's name`);
    }
  }
  if (values.length > 0 && declared !== undefined && !declared.includes('read_secrets')) {
    found.add(`${prefix}.requires-read_secrets`, at, 'secrets need read_secrets');
  }
}

// ---------------------------------------------------------------------- match

function runtimeFindings(runtime, found) {
  if (!isMapping(runtime)) {
    found.add('runtime.document.mapping', '', 'the runtime document is not a mapping');
    return;
  }
  unknown(found, runtime, '', 'runtime.unknown-field',
    (name) => name === 'runtime' || LISTS.includes(name) || isExtension(name));
  member(found, runtime, '', 'runtime', 'runtime', 'string');
  for (const name of LISTS) {
    const values = member(found, runtime, '', 'runtime', name, 'sequence');
    if (values === undefined) continue;
    const at = `/${name}`;
    const good = strings(found, values, at, `runtime.${name}`);
    if (values.length === 0 && name !== 'agent_capabilities') {
      found.add(`runtime.${name}.min-items`, at, `${name} has no entry`);
    }
    if (name !== 'protocol_versions') continue;
    for (const [index, text] of good) {
      if (!/^v[0-9]+\.[0-9]+$/.test(text)) {
        found.add(`runtime.${name}.pattern`, `${at}/${index}`,
          `${quote(text)} is not v, major and minor`);
      }
    }
  }
}

/** Says why a runtime does not support a manifest. */
function matchFindings(runtime, manifest) {
  const found = new Findings(true);
  runtimeFindings(runtime, found);
  if (found.rejects) return found;
  if (!isMapping(manifest)) {
    found.add('manifest.document.mapping', '', 'the manifest is not a mapping');
    return found;
  }
  const parts = (text, pattern) => pattern.exec(text)?.slice(1).map(BigInt);
  const version = manifest.get('protocol_version');
  const wanted = isString(version) ? parts(version, /^v([0-9]+)\.([0-9]+)/) : undefined;
  const supported = runtime.get('protocol_versions').some((entry) => {
    const [major, minor] = parts(entry, /^v([0-9]+)\.([0-9]+)$/);
    return wanted !== undefined && major === wanted[0] && minor >= wanted[1];
  });
  if (!supported) {
    found.add('match.protocol-version', '/protocol_version',
      `protocol version ${quote(version)} is not supported`);
  }
  const declared = manifest.get('agent_capabilities');
  const has = (list, value) => isString(value) && runtime.get(list).includes(value);
  if (!Array.isArray(declared) || !declared.every((value) => has('agent_capabilities', value))) {
    found.add('match.agent-capabilities', '/agent_capabilities',
      'not all capabilities are supported');
  }
  const profile = manifest.get('isolation_profile');
  if (!has('isolation_profiles', profile)) {
    found.add('match.isolation-profile', '/isolation_profile',
      `isolation profile ${quote(profile)} is not supported`);
  }
  const state = manifest.get('state_publication');
  const target = isMapping(state) ? state.get('target') : undefined;
  if (!has('state_publication_targets', target)) {
    found.add('match.state-publication-target', '/state_publication/target',
      `publication target ${quote(target)} is not supported`);
  }
  return found;
}

// ---------------------------------------------------------------- ways to ask

/** The findings for documents given as bytes, by name. */
function decide(operation, documents, minor = LATEST) {
  const loaded = {};
  for (const [name, bytes] of Object.entries(documents)) {
    try {
      loaded[name] = load(bytes);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const found = new Findings(true);
      found.add(`${name}.document.parse`, '', `not well-formed YAML: ${error.message}`);
      return found;
    }
  }
  return operation === 'match'
    ? matchFindings(loaded.runtime, loaded.manifest)
    : manifestFindings(loaded.manifest, operation === 'strict', minor);
}

function answer({ id, operation, protocol, documents }) {
  if (!['lenient', 'strict', 'match'].includes(operation)) {
    return { type: 'reply', id, unsupported: `there is no ${operation}` };
  }
  const bytes = Object.fromEntries(Object.entries(documents).map(([name, { text, path }]) => [
    name, text === undefined ? fs.readFileSync(path) : Buffer.from(text),
  ]));
  const found = decide(operation, bytes, Number(protocol.split('.')[1]));
  const verdict = found.rejects ? 'reject' : 'accept';
  return { type: 'reply', id, verdict, findings: found.list };
}

function session() {
  const lines = readline.createInterface({ input: process.stdin, terminal: false });
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  lines.on('line', (line) => {
    const message = JSON.parse(line);
    if (message.type === 'hello') {
      send({
        type: 'hello', session: 1, name: NAME, version: VERSION, language: 'JavaScript',
        operations: ['lenient', 'strict', 'match'],
      });
    } else if (message.type === 'case') {
      send(answer(message));
    } else {
      lines.close();
    }
  });
}

function main([command, ...rest]) {
  const read = (path) => fs.readFileSync(path);
  let found;
  if (command === 'session') {
    return session();
  } else if (command === '--version') {
    return console.log(NAME, VERSION);
  } else if (command === 'validate' && rest.length > 0) {
    const operation = rest[0] === '--strict' ? 'strict' : 'lenient';
    found = decide(operation, { manifest: read(rest.at(-1)) });
  } else if (command === 'match' && rest.length === 2) {
    found = decide('match', { runtime: read(rest[0]), manifest: read(rest[1]) });
  } else {
    console.error('usage: adapter.cjs validate [--strict] MANIFEST | match RUNTIME MANIFEST | session');
    process.exitCode = 2;
    return undefined;
  }
  for (const finding of found.list) console.log(JSON.stringify(finding));
  process.exitCode = found.rejects ? 1 : 0;
  return undefined;
}

main(process.argv.slice(2));
