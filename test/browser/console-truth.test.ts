import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { eventLoad } from '../../scripts/bench/measuring/event-load.js';
import { close, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { checkLook } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

/** More than the platform retains. */
const EVENTS = 6_000;

t.test('calls and messages are listed from what is recorded, also when other events have filled the stream', { skip }, async (t) => {
  const seed = { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/connector' }] };
  const { sandbox, admin, open } = await startConsole(t, { seed, plugins: [eventLoad()] });
  const { uuid, token } = sandbox.numbers[0]!;
  const post = (id: string, body: unknown) =>
    fetch(`${sandbox.api}/v1/numbers/${uuid}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        contact: { id: '+27820001001', profile: { name: 'Ann' } },
        message: { type: 'text', from: '+27820001001', id, timestamp: '1767600000', text: { body } },
      }),
    });
  await post('in-1', 'where is my order');
  await post('in-2', 5);
  await admin('POST', '/load', { total: EVENTS, rate: 100_000 });
  const { page, failures } = await open(t, 'calls', { width: 1280 });
  await page.getByText('2 calls').waitFor();
  await page.getByRole('option', { name: /400.*POST/ }).waitFor();
  await checkLook(t, page, 'calls');
  await post('in-3', 'and another one');
  await page.getByText('3 calls').waitFor();
  await page.getByLabel('Refused only').check();
  await page.getByText('1 call', { exact: true }).waitFor();

  await page.goto(`${sandbox.console!.url}why`);
  const recent = page.getByRole('region', { name: 'Recent messages' });
  await recent.getByRole('link', { name: /where is my order/ }).waitFor();
  await post('in-4', 'are you there');
  await recent.getByRole('link', { name: /are you there/ }).waitFor();
  t.equal(await recent.getByRole('link').count(), 3);
  await checkLook(t, page, 'why');
  t.strictSame(failures, []);
});
