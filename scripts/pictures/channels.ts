// Pictures of channels: what the console says of a number, and what contacts see.
import { emailStandIn } from '../../plugins/email/testing/index.js';
import { smsStandIn } from '../../plugins/sms/testing/index.js';
import { telegramStandIn } from '../../plugins/telegram/testing/index.js';
import { mailPage, phonePage, readingRoom } from './received.js';
import { type Json, type Stage, until } from './stage.js';

const LIBRARY = 'Riverside Library';
const PHONE = '+27611111111';

export async function takeChannels(stage: Stage): Promise<void> {
  await takeTelegram(stage);
  await takeChat(stage);
  await stage.page.goto('about:blank');
  await stage.page.setViewportSize({ width: 960, height: 560 });
  await takeEmail(stage);
  await takeSms(stage);
}

async function takeTelegram({ page, post, open, take }: Stage): Promise<void> {
  const standIn = await telegramStandIn();
  try {
    const { connection } = await post('/connections', {
      type: 'telegram',
      settings: { token: standIn.token, api_url: standIn.url },
      name: LIBRARY,
    });
    await standIn.write(27_611_111, 'Is the library open on Sunday?');
    await open(`numbers/${connection.number.uuid}`);
    await page.getByText('stand_in_bot', { exact: true }).waitFor();
    await take('telegram');
  } finally {
    await standIn.stop();
  }
}

async function takeChat({ page, sandbox, take }: Stage): Promise<void> {
  await page.setViewportSize({ width: 960, height: 720 });
  await page.goto(`${sandbox.api}/chat`);
  await page.locator('posthorn-chat button').click();
  const write = async (text: string): Promise<void> => {
    await page.locator('posthorn-chat textarea').fill(text);
    await page.keyboard.press('Enter');
  };
  await write('hi');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByText('What may I call you?').first().waitFor();
  await write('Thandi');
  await page.getByRole('button', { name: 'Opening hours' }).click();
  await page.getByText('Is there anything else?').first().waitFor();
  await take('chat');
}

const buttonOf = (title: string, id: number) => ({ type: 'reply', reply: { id: String(id), title } });

async function takeEmail(stage: Stage): Promise<void> {
  const { page, post, receiver, take } = stage;
  const mail = await emailStandIn();
  try {
    await page.setContent(readingRoom);
    receiver.files.set('/room.png', await page.locator('div').screenshot());
    const { connection } = await post('/connections', { type: 'email', settings: { ...mail.settings, name: LIBRARY }, name: LIBRARY });
    await mail.write('thandi@people.example', 'Which rooms do you have?', { subject: 'Rooms', name: 'Thandi' });
    await answer(stage, connection.number.uuid, {
      header: { type: 'image', image: { link: `${receiver.url}/room.png` } },
      body: { text: 'The **reading room** has 40 seats and a view of the river. What would you like to do?' },
      footer: { text: 'Riverside Library, Monday to Saturday' },
      action: { buttons: ['Reserve a seat', 'Opening hours', 'Talk to a person'].map(buttonOf) },
    });
    await until('the mail', async () => mail.sent);
    await page.setContent(mailPage(mail.sent[0]!));
    await take('email');
  } finally {
    await mail.stop();
  }
}

async function takeSms(stage: Stage): Promise<void> {
  const { page, post, take } = stage;
  const gateway = await smsStandIn({ shape: 'twilio' });
  try {
    const { account, token, sender, url } = gateway;
    const settings = { gateway: 'twilio', account, token, sender, base_url: url };
    const { connection } = await post('/connections', { type: 'sms', settings, name: LIBRARY });
    const { uuid } = connection.number;
    gateway.connect(connection.details);
    await gateway.write(PHONE, 'Hi, do you have a room for tomorrow?');
    await answer(stage, uuid, {
      body: { text: 'Hello Thandi! Which room would you like?' },
      action: { buttons: ['Reading room', 'Group room', 'None of them'].map(buttonOf) },
    });
    await until('the options', async () => gateway.sent);
    await gateway.write(PHONE, '2');
    await answer(stage, uuid, undefined, 'The group room is yours tomorrow from 10:00 to 12:00.');
    await until('the answer', async () => gateway.sent.slice(1));
    const [offer, done] = gateway.sent.map(({ text }) => text);
    await page.setViewportSize({ width: 420, height: 430 });
    await page.setContent(phonePage(sender, ['Hi, do you have a room for tomorrow?', offer!, '2', done!]));
    await take('sms');
  } finally {
    await gateway.stop();
  }
}

/** Answers the first contact of a number as an operator, with options or a text. */
async function answer({ get, post }: Stage, uuid: string, interactive: object | undefined, text?: string): Promise<void> {
  const [conversation] = await until<Json>('a message', async () => (await get(`/numbers/${uuid}/conversations`)).conversations);
  const message = interactive
    ? { type: 'interactive', interactive: { type: 'button', ...interactive } }
    : { type: 'text', text: { body: text } };
  await post(`/conversations/${conversation.uuid}/messages`, { operator: { id: 'desk', name: 'Desk' }, ...message });
}
