/**
 * A platform below a path of an Express application, in the same process. The endpoint of its channel is a route of the application.
 * Needs `npm install express @hapi/hapi`. Environment variable: PORT (default: 4704).
 */
import { randomUUID } from 'node:crypto';
import express from 'express';
import { createPlatform } from 'posthorn';
import { channels, createChannel } from 'posthorn/plugins/channels';
import { messages } from 'posthorn/plugins/messages';
import { webhooks } from 'posthorn/plugins/webhooks';

const { PORT = '4704' } = process.env;
const url = `http://127.0.0.1:${PORT}`;
const platform = createPlatform({
  plugins: [channels(), messages(), webhooks()],
  publicUrl: `${url}/messaging`,
  privateTargets: ['127.0.0.1'],
});
const app = express();

// Before body parsers: the platform reads its bodies itself.
app.use('/messaging', platform.nodeHandler());
app.use(express.json());

// The endpoint of the channel. A real one passes the message to its contact.
app.post('/endpoint', ({ body }, response) => {
  console.log(`to ${body.to}: ${body.turn.text.body}`);
  response.json({ messages: [{ id: randomUUID() }] });
});

// Errors of the start are thrown here. Without it, the first request starts the platform.
await platform.start();
const { token } = await createChannel(platform, { address: 'web:shop', name: 'Shop', endpoint: `${url}/endpoint` });

// A route of the application that sends a message.
app.post('/hello/:contact', async ({ params: { contact } }, response) => {
  const sent = await fetch(`${url}/messaging/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: contact, type: 'text', text: { body: 'Hello' } }),
  });
  response.status(sent.status).json(await sent.json());
});

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`Express on ${url}`));
process.once('SIGTERM', async () => {
  await platform.stop(); // ends event streams, and finishes responses and work in progress
  server.close();
});
