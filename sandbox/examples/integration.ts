/**
 * A service that shows something beside conversations. What it shows is in loans.ts; here it takes the calls of the platform: the
 * handshake, refreshes and clicks. One action has the conversation refreshed at once, the other says later that it is done.
 *
 * The environment says:
 *   POSTHORN_API      where the platform is, such as http://127.0.0.1:4100
 *   POSTHORN_SECRET   hmac_secret of the integration
 *   POSTHORN_SERVICE  the word of the service in the names of headers; Svc if not given
 *   PORT              where to listen; any free port if not given. The integration's URL is this address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from 'posthorn/signature';
import { type Click, extend, handshake, reserve, update } from './loans.js';

const { env } = process;
/** How long a reservation takes. */
const WORK_MS = 500;

const server = createServer(async (request, response) => {
  const answer = (body: object, status = 200, headers = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  /** Headers as the platform names them: of its signature, and of a wish to be asked again. */
  const header = (name: string) => `x-${env.POSTHORN_SERVICE ?? 'svc'}-${name}`.toLowerCase();
  try {
    const body = await buffer(request);
    if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
    // Every call is signed, the first one too: check the bytes as they came, before parsing them.
    const isSigned = verifySignature(env.POSTHORN_SECRET, body, String(request.headers[header('hook-signature')]));
    if (!isSigned) return answer({ error: 'the signature is wrong' }, 401);
    const call = JSON.parse(body.toString());
    if (call.handshake) return answer(handshake);
    if (request.url !== '/actions/extend' && request.url !== '/actions/reserve') return answer(update(call));
    // The conversation is loaded again as soon as this answer is there.
    if (request.url === '/actions/extend') return answer(extend(call), 200, { [header('integration-refresh')]: 'true' });
    answer({});
    await finishLater(call);
  } catch (error) {
    console.error(`integration: ${error}`);
    if (!response.headersSent) answer({ error: String(error) }, 500);
  }
});

/** Work that takes a while: done later, and said then. */
async function finishLater(click: Click): Promise<void> {
  await sleep(WORK_MS);
  reserve(click);
  const url = `${env.POSTHORN_API}/api/integrations/${click.integration_uuid}/notify/finish`;
  const body = JSON.stringify({ integration_action_uuid: click.integration_action_uuid });
  const said = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!said.ok) throw new Error(`the platform answered ${said.status}: ${await said.text()}`);
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`integration on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
