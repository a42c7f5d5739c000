/**
 * An integration: a service with a panel beside conversations. loans.ts has the contents of the panel; this file handles the
 * platform's requests: handshake, refreshes and clicks. One action refreshes the conversation immediately, the other reports later.
 *
 * Environment variables:
 *   POSTHORN_API      the address of the platform, such as http://127.0.0.1:4100
 *   POSTHORN_SECRET   hmac_secret of the integration
 *   POSTHORN_SERVICE  the service's word in header names (default: Svc)
 *   PORT              the port to listen on (default: any free one). The integration's URL is this address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from 'posthorn/signature';
import { type Click, extend, handshake, reserve, update } from './loans.js';

const { env } = process;
/** The duration of a reservation. */
const WORK_MS = 500;

const server = createServer(async (request, response) => {
  const answer = (body: object, status = 200, headers = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  /** The name of a header of the platform: of its signature, or of a request for a refresh. */
  const header = (name: string) => `x-${env.POSTHORN_SERVICE ?? 'svc'}-${name}`.toLowerCase();
  try {
    const body = await buffer(request);
    if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
    // Every request is signed, including the handshake: verify the raw bytes before parsing.
    const isSigned = verifySignature(env.POSTHORN_SECRET, body, String(request.headers[header('hook-signature')]));
    if (!isSigned) return answer({ error: 'the signature is wrong' }, 401);
    const call = JSON.parse(body.toString());
    if (call.handshake) return answer(handshake);
    if (request.url !== '/actions/extend' && request.url !== '/actions/reserve') return answer(update(call));
    // With this header the platform refreshes the conversation on receipt of the response.
    if (request.url === '/actions/extend') return answer(extend(call), 200, { [header('integration-refresh')]: 'true' });
    answer({});
    await finishLater(call);
  } catch (error) {
    console.error(`integration: ${error}`);
    if (!response.headersSent) answer({ error: String(error) }, 500);
  }
});

/** Does slow work after the response, then reports its end. */
async function finishLater(click: Click): Promise<void> {
  await sleep(WORK_MS);
  reserve(click);
  const url = `${env.POSTHORN_API}/api/integrations/${click.integration_uuid}/notify/finish`;
  const body = JSON.stringify({ integration_action_uuid: click.integration_action_uuid });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!response.ok) throw new Error(`the platform responded ${response.status}: ${await response.text()}`);
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`integration on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
