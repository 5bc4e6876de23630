#!/usr/bin/env node
'use strict';
// ajv over a YAML document: `ajv.cjs SCHEMA DOCUMENT`. Exits 0 when it fits, 1 when it
// does not or does not parse, and prints a line `PLACE KEYWORD: MESSAGE` for each error.

const fs = require('node:fs');
const Ajv = require('ajv/dist/2020').default;
const yaml = require('js-yaml');

const key = (name) => name.replaceAll('~', '~0').replaceAll('/', '~1');

function place({ instancePath, params }) {
  const name = params.missingProperty ?? params.additionalProperty;
  return name === undefined ? instancePath : `${instancePath}/${key(name)}`;
}

function main([schema, path]) {
  if (schema === '--version') {
    console.log('ajv', require('ajv/package.json').version);
    return 0;
  }
  if (path === undefined) {
    console.error('usage: ajv.cjs SCHEMA DOCUMENT');
    return 2;
  }
  const validate = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(
    JSON.parse(fs.readFileSync(schema, 'utf8')),
  );
  let document;
  try {
    // What is not UTF-8 is no text; reading it as such would put something in its place.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(path));
    const documents = yaml.loadAll(text);
    if (documents.length > 1) throw new Error('there is more than one document');
    document = documents[0] ?? null;
  } catch (error) {
    console.log(`"" parse: ${String(error.message).split('\n')[0]}`);
    return 1;
  }
  if (validate(document)) return 0;
  for (const error of validate.errors) {
    const { keyword, message, data } = error;
    const shown = typeof data === 'string' ? ` value ${JSON.stringify(data)}` : '';
    // White space in a key would look like the end of the place.
    console.log(`${JSON.stringify(place(error))} ${keyword}: ${message}${shown}`);
  }
  return 1;
}

process.exitCode = main(process.argv.slice(2));
