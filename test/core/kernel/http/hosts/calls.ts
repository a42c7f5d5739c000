import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Server } from '@hapi/hapi';
import { ADMIN_KEY } from '#core/testing';

/** A call of a server. `body` is sent as JSON, unless it is text. */
export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const json = { 'content-type': 'application/json' };

/** Cookies of the host in the browser: some that its plugins know, and some that no server can parse. */
const COOKIES = 'session=made-up; crumb=made-up; sid=Fe26.2**broken; strict=a b"c; half';

/** Calls every kind of route of a platform; `token` is that of a number, `channel` that of a channel. */
export const platformCalls = (token: string, channel: string): readonly Call[] => {
  const bearer = { authorization: `Bearer ${token}` };
  const ofChannel = { authorization: `Bearer ${channel}` };
  const admin = { authorization: `Bearer ${ADMIN_KEY}` };
  const made = { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'web:2', name: 'Two', endpoint: 'https://c.test/' };
  const calls: readonly Call[] = [
    { path: '/health' },
    { method: 'HEAD', path: '/ready' },
    { path: '/console/' },
    { path: '/console/no%zz', headers: { accept: 'text/html' } },
    { path: '/v1/nothing' },
    { path: '/nothing' },
    { method: 'POST', path: '/v1/nothing', body: { some: 'thing' } },
    { method: 'PUT', path: '/v1/numbers', body: made },
    { method: 'POST', path: '/v1/numbers', body: made },
    { method: 'POST', path: '/v1/numbers', headers: { authorization: 'Bearer wrong' }, body: made },
    { method: 'POST', path: '/v1/numbers', headers: bearer, body: made },
    { method: 'POST', path: '/v1/numbers', headers: bearer, body: { name: 5 } },
    { method: 'POST', path: '/v1/numbers', headers: bearer, body: '{not json' },
    { method: 'POST', path: '/v1/numbers', headers: { ...bearer, 'content-type': 'text/xml' }, body: '<a/>' },
    { method: 'POST', path: '/v1/messages', headers: { ...bearer, ...json }, body: `"${'x'.repeat(2_000_000)}"` },
    { method: 'POST', path: '/v1/media', headers: { ...bearer, 'content-type': 'image/png' }, body: 'not a picture' },
    { method: 'POST', path: '/v1/stacks', headers: { ...ofChannel, 'content-type': 'text/markdown' }, body: 'no notebook' },
    { path: '/v1/stacks?page=1&page=2', headers: ofChannel },
    { path: '/admin/v1/numbers', headers: admin },
    { path: '/admin/v1/numbers' },
    { path: '/admin/v1/deliveries?state=pending&limit=2', headers: admin },
    { path: '/admin/v1/deliveries?colour=red', headers: admin },
    { method: 'DELETE', path: '/admin/v1/advice/none', headers: admin },
    { path: '/admin/v1/%zz', headers: admin },
  ];
  return calls.map((call) => ({ ...call, headers: { cookie: COOKIES, ...call.headers } }));
};

/** Calls a server without a socket, or at its address if it listens. */
export async function send(server: Server, { method = 'GET', path, headers = {}, body }: Call, listens: boolean): Promise<Response> {
  const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const all = {
    ...(body !== undefined && json),
    ...headers,
    ...(sent !== undefined && { 'content-length': String(Buffer.byteLength(sent)) }),
  };
  if (listens) return overSocket(server, { method, path, headers: all }, sent);
  const answer = await server.inject({ method, url: path, headers: all, ...(sent !== undefined && { payload: sent }) });
  return { status: answer.statusCode, headers: answer.headers, body: answer.payload };
}

function overSocket({ info, settings }: Server, call: { method: string; path: string; headers: object }, body: string | undefined) {
  const at = typeof settings.port === 'string' ? { socketPath: settings.port } : { host: '127.0.0.1', port: info.port };
  const request = info.protocol === 'https' ? httpsRequest : httpRequest;
  return new Promise<Response>((resolve, reject) => {
    const sent = request({ ...at, ...call, headers: { ...call.headers }, agent: false, rejectUnauthorized: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() });
    });
    sent.once('error', reject).end(body);
  });
}
