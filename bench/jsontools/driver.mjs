// Asks one npm package about pairs of JSON Schemas: one JSON line in, one out.
//
//	node driver.mjs PACKAGE FOLDER     FOLDER has node_modules
//
// An answer is true (compatible), false, or the text of an error.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [name, folder] = process.argv.slice(2);
const require = createRequire(path.join(folder, 'package.json'));
const without = ({ $schema, ...rest }) => rest;

const tools = {
  'json-schema-diff': () => {
    const { diffSchemas } = require('json-schema-diff');
    return async (writer, reader) => !(await diffSchemas({ sourceSchema: writer, destinationSchema: reader })).removalsFound;
  },
  'is-json-schema-subset': () => {
    const subset = require('is-json-schema-subset').default;
    return (writer, reader) => subset(writer, reader);
  },
  'json-schema-diff-validator': () => {
    const { validateSchemaCompatibility } = require('json-schema-diff-validator');
    return (writer, reader) => {
      try {
        validateSchemaCompatibility(writer, reader);
        return true;
      } catch (e) {
        if (e.name === 'AssertionError') return false;
        throw e;
      }
    };
  },
  jsoncompat: async () => {
    const at = path.join(folder, 'node_modules', 'jsoncompat');
    const lib = await import(pathToFileURL(path.join(at, 'jsoncompat_wasm.js')));
    await lib.default({ module_or_path: readFileSync(path.join(at, 'jsoncompat_wasm_bg.wasm')) });
    return (writer, reader) => lib.check_compat(JSON.stringify(without(writer)), JSON.stringify(without(reader)), 'deserializer');
  },
};

const log = console.log;
console.log = console.warn = console.error = () => {}; // the answers alone
const ask = await tools[name]();
log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const { old, new: next } = JSON.parse(line);
  const out = {};
  const start = process.hrtime.bigint();
  for (const [direction, writer, reader] of [['forward', next, old], ['backward', old, next]]) {
    try {
      out[direction] = await ask(structuredClone(writer), structuredClone(reader));
    } catch (e) {
      out[direction] = String(e?.message ?? e).slice(0, 200);
    }
  }
  out.ms = Number(process.hrtime.bigint() - start) / 1e6;
  log(JSON.stringify(out));
}
