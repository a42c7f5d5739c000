import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { type Commit, decodedText } from '../../../../core/adapters/store/commit.js';
import { cutCommit } from '../../../../core/adapters/store/files/cut-commit.js';
import { addCommit, decodeCommit } from '../../../../core/adapters/store/files/journal-file.js';
import { SealedLines, unseal } from '../../../../core/adapters/store/files/sealed.js';
import { codePoint } from '../../../../scripts/fuzz/code-point.js';
import { runs } from '../../../forms.js';

/** The content of a journal line, between its checksum and its end. */
function written(commit: Commit): Buffer {
  const lines = new SealedLines();
  addCommit(lines, commit);
  return Buffer.from(unseal(lines.bytes.subarray(0, -1))!);
}

function cut(content: Buffer): Commit | undefined {
  const commit = cutCommit(content);
  return (
    commit && {
      tx: commit.tx,
      changes: commit.changes.map((change) => ({
        collection: change.collection,
        key: change.key,
        json: change.kind === 'document' ? decodedText(change) : undefined,
        ...(change.kind === 'patch' && { patch: decodedText(change) }),
      })),
    }
  );
}

const document = fc
  .dictionary(fc.string({ unit: codePoint }), fc.jsonValue({ stringUnit: codePoint }))
  .map((value) => JSON.stringify(value));
const change = fc.record({
  collection: fc.constantFrom('core.messages', 'flows.drafts'),
  key: fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ minLength: 1, unit: codePoint }),
    fc.constantFrom('"', '\\', '\\"],[', 'a\\', ']', 'ü'),
  ),
  json: fc.option(document, { nil: undefined }),
});
const patchOf = fc.tuple(change, document).map(([{ collection, key }, patch]) => ({ collection, key, json: undefined, patch }));
const commit = fc.record({
  tx: fc.integer({ min: 1, max: 2 ** 52 }),
  changes: fc.array(fc.oneof(change, patchOf), { minLength: 1, maxLength: 5 }),
});

t.test('cutting a line returns what was written, whatever its content', async () => {
  const plain = (one: Commit) => ({ ...one, changes: one.changes.map((change) => ({ ...change })) });
  fc.assert(
    fc.property(commit, (one) => isDeepStrictEqual(cut(written(one)), plain(one))),
    { numRuns: runs(300) },
  );
});

t.test('an incomplete line is not cut', async (t) => {
  const whole = written({
    tx: 12,
    changes: [
      { collection: 'core.messages', key: 'a"b', json: '{"text":"}]","list":[1,{"a":"\\\\"}]}' },
      { collection: 'core.messages', key: 'c', json: undefined },
    ],
  });
  t.ok(cut(whole));
  for (let end = 0; end < whole.length; end++) t.equal(cut(whole.subarray(0, end)), undefined, `its first ${end} bytes`);
  for (const more of [' ', '}', ',']) t.equal(cut(Buffer.concat([whole, Buffer.from(more)])), undefined, `and ${more}`);
});

t.test('a line in another format is left to the JSON parser', async (t) => {
  const others = [
    '{"tx": 1,"changes":[["a.b","k",{}]]}',
    '{"tx":1,"changes": [["a.b","k",{}]]}',
    '{"tx":1,"changes":[["a.b", "k",{}]]}',
    '{"tx":1,"changes":[["a.b","k", {}]]}',
    '{"tx":1,"changes":[["a.b","k",{} ]]}',
    '{"tx":1,"changes":[["a.b","k",{}], ["a.b","l",{}]]}',
    '{"changes":[["a.b","k",{}]],"tx":1}',
    '{"tx":1,"changes":[]}',
  ];
  for (const other of others) {
    t.equal(cut(Buffer.from(other)), undefined, other);
    t.equal(decodeCommit(Buffer.from(other)).tx, 1);
  }
});
