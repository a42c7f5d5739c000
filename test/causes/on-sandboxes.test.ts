import t from 'tap';
import { onSandbox, real_clock, startBox } from './on-sandboxes.js';

t.test('the plugins of a sandbox name the cause of each refusal', async (t) => {
  const sandbox = await startBox(t);
  for (const [cause, provoke] of Object.entries(onSandbox)) {
    const { status, cause: named, text } = await provoke(sandbox);
    t.equal(named, cause, `${cause}: ${status} ${text.slice(0, 300)}`);
  }
  t.equal(await real_clock(t), 'real_clock');
});
