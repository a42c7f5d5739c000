import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { loadedBytes, startConsole } from './console.js';
import { checkLook, opened, startReceiver, startWithNumber, until } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

t.test('my retry is 91 seconds away and I move the clock; two failures, and the third attempt succeeds', { skip }, async (t) => {
  const receiver = await startReceiver(t, () => ({ status: 500 }));
  const box = await startWithNumber(t, receiver.url);
  await box.admin('POST', '/clock', { paused: true });
  await box.write('hello');
  await box.delivery(1);
  const { page, failures } = await opened(box, t, 'settings');
  const timers = page.getByRole('table', { name: 'Next timers' });
  await timers.getByText(/^retry 1 of delivery .* to .*/).waitFor();
  t.match(await timers.getByRole('row').nth(1).textContent(), /^1[5-9] s/);
  await page.getByLabel('Seconds to advance').fill('44');
  // The first three attempts fail: at 0, 17 and 36 seconds.
  await page.getByRole('button', { name: 'Advance', exact: true }).click();
  await page.getByText('became due:').waitFor();
  t.equal(receiver.received.length, 3);
  t.match(await timers.getByRole('row').nth(1).textContent(), /^1[4-9] s.*retry 3/, 'the next is due at 60 seconds');
  // The retry at 91 seconds is the fourth; the endpoint works again.
  await page.getByRole('button', { name: 'To the next timer', exact: true }).click();
  await timers.getByText(/^retry 4 of delivery/).waitFor();
  t.match(await timers.getByRole('row').nth(1).textContent(), /^[23]\d s/, 'retry 4 is due at 91 seconds');
  receiver.respond(() => ({ status: 200 }));
  await page.getByRole('button', { name: '+ 91 seconds', exact: true }).click();
  await timers.getByText(/^retry 4/).waitFor({ state: 'detached' });
  const { attempts, state } = await box.delivery(5);
  t.strictSame([attempts, state], [5, 'delivered']);
  await checkLook(t, page, 'the clock');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText('follows real time').waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('✓ follows real time').waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Faults' }).click();
  await page.getByText('No rule has acted yet.').waitFor();
  await page.getByRole('button', { name: 'Add a fault…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Add a fault' });
  await sheet.getByLabel('Only where').selectOption('contains');
  await sheet.getByLabel('Value of contains').fill('second');
  await checkLook(t, page, 'the form of a fault');
  await page.setViewportSize({ width: 1280, height: 800 });
  await sheet.getByRole('button', { name: 'Add the fault' }).click();
  const rules = page.getByRole('table', { name: 'Rules' });
  await rules.getByText('contains: second').waitFor();
  await box.write('second <img src=x onerror=alert(1)>');
  await rules.getByText('1 of 1 matches').waitFor();
  for (const fired of [2, 3]) {
    await box.admin('POST', '/clock', { next: true });
    if (fired === 2) await rules.getByText('2 of 2 matches').waitFor();
  }
  const second = await box.delivery(3);
  t.match(second, { attempts: 3, state: 'delivered' }, 'the third attempt succeeds');
  await page.getByRole('heading', { name: 'Firings' }).waitFor();
  await page.getByText('· used up').waitFor();
  await page.locator('.firings > li').nth(1).waitFor();
  t.equal(await page.locator('.firings > li').count(), 2);
  t.ok(await page.locator('.firings').getByRole('link', { name: box.webhook!.uuid }).count());
  await checkLook(t, page, 'faults');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Remove fault_1', exact: true }).click();
  await page.getByRole('button', { name: 'Remove the rule' }).click();
  await page.getByText('No rule: nothing fails unless it really does.').waitFor();
  await page.getByRole('button', { name: 'Add flaky-endpoint', exact: true }).click();
  await rules.getByText('status 500').waitFor();
  t.strictSame(failures, []);
});

t.test('my disk is full, and the refusal says what to do', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-full-disk-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const seed = { numbers: [{ kind: 'network' as const, address: '+27600000001', name: 'Library' }] };
  const box = await startConsole(t, { seed, data: folder });
  const { page } = await opened(box, t, 'webhooks');
  await box.admin('POST', '/faults', { where: 'store', effect: { kind: 'disk_full' }, times: 1 });
  // The write that meets the full disk may be another one than that of the page, and its refusal has other words.
  await t.rejects(box.admin('POST', '/numbers', { kind: 'network', address: '+27600000002', name: 'Full' }), /503/);
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  const sheet = page.getByRole('dialog', { name: 'New webhook' });
  await sheet.getByLabel('URL').fill('http://127.0.0.1:9/');
  await sheet.getByLabel('Name').fill('My server');
  await sheet.getByRole('button', { name: 'Create' }).click();
  await sheet
    .getByText(
      'The store accepts no writes at the moment; the log says why. Resolve what the log says, then POST /admin/v1/store/reopen.',
      { exact: false },
    )
    .waitFor();
  await box.admin('POST', '/store/reopen');
});

t.test('state, seed, switches, plugins, AI connections, cassettes and versions', { skip: onlyLong || skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-settings-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, '.posthorn', 'cassettes');
  mkdirSync(place, { recursive: true });
  const line = JSON.stringify({ v: 1, request: 'GET https://clinic.test/<script>alert(1)</script>', answer: { status: 200, body: 'x' } });
  writeFileSync(join(place, 'clinic.jsonl'), `${line}\n`);
  writeFileSync(join(place, 'broken.jsonl'), 'nonsense\n');
  const seed = { numbers: [{ kind: 'network' as const, address: '+27600000001', name: 'Library' }] };
  const box = await startConsole(t, { seed, console: { keepSessionsIn: folder } });
  const [number] = box.sandbox.numbers;
  const token = 'a-vendor-token-that-no-page-shows';
  await box.admin('PUT', '/ai-connections/0c9d2d3a-4a0b-4c1e-8f43-6d1f7a0e5b21', {
    number: number!.uuid,
    name: 'main <b>bold</b>',
    vendor: 'openai-compatible',
    base_url: 'http://127.0.0.1:9/v1',
    model: 'small',
    token,
  });
  const { page, failures, requests } = await opened(box, t, 'settings/state');
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => response.url().endsWith('/events') || bodies.push(response.text().catch(() => '')));
  await page.getByRole('button', { name: 'Compare with the seed', exact: true }).click();
  await page.getByRole('heading', { name: '2 differences from the seed' }).waitFor();
  await page.getByText('journeys.ai-connections', { exact: true }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export to a file', exact: true }).click(),
  ]);
  t.equal(file.suggestedFilename(), 'posthorn-state.json');
  const path = join(folder, 'state.json');
  await file.saveAs(path);
  await box.admin('PATCH', `/numbers/${number!.uuid}`, { name: '<i>Renamed</i>' });
  await page.getByLabel('Compare with a file…').last().setInputFiles(path);
  await page.getByRole('heading', { name: '1 difference from state.json' }).waitFor();
  await page.locator('.differences ins').getByText('"<i>Renamed</i>"').waitFor();
  await checkLook(t, page, 'the state');
  await page.setViewportSize({ width: 1280, height: 800 });
  writeFileSync(join(folder, 'wrong.json'), '{"a": 1}');
  await page.getByLabel('Import a file…').last().setInputFiles(join(folder, 'wrong.json'));
  await page.getByRole('dialog', { name: 'Replace the state with wrong.json?' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('alert').getByText('it is not an exported state', { exact: false }).waitFor();
  await page.getByLabel('Import a file…').last().setInputFiles(path);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The state was imported.').waitFor();
  t.equal((await box.admin('GET', '/numbers')).numbers[0].name, 'Library');
  await page.getByText('so it can only be compared with a file', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Reset…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText('so it can only be compared with a file', { exact: false }).waitFor({ state: 'detached' });
  await box.admin('PUT', '/ai-connections/0c9d2d3a-4a0b-4c1e-8f43-6d1f7a0e5b21', {
    number: box.sandbox.numbers[0]!.uuid,
    name: 'main <b>bold</b>',
    vendor: 'openai-compatible',
    base_url: 'http://127.0.0.1:9/v1',
    model: 'small',
    token,
  });

  await page.getByRole('tab', { name: 'Seed' }).click();
  const area = page.getByRole('textbox', { name: 'Seed' });
  const written = JSON.parse(await area.inputValue());
  await area.fill('{');
  await page.getByText('It is not JSON', { exact: false }).waitFor();
  await area.fill(
    JSON.stringify({ ...written, numbers: [...written.numbers, { kind: 'network', address: '+27600000002', name: 'Second' }] }),
  );
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText('The seed was applied:').waitFor();
  await page.getByRole('link', { name: 'Second' }).waitFor();
  await checkLook(t, page, 'the seed');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('tab', { name: 'Switches' }).click();
  await page.getByRole('checkbox', { name: 'Rate limits' }).check();
  await page.getByRole('button', { name: 'Restore the default of Rate limits' }).waitFor();
  await page.getByLabel('Flow JSON of a newer version').selectOption('refuse');
  await page.getByRole('definition').getByText('"refuse"').waitFor();
  await page.getByRole('checkbox', { name: 'responses 502, bad gateway' }).check();
  await until(async () => ((await box.admin('GET', '/settings')).changed_options.length === 3 ? true : undefined));
  await page.getByRole('spinbutton', { name: /^Minutes until a simulation/ }).fill('-1');
  await page.getByRole('button', { name: /^Set Minutes until a simulation/ }).click();
  await page.getByRole('alert').getByText('simulation.idleMinutes must be a positive number').waitFor();
  t.equal((await box.admin('GET', '/numbers')).numbers.length, 2, 'the state stays');
  await checkLook(t, page, 'the switches');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('tab', { name: 'Plugins' }).click();
  await page.getByRole('row', { name: /integration .*openMinutes/ }).waitFor();
  await page.getByText('60 calls per minute and number').first().waitFor();
  await checkLook(t, page, 'the plugins');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('tab', { name: 'AI connections' }).click();
  await page.getByRole('row', { name: /main <b>bold<\/b>.*has a token/ }).waitFor();
  await checkLook(t, page, 'the AI connections');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('tab', { name: 'Cassettes' }).click();
  await page.getByText('line 1 is not a recording', { exact: false }).waitFor();
  await page.getByText('Requests', { exact: true }).last().click();
  await page.getByText('<script>alert(1)</script>', { exact: false }).waitFor();
  await checkLook(t, page, 'the cassettes');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Delete… broken', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the cassette' }).click();
  await page.getByRole('heading', { name: 'broken' }).waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText(process.version).waitFor();
  await checkLook(t, page, 'the versions');
  t.notMatch((await Promise.all(bodies)).join(), token, 'no token reaches the page');
  t.notMatch(await page.content(), token);
  t.ok(
    requests.every((url) => new URL(url).hostname === '127.0.0.1'),
    'no request leaves this machine',
  );
  // A refused change is logged by the browser; nothing else is.
  t.strictSame(
    failures.filter((one) => !/status of (400|409)/.test(one)),
    [],
  );
});

t.test('the pages Integrations and Settings cost at most 30 kB each', { skip }, async (t) => {
  const box = await startConsole(t);
  const { page } = await opened(box, t, 'advice');
  await page.getByRole('heading', { name: 'Advice' }).first().waitFor();
  for (const [key, title, path] of [
    [',', 'Settings', 'settings'],
    ['p', 'New integration', 'integrations'],
  ] as const) {
    const before = await loadedBytes(page);
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { name: title }).waitFor();
    t.match(page.url(), path);
    const cost = (await loadedBytes(page)) - before;
    t.ok(cost > 1_000 && cost <= 30_000, `${path}: ${cost} bytes`);
  }
});
