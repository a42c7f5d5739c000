import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { completion, standIn, toolCalls } from '../core/adapters/models/stand-in.js';
import { onlyLong } from '../forms.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { close, withoutBrowser } from './browser.js';
import { loadedBytes, scriptsLoaded } from './console.js';
import { checkLook, opened, startWithNumber, until } from './console-receivers.js';
import { signedIn } from './consoles.js';
import { hostileTexts } from './hostile.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

const SHOP = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
const HELPER = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f002';
const CONNECTION = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f003';
const TOKEN = 'sk-vendor-token-that-no-page-may-see-4711';
const PART_BUDGET = 30_000;

const shop = `card Menu, then: Ask do
  text("Hello @contact.name.")
end

card Ask, then: Order do
  what = buttons([Order, Hours]) do
    text("What do you need?")
  end
end

card Hours, then: Ask do
  text("We are open from 9 to 5.")
end

card Order, then: Lookup do
  code = ask("Your order number?")
end

card Lookup, then: Tell do
  order = get("https://shop.test/orders/@code")
end

card Tell, then: Ask do
  text("Your order is @order.body.state.")
end
`;

async function withShop(t: Tap) {
  const box = await startWithNumber(t);
  await box.admin('PUT', `/journeys/${SHOP}`, { number: box.number, name: 'Shop', notebook: shop });
  return box;
}

t.test('I fork a simulation at turn three', { skip }, async (t) => {
  const box = await withShop(t);
  const { page, failures, requests } = await opened(box, t, `journeys/${SHOP}?tab=graph`);
  await page.getByRole('tab', { name: 'Simulator' }).waitFor();
  await page
    .getByRole('group', { name: /Graph of/ })
    .or(page.locator('.journey-graph-tab'))
    .first()
    .waitFor();
  await scriptsLoaded(page);
  const before = await loadedBytes(page);
  await page.getByRole('tab', { name: 'Simulator' }).click();
  await page.getByLabel('Contact', { exact: true }).fill(JSON.stringify({ name: `${hostileTexts.image} ${hostileTexts.bidi}` }));
  const more = (await loadedBytes(page)) - before;
  t.ok(more > 0 && more <= PART_BUDGET, `the simulator loads ${more} bytes`);

  // By keyboard: the button that starts, then the composer.
  await page.getByRole('button', { name: 'Start the journey', exact: true }).press('Enter');
  const log = page.getByRole('log');
  const turn = (count: number) => log.getByRole('region', { name: `Turn ${count}`, exact: true });
  await turn(1).getByText('onerror').waitFor();
  const say = async (text: string, count: number): Promise<void> => {
    await page.getByLabel('Message of the contact').fill(text);
    await page.keyboard.press('Enter');
    await turn(count).waitFor();
  };
  await turn(1).getByRole('button', { name: 'Hours' }).click();
  await turn(2).getByText('We are open').waitFor();
  await say('Order', 3);
  await say('42', 4);
  await page.getByText('no mock matched GET https://shop.test/orders/42').waitFor();
  t.match(await page.getByRole('region', { name: 'Changes of the context' }).textContent(), /added order +\{.*not_mocked/s);

  await turn(3).getByRole('button', { name: 'Branch from here at turn 3' }).click();
  t.equal(await turn(4).count(), 0, 'the fork ends at turn three');
  await page.getByRole('tab', { name: 'Mocks' }).click();
  for (const [i, url] of ['https://shop.test/orders/:id', 'https://shop.test/order'].entries()) {
    await page.getByRole('button', { name: 'Add a mock' }).click();
    const mock = page.getByRole('group', { name: `Mock ${i + 1}` });
    await mock.getByLabel('URL').fill(url);
    await mock.getByLabel('Body').fill('{"state":"on its way"}');
  }
  await say('7', 4);
  await turn(4).getByText('Your order is on its way.').waitFor();
  const calls = page.getByRole('region', { name: 'HTTP calls' });
  await calls.getByText('Mock 1 answered. Closest of the others: mock 2, ends before "s/7".').waitFor();
  await checkLook(t, page, 'a fork');

  // The mock is edited where its answer is shown.
  await calls.getByText('Edit mock 1').click();
  await calls.getByLabel('Body').fill('{"state":"lost"}');
  await page.getByRole('button', { name: 'Play this turn again' }).click();
  await turn(4).getByText('Your order is lost.').waitFor();
  await page.getByLabel('Branch', { exact: true }).selectOption({ label: 'Branch 1, 4 turns' });
  await turn(4).getByText('42', { exact: true }).waitFor();

  // After a restart, the server no longer has the turn.
  let isGone = false;
  await page.route('**/simulated-turns', async (route) => {
    if (isGone) return route.continue();
    isGone = true;
    return route.fulfill({ status: 404, json: { errors: [{ title: 'Resource not found' }] } });
  });
  await say('Hours', 5);
  await page.getByText('The server no longer had this simulation, and has played it again from its start.').waitFor();
  t.match(await turn(5).textContent(), /We are open/);
  await page.unrouteAll();
  failures.splice(0, failures.length, ...failures.filter((line) => !line.includes('404')));

  // Time passes until the wait expires.
  await page.getByLabel('Time to pass').selectOption('1 day');
  await page.getByRole('button', { name: 'Let 1 day pass', exact: true }).click();
  await turn(6).getByText('The wait for an answer has expired').waitFor();

  await page.getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('tab', { name: 'Start', exact: true }).click();
  await page.getByLabel('Contact', { exact: true }).fill('[1]');
  await page.getByRole('button', { name: 'Start the journey', exact: true }).click();
  await page.getByText('Contact must be a JSON object.').waitFor();
  t.equal(await page.evaluate('globalThis.__pwned'), undefined);
  t.strictSame(failures, []);
  t.strictSame(
    requests.filter((url) => !url.startsWith(box.sandbox.api)),
    [],
  );
});

t.test('I record a conversation and it becomes a passing test', { skip: onlyLong || skip }, async (t) => {
  const box = await withShop(t);
  const { page, failures } = await opened(box, t, `journeys/${SHOP}?tab=simulator`);
  await page.getByRole('tab', { name: 'Test', exact: true }).click();
  await page.getByText('Nothing to record yet').waitFor();
  await page.getByRole('button', { name: 'Start the journey', exact: true }).click();
  const log = page.getByRole('log');
  await log.getByRole('button', { name: 'Order', exact: true }).click();
  await page.getByRole('region', { name: 'Turn 2' }).getByText('Your order number?').waitFor();
  await page.getByLabel('Message of the contact').fill('42');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add a mock for this call' }).click();
  await page.getByLabel('Body', { exact: true }).fill('{"state":"sent"}');
  await page.getByRole('tab', { name: 'Turn 3' }).click();
  await page.getByRole('button', { name: 'Play this turn again' }).click();
  await log.getByText('Your order is sent.').waitFor();

  await page.getByRole('tab', { name: 'Start', exact: true }).click();
  await page.getByLabel('Contact', { exact: true }).fill('{ "name": "Later" }');
  await page.getByRole('tab', { name: 'Test', exact: true }).click();
  await page.getByRole('button', { name: 'Record as a test', exact: true }).click();
  const file = page.getByLabel('Test, as in a file');
  await file.waitFor();
  t.match(await file.inputValue(), /name: Ann/, 'the contact of the conversation, not of the next start');
  await page.getByRole('button', { name: 'Run the test', exact: true }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('✓ passed').waitFor();

  // A test that expects something else fails in the transcript, at its turn.
  await file.fill((await file.inputValue()).replace('Your order number?', 'Your number?'));
  await page.getByRole('button', { name: 'Run the test', exact: true }).click();
  const failed = log.getByRole('region', { name: 'Turn 2' }).getByRole('alert');
  await failed.getByText('text differs: expected "Your number?"').waitFor();
  await checkLook(t, page, 'a failed test');

  // Recorded among the tests of that run, it replaces the wrong one.
  await page.getByRole('button', { name: 'Add to the tests of the newest run' }).click();
  await page.getByLabel('Tests of the journey, as in a file').waitFor();
  await page.getByRole('button', { name: 'Run all tests', exact: true }).click();
  await results.getByText('✓ passed').waitFor();
  t.equal(await results.getByRole('listitem').count(), 1);
  t.equal(await failed.count(), 0);
  t.strictSame(failures, []);
});

t.test('I see what an AI agent asked its model, and try another answer', { skip: onlyLong || skip }, async (t) => {
  const box = await startWithNumber(t);
  const model = await standIn(t);
  await box.admin('PUT', `/ai-connections/${CONNECTION}`, {
    ...{
      number: box.number,
      name: 'main',
      vendor: 'openai-compatible',
      base_url: model.baseUrl,
      model: 'small',
      token: TOKEN,
      record: true,
    },
  });
  const definition = containerOf({
    languages: ['eng'],
    texts: { i: 'You help @contact.name.', hours: 'Open 9 to 17' },
    blocks: [
      {
        name: 'helper',
        type: 'Svc.AiAgent',
        config: {
          ...{ instructions: 'i', connection: 'main', memory: { enabled: true } },
          skills: [{ name: 'hours', kind: 'knowledge', description: 'When we are open', content: 'hours' }],
        },
        exits: [{ label: 'error', to: null }, { to: null }],
      },
    ],
  });
  await box.admin('PUT', `/journeys/${HELPER}`, { number: box.number, name: 'Helper', definition, triggers: [{ on: 'message' }] });
  const { page, failures, received } = await signedIn(t, box.sandbox);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${box.sandbox.console!.url}journeys/${HELPER}?tab=simulator`);
  await page.getByRole('button', { name: 'Start the journey', exact: true }).click();
  const log = page.getByRole('log');
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message of the contact').fill(text);
    await page.keyboard.press('Enter');
  };
  model.answer(
    { json: toolCalls({ id: 'c1', function: { name: 'hours', arguments: '{}' } }) },
    { json: completion({ content: 'We open at 9.' }) },
  );
  await log.getByText('The journey waits for an answer').waitFor();
  await say('When are you open?');
  await log.getByText('We open at 9.').waitFor();
  const calls = page.getByRole('region', { name: 'AI calls' });
  const second = calls.getByRole('listitem').nth(1);
  await second.getByText('Prompt of 4 messages, 1 tool').click();
  t.match(await second.textContent(), /You help Ann\..*toolhours|tool hours/s);
  t.match(await second.textContent(), /small · \d+ \+ \d+ tokens · .*by its connection/);
  await checkLook(t, page, 'the calls of a model');

  await second.getByText('Edit the answer').click();
  await second.getByLabel('Text').fill('We never close.');
  await second.getByRole('button', { name: 'Play the turn with this answer' }).click();
  await log.getByText('We never close.').waitFor();
  t.equal(model.asked.length, 2, 'earlier answers are used again');
  t.match(await calls.textContent(), /by an edited answer/);

  // A script, then what was recorded.
  await page.getByRole('tab', { name: 'AI agents' }).click();
  await page.getByLabel('a script').check();
  await page.getByLabel('Rules').fill('[{ "say": "I am a script." }]');
  await say('And you?');
  await log.getByText('I am a script.').waitFor();
  await page.getByRole('tab', { name: 'AI calls' }).click();
  await page.getByRole('button', { name: 'Replay in the simulator' }).click();
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Start the journey', exact: true }).click();
  await log.getByText('The journey waits for an answer').waitFor();
  await say('When are you open?');
  await log.getByText('We open at 9.').waitFor();
  await calls.getByText('by a recorded reply').first().waitFor();
  t.equal(model.asked.length, 2);

  // A vendor that repeats the token in its error.
  await page.getByRole('tab', { name: 'AI agents' }).click();
  await page.getByLabel('the model of their connection').check();
  model.answer({ status: 401, json: { error: { message: `bad key ${TOKEN}` } } });
  await say('Still there?');
  await calls.getByText('bad key').waitFor();

  // A conversation is in the log of AI calls.
  model.answer({ json: completion({ content: 'Hello there.' }) });
  await box.admin('POST', `/journeys/${HELPER}/publish`, { revision: 'production' });
  await box.write('hi');
  await until(async () => ((await box.admin('GET', `/journeys/${HELPER}/sessions`)).sessions[0]?.state === 'waiting' ? true : undefined));
  await box.write('Anyone there?');
  await until(async () => (await box.admin('GET', `/ai-calls?number=${box.number}`)).ai_calls[0]);
  await page.getByRole('tab', { name: 'AI calls' }).click();
  const row = page.getByRole('row', { name: /answered/ });
  await row.first().waitFor();
  t.match(await row.first().textContent(), /helper✓ answeredmain small11, 7/);
  await row.first().getByRole('button', { name: 'Show' }).click();
  const recorded = page.locator('td[colspan]');
  await recorded.getByText('You help').waitFor();
  t.match(await recorded.textContent(), /Anyone there\?.*Hello there\./s);
  await checkLook(t, page, 'the AI calls of conversations');
  await page.reload();
  await row.first().waitFor();
  t.notMatch(await received(), TOKEN, 'the token is in nothing that the page received');
  t.notMatch(await page.content(), TOKEN);
  t.strictSame(failures, []);
});
