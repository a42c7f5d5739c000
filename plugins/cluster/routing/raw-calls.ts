import type { Request, Server } from '@hapi/hapi';
import { BodyTooLarge } from '#core';
import { NOT_OWNER_HEADER } from './hop.js';
import type { Answer } from './several.js';
import { passedOn, type ShardCall } from './shard-calls.js';

const MISDIRECTED = 421;

/** Lets the server of a shard in this process respond. It sees method and URL as the extensions of the host have changed them. */
export function handOver(request: Request, server: Server): void {
  const { req, res } = request.raw;
  req.method = request.method.toUpperCase();
  req.url = changedUrl(request);
  server.listener.emit('request', req, res);
}

/** Path and query as the client sent them, unless an extension of the host has set others. */
function changedUrl(request: Request): string {
  const sent = sentUrl(request);
  const { pathname, searchParams } = new URL(sent, 'http://host');
  const isSame = decoded(pathname) === decoded(request.path) && searchParams.toString() === request.url.searchParams.toString();
  return isSame ? sent : `${request.path}${request.url.search}`;
}

/** Path and query as the client sent them. Clients of proxies send the whole URL. */
function sentUrl({ raw: { req } }: Request): string {
  const sent = req.url!;
  if (sent.startsWith('/')) return sent;
  const { pathname, search } = new URL(sent);
  return `${pathname}${search}`;
}

/** A path for comparison: hapi decodes some characters, and may strip a slash at the end. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace(/(?<=.)\/$/, '');
  } catch {
    return path;
  }
}

/** Tells the calling process that this one does not own the shard. The call has no effect. */
export function notOwner({ raw: { req, res } }: Request): void {
  req.resume();
  res.writeHead(MISDIRECTED, { [NOT_OWNER_HEADER]: '1', 'content-length': '0' }).end();
}

/** The call of a client, without its body. */
export const callOf = (request: Request): Omit<ShardCall, 'body'> => ({
  method: request.method.toUpperCase(),
  client: request.info.remoteAddress,
  url: sentUrl(request),
  headers: request.raw.req.headers,
});

export const hasBody = ({ method }: Request): boolean => method !== 'get' && method !== 'head';

/** Aborted when the client disconnects before it has the response. */
export function abortedWith({ raw: { res } }: Request): AbortSignal {
  const ended = new AbortController();
  res.once('close', () => res.writableFinished || ended.abort());
  return ended.signal;
}

/** Sends the response of a shard to the client. */
export function passOn({ raw: { res } }: Request, { statusCode, headers, body }: Answer): void {
  res.writeHead(statusCode, passedOn(headers));
  // Without a listener, a response that is cut off would end the process.
  body.on('error', () => res.destroy());
  res.once('close', () => body.destroyed || body.destroy());
  body.pipe(res);
}

/** @throws BodyTooLarge */
export async function readBody({ raw: { req } }: Request, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The object in a body; undefined for other bodies, which the shard refuses. */
export function parsed(body: Buffer | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(String(body));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
