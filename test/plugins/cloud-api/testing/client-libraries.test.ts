import t from 'tap';
import { callsOf, clientLibraries, recordedResults } from '../../../../scripts/cloud-clients.js';
import { onlyLong } from '../../../forms.js';

/** The page of the stand-in shows the recorded results; a test of generated parts compares the two. */

const recorded = recordedResults();

t.test('every library has a recorded run, in which every call succeeded, or a reason why it did not run', async (t) => {
  t.strictSame(
    Object.keys(recorded),
    clientLibraries.map(({ name }) => name),
  );
  const ran = Object.entries(recorded).filter(([, results]) => typeof results === 'object');
  t.ok(ran.length >= 5, `${ran.length} libraries`);
  for (const [name, results] of ran) {
    const failed = Object.entries(results).filter(([, result]) => result !== true);
    t.strictSame(failed, [], name);
    t.ok(Object.keys(results).length >= 20, `${name}: ${Object.keys(results).length} calls`);
  }
});

/** The function that runs the driver of a library, or why the test is skipped. */
function driven({ install }: (typeof clientLibraries)[number]) {
  if (onlyLong !== false) return { skip: onlyLong };
  try {
    return { drive: install(), skip: false as const };
  } catch (error) {
    return { skip: (error as Error).message };
  }
}

for (const library of clientLibraries) {
  const { drive, skip } = driven(library);
  t.test(`${library.name} makes the calls of its README against the stand-in`, { skip }, async (t) => {
    t.strictSame(await callsOf(drive!), recorded[library.name], 'as recorded; node scripts/run.mjs cloud-clients --record');
  });
}
