/**
 * An Express application beside Posthorn, which runs as a process of its own: the two exchange HTTP requests. The application verifies
 * the signatures of webhooks, and replies to texts through the API. Needs `npm install express`.
 * Environment variables: POSTHORN_API, POSTHORN_TOKEN and POSTHORN_SECRET (`npx posthorn env` prints them), and PORT (default: 4702).
 */
import express from 'express';
import { verifySignature } from 'posthorn/signature';

const { POSTHORN_API: api, POSTHORN_TOKEN: token, POSTHORN_SECRET: secret, PORT = '4702' } = process.env;
if (!api || !token || !secret) throw new Error('POSTHORN_API, POSTHORN_TOKEN and POSTHORN_SECRET must be set');
const app = express();

// Before express.json(): the signature covers the raw bytes, which a parser would discard.
app.post('/webhook', express.raw({ type: () => true }), async (request, response) => {
  if (!verifySignature(secret, request.body, request.get('x-svc-hook-signature'))) return response.sendStatus(401);
  // Respond before doing any work: deliveries that take more than five seconds are retried.
  response.json({ signature: 'ok' });
  const { messages = [] } = JSON.parse(request.body.toString());
  for (const { from, type, text } of messages) if (type === 'text') await reply(from, `You wrote: ${text.body}`);
});

app.use(express.json());
app.get('/', (_request, response) => response.send('your application'));

async function reply(to, body) {
  const response = await fetch(`${api}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to, type: 'text', text: { body } }),
  });
  console.log(response.ok ? `replied to ${to}` : `the reply was refused with ${response.status}: ${await response.text()}`);
}

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`Express on http://127.0.0.1:${server.address().port}`));
