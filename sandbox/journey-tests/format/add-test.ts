import { isMap, isSeq, parseDocument } from 'yaml';
import { InvalidRequest } from '#core';
import type { DocumentTest } from './document.js';

/** Adds a test to the text of a test file, whose comments stay; it replaces a test of the same name. @throws InvalidRequest */
export function addTest(file: string, test: DocumentTest): string {
  const yaml = parseDocument(file);
  const tests = yaml.get('tests');
  if (yaml.errors.length > 0 || !isMap(yaml.contents) || !isSeq(tests)) {
    const message = yaml.errors[0]?.message ?? 'the file has no list of tests';
    throw new InvalidRequest([{ path: ['add_to'], rule: 'test_file', message }], `add_to cannot be read: ${message}`);
  }
  tests.items = tests.items.filter((one) => !isMap(one) || one.get('name') !== test.name);
  tests.flow = false;
  const { name, journey, revision, steps, ...settings } = test;
  tests.add(yaml.createNode({ name, journey, revision, ...settings, steps }, { aliasDuplicateObjects: false }));
  return yaml.toString({ lineWidth: 0, blockQuote: 'literal' });
}
