import t from 'tap';
import { runCommand } from './journey-tests/runs.js';

t.test('the tests of the demo journey pass, take nearly every exit, and their snapshots are current', async (t) => {
  const { code, out, err } = await runCommand('sandbox/demo', '--ci', '--coverage=90');
  t.equal(code, 0, `${out}\n${err}`);
  t.match(out, /library\.md +17\/17 +47\/47 /);
});
