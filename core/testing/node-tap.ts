import loose from 'node:assert';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Note, Tap, Thrown } from './tap.js';

/** Adapts a test of Node's own runner to `Tap`: `test('my store', (t) => storeContract(nodeTap(t), open))`. */
export function nodeTap(t: TestContext): Tap {
  const check = (holds: boolean, what: string, [note]: Note): boolean => {
    assert.ok(holds, note === undefined ? what : `${note}: ${what}`);
    return true;
  };
  const passes = (assertion: () => void): boolean => {
    try {
      assertion();
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) return false;
      throw error;
    }
  };
  const isSame = (found: unknown, wanted: unknown): boolean => passes(() => loose.deepEqual(found, wanted));
  const thrown = (error: unknown, [wanted]: [] | [Thrown] | [Thrown, string]): void => {
    if (wanted === undefined) return;
    const holds = wanted instanceof RegExp ? wanted.test(messageOf(error)) : matches(error, wanted);
    check(holds, `${messageOf(error)} is not the error ${shown(wanted)}`, []);
  };

  return {
    test: (name, run) => t.test(name, async (t) => void (await run(nodeTap(t)))),
    teardown: (run) => t.after(async () => void (await run())),
    comment: (text) => t.diagnostic(text),
    ok: (found, ...note) => check(Boolean(found), `${shown(found)} is not true`, note),
    notOk: (found, ...note) => check(!found, `${shown(found)} is not false`, note),
    equal: (found, wanted, ...note) => check(Object.is(found, wanted), `${shown(found)} is not ${shown(wanted)}`, note),
    not: (found, unwanted, ...note) => check(!Object.is(found, unwanted), `it is ${shown(unwanted)}`, note),
    same: (found, wanted, ...note) => check(isSame(found, wanted), `${shown(found)} is not the same as ${shown(wanted)}`, note),
    notSame: (found, unwanted, ...note) => check(!isSame(found, unwanted), `it is the same as ${shown(unwanted)}`, note),
    strictSame(found, wanted, ...[note]) {
      assert.deepEqual(found, wanted, note);
      return true;
    },
    match: (found, pattern, ...note) => check(matches(found, pattern), `${shown(found)} does not match ${shown(pattern)}`, note),
    notMatch: (found, pattern, ...note) => check(!matches(found, pattern), `${shown(found)} matches ${shown(pattern)}`, note),
    pass: () => true,
    fail: (...note) => check(false, 'failed', note),
    throws(run, ...wanted) {
      try {
        run();
      } catch (error) {
        thrown(error, wanted);
        return true;
      }
      return check(false, 'nothing was thrown', []);
    },
    async rejects(work, ...wanted) {
      const outcome = await (typeof work === 'function' ? work() : work).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      check(outcome !== undefined, 'it was not rejected', []);
      thrown(outcome?.error, wanted);
    },
  };
}

/** At least the fields of the pattern. Text matches if it contains the pattern, or if the regular expression finds it. */
function matches(found: unknown, pattern: unknown): boolean {
  if (pattern instanceof RegExp) return found instanceof RegExp ? String(found) === String(pattern) : pattern.test(String(found));
  if (typeof pattern === 'function') return isKind(found, pattern as Kind);
  if (typeof pattern === 'string') return typeof found === 'string' && found.includes(pattern);
  if (typeof pattern !== 'object' || pattern === null) return Object.is(found, pattern);
  if (typeof found !== 'object' || found === null) return false;
  if (pattern instanceof Date) return found instanceof Date && found.getTime() === pattern.getTime();
  return Object.entries(pattern).every(([name, part]) => matches((found as Record<string, unknown>)[name], part));
}

type Kind = abstract new (...args: never[]) => unknown;

function isKind(found: unknown, kind: Kind): boolean {
  const primitives: readonly unknown[] = [String, Number, Boolean];
  return primitives.includes(kind)
    ? typeof found === kind.name.toLowerCase()
    : found === kind || (Object(found) === found && found instanceof kind);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function shown(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, part) => (part instanceof RegExp || typeof part === 'function' ? String(part) : part)) ?? String(value)
    );
  } catch {
    // Not serializable as JSON, for example a cycle.
    return String(value);
  }
}
