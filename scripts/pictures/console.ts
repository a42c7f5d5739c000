// Pictures of pages of the console, after an hour of traffic at a library.
import { readFileSync } from 'node:fs';
import { type Json, type Stage, until } from './stage.js';

const CONTACTS = ['Thandi', 'Amara', 'Jonas', 'Lerato', 'Mateo', 'Yuki', 'Ines', 'Noor', 'Sipho', 'Elif', 'Petra', 'Kofi'];
const MINUTES = 58;
/** Minutes between two visits. */
const PAUSE = 7;
/** Minutes in which the order service is down. */
const OUTAGE = [31, 36] as const;

const VISITS_FILE = 'scripts/pictures/visits.md';

const tap = (title: string) => ({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { title } } });
const row = (title: string) => ({ type: 'interactive', interactive: { type: 'list_reply', list_reply: { title } } });
const say = (body: string) => ({ type: 'text', text: { body } });

/** A visit that ends at a question. */
const LEAVES = [say('Hello'), tap('Book a visit'), row('Games room')] as const;
/** The messages that contacts write in a visit. */
const VISITS = [
  [say('hi'), tap('Opening hours'), tap('That is all')],
  [say('Good morning'), tap('Book a visit'), row('Story hour'), tap('14:00'), say('3'), tap('Yes, please'), tap('That is all')],
  [say('hello'), tap('Leave a message'), say('Has the book on tides come back?'), tap('That is all')],
  [say('hi'), tap('Book a visit'), row('Reading room'), tap('10:00'), say('12'), say('6'), tap('Yes, please'), tap('That is all')],
  LEAVES,
] as const;

export async function takeConsole(stage: Stage): Promise<void> {
  const { sandbox, page, number, put, post, get, receiver, open, take } = stage;
  const [channel] = sandbox.channels;
  for (const [of, name] of [
    [number, 'Visits'],
    [channel!.uuid, 'Visits on the web'],
  ]) {
    const [{ uuid }] = (await get(`/journeys?number=${of}`)).journeys;
    await put(`/journeys/${uuid}/notebook`, { notebook: readFileSync(VISITS_FILE, 'utf8').replace('# Visits', `# ${name}`) });
    await post(`/journeys/${uuid}/publish`, { revision: 'production' });
  }
  const [journey] = (await get(`/journeys?number=${number}`)).journeys;
  const { webhook } = await post('/webhooks', {
    ...{ number, name: 'Loans service', url: `${receiver.url}/hook`, subscriptions: ['msgapp'] },
  });
  await anHourOfTraffic(stage);

  await page.setViewportSize({ width: 1280, height: 1000 });
  await open('?range=1h');
  await page.locator('.plots canvas').nth(4).waitFor();
  await page.locator('#page').evaluate((all) => {
    all.scrollTop += all.querySelector('.card:has(#health)')!.getBoundingClientRect().top - all.getBoundingClientRect().top - 16;
  });
  const bars = (await page.locator('.plots .u-over').first().boundingBox())!;
  await page.mouse.move(bars.x + bars.width * 0.56, bars.y + 20);
  await take('overview');
  await page.setViewportSize({ width: 1280, height: 800 });

  receiver.delayMs = 20;
  const { run } = await post('/conform/runs', { kind: 'webhook', webhook: webhook.uuid });
  await takeInbox(stage);
  await takeCall(stage);
  await takeDeliveries(stage, webhook.uuid);
  await takeJourney(stage, journey.uuid);
  await takeFlow(stage);
  await until('the end of the checks', async () => [await get(`/conform/runs/${run.id}`)].filter(({ run }) => run.ended_at !== null));
  await open(`webhooks/${webhook.uuid}?tab=conformance`);
  await page.getByRole('region', { name: 'Failed checks' }).waitFor();
  await page.getByRole('region', { name: 'Result of the checks' }).evaluate((region) => {
    const detail = region.closest('.split-detail')!;
    detail.scrollTop += region.getBoundingClientRect().top - detail.getBoundingClientRect().top - 16;
  });
  await take('conformance');
  await open('');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('story hour');
  await page.getByRole('group', { name: 'Messages' }).getByRole('option').first().waitFor();
  await take('search');
}

/** A contact of the channel, whose desk has a panel of an integration. */
async function takeInbox({ page, sandbox, post, get, open, take }: Stage): Promise<void> {
  const [channel] = sandbox.channels;
  const message = {
    type: 'text',
    from: 'zanele',
    id: 'visit-1',
    timestamp: String(Math.floor(sandbox.clock.now().getTime() / 1_000)),
    text: { body: 'hi' },
  };
  await post(`/channels/${channel!.uuid}/messages`, { contact: { id: 'zanele', profile: { name: 'Zanele' } }, message });
  await open(`inbox/${(await get('/messages/visit-1')).message.conversation}`);
  const phone = page.getByRole('region', { name: 'Phone of Zanele', exact: true });
  await phone.getByRole('button', { name: 'Book a visit' }).click();
  await phone.getByRole('button', { name: 'Choose a room' }).click();
  await page.getByRole('dialog').getByText('Reading room').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await phone.getByRole('button', { name: '14:00' }).waitFor();
  await page.mouse.move(0, 0);
  await take('inbox');
}

/** Calls of a client, the newest with a mistake. */
async function takeCall({ page, sandbox, number, open, take }: Stage): Promise<void> {
  const { token } = sandbox.numbers.find(({ uuid }) => uuid === number)!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (to: string, more: object): Promise<string> => {
    const body = JSON.stringify({ to, ...more });
    const response = await fetch(`${sandbox.api}/v1/messages`, { method: 'POST', headers, body });
    await response.text();
    return response.headers.get('x-request-id')!;
  };
  for (const to of ['+27611111100', '+27611111104', '+27611111108']) await call(to, say('Your book is due on Friday.'));
  const buttons = [{ type: 'reply', reply: { id: 'today', text: 'Today' } }];
  const body = { text: 'Your book is ready. When will you collect it?' };
  const id = await call('+27611111102', { type: 'interactive', interactive: { type: 'button', body, action: { buttons } } });
  await open(`calls/${id}`);
  await page.getByText('1 mistake in the body').waitFor();
  await take('call');
}

/** A delivery that is retried, why, and the list. */
async function takeDeliveries({ sandbox, page, number, post, get, receiver, open, take }: Stage, webhook: string): Promise<void> {
  receiver.isDown = true;
  const { message } = await post(`/network/numbers/${number}/messages`, {
    from: '+27611111120',
    name: 'Zanele',
    ...say('Where is my book?'),
  });
  const failing = `/deliveries?webhook=${webhook}&message=${message.uuid}&limit=1`;
  for (const attempts of [1, 2, 3]) {
    await until(`attempt ${attempts}`, async () => (await get(failing)).deliveries.filter((one: Json) => one.attempts >= attempts));
    if (attempts < 3) await sandbox.clock.advance(25_000);
  }
  const [delivery] = (await get(failing)).deliveries;
  await open(`deliveries/${delivery.uuid}`);
  await page.getByRole('tab', { name: 'Timeline' }).waitFor();
  await take('delivery');

  await open(`why?message=${delivery.message}`);
  await page.getByText('The first step that is pending').waitFor();
  await take('why');

  await open(`deliveries?webhook=${webhook}&state=dropped`);
  await page.getByLabel('Group equal rows').check();
  await page.locator('[role=option]').first().click();
  await take('deliveries');
  receiver.isDown = false;
}

async function takeJourney({ page, open, take }: Stage, journey: string): Promise<void> {
  await open(`journeys/${journey}?tab=graph`);
  const node = (name: RegExp) => page.locator('.graph-view').getByRole('button', { name });
  await node(/^Welcome,/).waitFor();
  await page.locator('select', { has: page.locator('option[value=day]') }).selectOption('day');
  await take('graph');

  await node(/^Welcome,/).click();
  await page.locator('.card-editor').waitFor();
  await node(/^Welcome,/).press('F2');
  await take('canvas');
  await page.keyboard.press('Escape');

  await open(`journeys/${journey}?tab=simulator`);
  await page.getByRole('button', { name: 'Start the journey', exact: true }).press('Enter');
  const log = page.getByRole('log');
  const write = async (text: string): Promise<void> => {
    await page.getByLabel('Message of the contact').fill(text);
    await page.keyboard.press('Enter');
  };
  await log.getByRole('button', { name: 'Book a visit' }).click();
  await log.getByText('Where would you like to go tomorrow?').waitFor();
  await write('Story hour');
  await log.getByRole('button', { name: '14:00' }).click();
  await log.getByText('How many people will come?').waitFor();
  await write('3');
  await log.getByRole('button', { name: 'Yes, please' }).click();
  await log.getByText('Is there anything else?').waitFor();
  await take('simulator');
}

async function takeFlow({ page, get, post, open, take }: Stage): Promise<void> {
  const { templates } = await get('/flows/templates');
  const { definition } = templates.find(({ name }: Json) => name === 'booking');
  const { flow } = await post('/flows', { account: 'demo-account', name: 'Book a visit', definition });
  await open(`flows/${flow.id}?view=editor`);
  await page.frameLocator('iframe').getByText('Which day suits you?').waitFor();
  await take('flow');
}

/** Contacts write to the number, with the clock moved between the minutes. */
async function anHourOfTraffic({ sandbox, number, post, get, receiver }: Stage): Promise<void> {
  const next = CONTACTS.map((_, at) => -2 * at);
  for (let minute = 0; minute < MINUTES; minute++) {
    receiver.isDown = minute >= OUTAGE[0] && minute < OUTAGE[1];
    receiver.delayMs = 15 + 12 * (minute % 7) + (minute > 40 && minute < 46 ? 150 : 0);
    for (const [at, name] of CONTACTS.entries()) {
      const visit = VISITS[at % VISITS.length]!;
      const step = next[at]!++;
      const message = visit === LEAVES ? visit[step] : visit[step % (visit.length + PAUSE)];
      if (step >= 0 && message) await post(`/network/numbers/${number}/messages`, { from: `+2761111${1100 + at}`, name, ...message });
    }
    await until('the end of a minute', async () => {
      const waiting = await Promise.all(['queued', 'sending'].map((state) => get(`/deliveries?state=${state}&limit=1`)));
      return waiting.every(({ deliveries }) => deliveries.length === 0) ? [true] : [];
    });
    await sandbox.clock.advance(60_000);
  }
  sandbox.clock.resume();
}
