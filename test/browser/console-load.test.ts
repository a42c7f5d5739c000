import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { watchTasks } from '../../scripts/bench/measuring/console-tasks.js';
import { eventLoad } from '../../scripts/bench/measuring/event-load.js';
import { onlyLong } from '../forms.js';
import { close, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

const RATE = 1_000;
const SECONDS = 3;
/** Rows of a list in the page, whatever its length. */
const MAX_ROWS = 100;
/** The goal is 200 ms; in a test, other tests use the processors at the same time. */
const MAX_TASK_MS = patient(400);
/** Calls per second of all queries of a page together. */
const MAX_CALLS_PER_SECOND = 10;

for (const path of ['events', 'calls', 'advice', 'why']) {
  t.test(
    `the page ${path} stays responsive at ${RATE} events a second`,
    { skip: (path === 'events' ? false : onlyLong) || skip },
    async (t) => {
      const { open, admin } = await startConsole(t, { plugins: [eventLoad()] });
      const { page, failures } = await open(t, path, { width: 1280 });
      await page.locator('.pill.ok').waitFor();
      const watch = await watchTasks(page);
      const began = Date.now();
      await admin('POST', '/load', { total: RATE * SECONDS, rate: RATE });
      if (path === 'events')
        await page
          .locator('.count-of-events')
          .getByText(new RegExp(`^${(RATE * SECONDS).toLocaleString('en')}`))
          .waitFor();
      const seconds = (Date.now() - began) / 1_000;
      const { tasks, rows, requests } = await watch.stop();
      t.ok((tasks[0] ?? 0) <= MAX_TASK_MS, `the longest task takes ${Math.round(tasks[0] ?? 0)} ms`);
      t.ok(rows <= MAX_ROWS, `${rows} rows in the page`);
      t.ok(requests <= MAX_CALLS_PER_SECOND * seconds, `${requests} calls in ${seconds} s`);
      t.strictSame(failures, []);
    },
  );
}
