import type { Tap } from '#core/testing';

/** Runs a suite that is expected to fail. @returns the titles of the tests that failed */
export async function brokenOn(suite: (t: Tap) => Promise<void>): Promise<string[]> {
  const broken: string[] = [];
  const teardowns: (() => unknown)[] = [];
  const tapOf = (failed: (why: string) => void): Tap => {
    const check = (holds: boolean, note: readonly unknown[]): boolean => {
      if (!holds) failed(String(note[0] ?? 'an assertion'));
      return holds;
    };
    const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
    return {
      async test(name, run) {
        let fails = false;
        try {
          await run(
            tapOf(() => {
              fails = true;
            }),
          );
        } catch {
          // A test that throws has failed, whatever it threw.
          fails = true;
        }
        if (fails) broken.push(name);
      },
      teardown: (run) => teardowns.push(run),
      comment: () => undefined,
      ok: (found, ...note) => check(Boolean(found), note),
      notOk: (found, ...note) => check(!found, note),
      equal: (found, wanted, ...note) => check(found === wanted, note),
      not: (found, wanted, ...note) => check(found !== wanted, note),
      same: (found, wanted, ...note) => check(same(found, wanted), note),
      notSame: (found, wanted, ...note) => check(!same(found, wanted), note),
      strictSame: (found, wanted, ...note) => check(same(found, wanted), note),
      match: () => true,
      notMatch: () => true,
      pass: () => true,
      fail: (...note) => check(false, note),
      throws: () => true,
      async rejects(work) {
        await (typeof work === 'function' ? work() : work).then(
          () => check(false, ['it was not rejected']),
          () => undefined,
        );
      },
    };
  };
  await suite(tapOf((why) => broken.push(why)));
  for (const run of teardowns.reverse()) await run();
  return broken;
}
