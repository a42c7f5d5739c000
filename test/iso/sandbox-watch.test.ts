import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { admin, newFolder, startSandbox } from './posthorn-process.js';

const says = (text: string) =>
  JSON.stringify(containerOf({ texts: { text }, blocks: [{ name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'text' } }] }));

const seed = (more: object = {}) =>
  JSON.stringify({
    numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }],
    webhooks: [{ number: '+27600000001', url: 'http://127.0.0.1:9/one', subscriptions: ['msgapp'] }],
    journeys: [{ number: '+27600000001', name: 'Orders', definition: 'orders.json' }],
    ...more,
  });

t.test('a changed seed, and a changed journey of it, are applied to the running state; a mistake changes nothing', async (t) => {
  const folder = newFolder(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('orders.json', says('first'));
  write('shop.json', seed());
  const sandbox = await startSandbox(t, folder, '--seed', 'shop.json');
  const { ready } = sandbox;
  const [number] = ready.numbers;
  const message = (text: string) =>
    admin(ready, 'POST', `/network/numbers/${number!.uuid}/messages`, { from: '+27611111111', type: 'text', text: { body: text } });
  const conversation = async () => (await admin(ready, 'GET', `/numbers/${number!.uuid}/conversations`)).conversations.length;
  await message('hi');

  write('orders.json', says('second'));
  await sandbox.printed(/Reloaded shop\.json: published Orders for \+27600000001/);
  const { definition } = await admin(ready, 'GET', `/journeys/${ready.journeys[0]!.uuid}`);
  t.match(JSON.stringify(definition), /second/);

  write('orders.json', says('third').replace('{', '{,'));
  await sandbox.printed(/this is not JSON[\s\S]*The last good version stays/);
  t.match(JSON.stringify((await admin(ready, 'GET', `/journeys/${ready.journeys[0]!.uuid}`)).definition), /second/);
  write('orders.json', says('fourth'));

  write(
    'shop.json',
    seed({
      channels: [{ from_addr: 'web:1', name: 'Web', endpoint: 'http://127.0.0.1:9/' }],
      webhooks: [{ number: '+27600000001', url: 'http://127.0.0.1:9/two', subscriptions: ['msgapp', 'svc'] }],
    }),
  );
  await sandbox.printed(/created channel web:1 with token ph_/);
  await sandbox.printed(/changed webhook http:\/\/127\.0\.0\.1:9\/two/);
  const [webhook] = (await admin(ready, 'GET', `/webhooks?number=${number!.uuid}`)).webhooks;
  t.match(webhook, { uuid: ready.webhooks[0]!.uuid, url: 'http://127.0.0.1:9/two', subscriptions: ['msgapp', 'svc'] });
  t.match((await admin(ready, 'GET', '/sandbox')).numbers, [{ address: '+27600000001', token: number!.token }, { address: 'web:1' }]);

  write('shop.json', '{ "nombers": [] }');
  await sandbox.printed(/nombers is not allowed\nThe last good version stays/);
  t.equal(await conversation(), 1, 'the conversation is still there');
});

t.test('a changed notebook of a seed is published with its triggers; a mistake in it changes nothing', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const notebook = (text: string, trigger = 'MESSAGE RECEIVED') =>
    `# Orders\n\n\`\`\`stack\ntrigger(on: "${trigger}")\n\ncard Say do\n  text("${text}")\nend\n\`\`\`\n`;
  const journeys = (more: object = {}) => [{ number: '+27600000001', name: 'Orders', definition: 'orders.md', ...more }];
  write('orders.md', notebook('first'));
  write('shop.json', seed({ journeys: journeys() }));
  const sandbox = await startSandbox(t, folder, '--seed', 'shop.json');
  const { ready } = sandbox;
  const uuid = ready.journeys[0]!.uuid;
  const stored = () => admin(ready, 'GET', `/journeys/${uuid}`);
  t.match(await stored(), { notebook: notebook('first'), journey: { triggers: [{ on: 'message' }] } });

  write('orders.md', notebook('another'));
  await sandbox.printed(/Reloaded shop\.json: published Orders/);
  t.match(await stored(), { notebook: notebook('another'), journey: { triggers: [{ on: 'message' }] } });
  write('orders.md', notebook('second', 'CATCH ALL'));
  await sandbox.printed(/(published Orders[\s\S]*){2}/);
  const changed = await stored();
  t.match(changed, { notebook: notebook('second', 'CATCH ALL'), journey: { triggers: [{ on: 'catch_all' }] } });
  t.equal(changed.journey.revisions.production, changed.journey.draft);

  write('orders.md', notebook('third').replace('text(', 'txet('));
  await sandbox.printed(/orders\.md:7:3 error .*txet[\s\S]*\n {4}\| {3}\^+\n[\s\S]*orders\.md has 1 error\nThe last good version stays/);
  t.strictSame(await stored(), changed);

  write('orders.md', notebook('second', 'CATCH ALL'));
  write('shop.json', seed({ journeys: journeys({ triggers: [{ on: 'message', words: ['order'] }] }) }));
  await sandbox.printed(/(published Orders[\s\S]*){3}/);
  t.match((await stored()).journey, { triggers: [{ on: 'message', words: ['order'] }] });
  write('shop.json', seed({ journeys: journeys() }));
  await sandbox.printed(/(published Orders[\s\S]*){4}/);
  t.strictSame(
    (await stored()).journey.triggers,
    [{ on: 'catch_all' }],
    'without triggers in the seed those of the notebook are current again',
  );

  const { draft } = (await stored()).journey;
  write(
    'shop.json',
    seed({
      journeys: journeys(),
      numbers: [
        { kind: 'network', address: '+27600000001', name: 'Shop' },
        { kind: 'network', address: '+27600000002', name: 'More' },
      ],
    }),
  );
  await sandbox.printed(/created network \+27600000002/);
  t.equal((await stored()).journey.draft, draft, 'an unchanged notebook gets no new revision');
});

t.test('a changed plugin is loaded again with the state, and after a mistake the last good version runs', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  mkdirSync(join(folder, 'lib'));
  const word = (text: string) => writeFileSync(join(folder, 'lib', 'word.ts'), text);
  word(`export const word: string = 'one';`);
  writeFileSync(
    join(folder, 'mine.ts'),
    `import { definePlugin, object, route, string } from 'posthorn';
     import { word } from './lib/word.js';
     if (word === 'refused') throw new Error('it does not load');
     export default definePlugin({ name: 'mine', version: '1.0.0', register: () => {
       if (word === 'failing') throw new Error('it does not register');
       return { admin: [route({ method: 'GET', path: '/mine', summary: 'Shows.', responses: { 200: object({ word: string() }) }, handler: () => ({ word }) })] };
     } });`,
  );
  const sandbox = await startSandbox(t, folder, '--seed', 'empty', '--plugin', 'mine.ts');
  const { ready } = sandbox;
  t.strictSame(await admin(ready, 'GET', '/mine'), { word: 'one' });
  await admin(ready, 'POST', '/numbers', { kind: 'network', address: '+27600000009', name: 'Made' });

  word(`export const word: string = 'two';`);
  await sandbox.printed(/Reloaded .*mine\.ts in \d+ ms/);
  t.strictSame(await admin(ready, 'GET', '/mine'), { word: 'two' });
  t.match((await admin(ready, 'GET', '/numbers')).numbers, [{ address: '+27600000009' }]);

  word('export const word: string = ;');
  await sandbox.printed(/lib\/word\.ts:1:28:[\s\S]*1 │ export const word[\s\S]*The last good version stays/);
  t.strictSame(await admin(ready, 'GET', '/mine'), { word: 'two' });
  word(`export const word: string = 'failing';`);
  await sandbox.printed(/it does not register\nThe last good version stays/);
  t.strictSame(await admin(ready, 'GET', '/mine'), { word: 'two' });
  const notLoaded = async () =>
    (await admin(ready, 'GET', '/advice')).advice.filter(({ name }: { name: string }) => name === 'source_not_loaded');
  await until(async () => (await notLoaded()).length === 1);
  t.match(await notLoaded(), [{ message: /mine\.ts was not loaded: .*it does not register/, times: 2 }], 'the console shows it');
  word(`export const word: string = 'three';`);
  await sandbox.printed(/(Reloaded .*mine\.ts[\s\S]*){2}/);
  await until(async () => (await notLoaded()).length === 0);
  t.match((await admin(ready, 'GET', '/numbers')).numbers, [{ address: '+27600000009' }]);

  sandbox.child.kill('SIGTERM');
  t.equal(await sandbox.ended, 0);
});

t.test('a deleted folder with a journey does not end the sandbox, and its return is noticed', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const journeys = join(folder, 'journeys');
  mkdirSync(journeys);
  writeFileSync(join(journeys, 'orders.json'), says('first'));
  writeFileSync(
    join(folder, 'shop.json'),
    seed({ journeys: [{ number: '+27600000001', name: 'Orders', definition: 'journeys/orders.json' }] }),
  );
  const sandbox = await startSandbox(t, folder, '--seed', 'shop.json');

  renameSync(journeys, join(folder, 'away'));
  await sandbox.printed(/orders\.json not found\nThe last good version stays/);
  writeFileSync(join(folder, 'away', 'orders.json'), says('second'));
  renameSync(join(folder, 'away'), journeys);
  await sandbox.printed(/Reloaded shop\.json: published Orders/);
  writeFileSync(join(journeys, 'orders.json'), says('third'));
  await sandbox.printed(/(Reloaded shop\.json: published Orders[\s\S]*){2}/);
  const { definition } = await admin(sandbox.ready, 'GET', `/journeys/${sandbox.ready.journeys[0]!.uuid}`);
  t.match(JSON.stringify(definition), /third/);
});

t.test('a plugin that changes while it is loaded is loaded again, and the clock continues as it was set', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const plugin = (version: string) =>
    writeFileSync(
      join(folder, 'mine.ts'),
      `import { definePlugin, object, route, string } from 'posthorn';
       await new Promise((resolve) => setTimeout(resolve, 500));
       export default definePlugin({ name: 'mine', version: '1.0.0', register: () => ({
         admin: [route({ method: 'GET', path: '/mine', summary: 'Shows.', responses: { 200: object({ word: string() }) }, handler: () => ({ word: '${version}' }) })] }) });`,
    );
  plugin('one');
  const { ready, printed } = await startSandbox(t, folder, '--seed', 'empty', '--plugin', 'mine.ts', '--clock', 'manual');
  await admin(ready, 'POST', '/clock', { paused: false });

  plugin('two');
  await new Promise((resolve) => setTimeout(resolve, 350));
  plugin('three');
  await printed(/(Reloaded [\s\S]*){2}/);
  t.strictSame(await admin(ready, 'GET', '/mine'), { word: 'three' });
  t.match(await admin(ready, 'GET', '/clock'), { paused: false });
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + patient(10_000);
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
