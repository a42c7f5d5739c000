import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Tap } from '#core/testing';
import { expiredCertificate, expiredKey, goodCertificate, goodKey } from '../ports/certificates.js';
import { headOf, type Received, type Receiver, type ReceiverOptions, receive, respond } from '../ports/receiver.js';

/** The expected outcome of a delivery to an endpoint that misbehaves in one way. */
export interface Misbehaviour {
  readonly name: string;
  readonly state: 'delivered' | 'cancelled' | 'dropped';
  readonly reason?: string;
  /** Attempts that are made, each when the retry policy says. */
  readonly attempts: 1 | 6;
  /** Requests that arrive at the endpoint in one attempt; 1 if not given. */
  readonly arrive?: number;
  /** Seconds that an attempt takes on the clock of the platform. */
  readonly takes?: number;
  readonly status: number;
  readonly code: string | null;
  /** The outcome of the last attempt as people read it; the status if not given. */
  readonly shown?: RegExp;
  /** The error of the last attempt; null for none. */
  readonly words: RegExp | null;
  at(t: Tap): Promise<{ readonly url: string; readonly receiver?: Receiver }>;
}

const good = { key: goodKey, cert: goodCertificate };
const expired = { key: expiredKey, cert: expiredCertificate };
const CLOSED_PORT = 1;

/** An endpoint on this machine. A URL with a host name resolves to it as well, see `addresses`. */
const answering =
  (answer: (socket: Socket, request: Received) => void, options: ReceiverOptions = {}, host?: string) =>
  async (t: Tap) => {
    const receiver = await receive(t, answer, options);
    const url = host === undefined ? receiver.url : `${options.tls ? 'https' : 'http'}://${host}:${receiver.port}/hook`;
    return { receiver, url };
  };
const elsewhere = (url: string) => async () => ({ url });
const bytes = (text: string) => answering((socket) => void socket.write(text));

/** Addresses by host name. */
export const addresses: Readonly<Record<string, string | Error | 'never'>> = {
  'connector.test': '127.0.0.1',
  'elsewhere.test': '127.0.0.1',
  'six.test': '::1',
  'inside.test': '10.0.0.1',
  'metadata.test': '169.254.169.254',
  'gone.test': Object.assign(new Error('gone'), { code: 'ENOTFOUND' }),
  'sick.test': Object.assign(new Error('sick'), { code: 'ESERVFAIL' }),
  'silent.test': 'never',
};

const delivered = { state: 'delivered', attempts: 1, status: 200, code: null, words: null } as const;
const cancelled = { state: 'cancelled', attempts: 1 } as const;
const dropped = { state: 'dropped', reason: 'exhausted', attempts: 6 } as const;
const network = { ...dropped, status: 504, code: 'network_error' } as const;
const tls = { ...dropped, status: 504, code: 'tls', shown: /^TLS$/, arrive: 0 };
const late = { ...dropped, status: 504, code: 'timeout', shown: /^timed out$/, words: /^no response within 5 seconds$/, takes: 5 };

/** Endpoints that fail or respond immediately. */
export const prompt: readonly Misbehaviour[] = [
  { name: 'responds without content', ...delivered, status: 204, at: bytes(headOf(204, {})) },
  {
    name: 'responds with the wrong content type',
    ...delivered,
    at: answering((socket) => respond(socket, { headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' })),
  },
  {
    name: 'responds with valid JSON of the wrong shape',
    ...delivered,
    at: answering((socket) => respond(socket, { headers: { 'content-type': 'application/json' }, body: '[null,{"messages":7}]' })),
  },
  {
    name: 'responds with an unrequested gzip bomb',
    ...delivered,
    at: answering((socket) => respond(socket, { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(5_000_000)) })),
  },
  {
    name: 'responds with a huge body',
    ...delivered,
    at: answering((socket) => void socket.write(headOf(200, { 'content-length': '100000000' }) + 'x'.repeat(200_000))),
  },
  {
    name: 'closes its half before the body is complete',
    ...delivered,
    at: answering((socket) => void socket.end(`${headOf(200, { 'content-length': '100' })}some`)),
  },
  {
    name: 'sends invalid chunks after a valid head',
    ...delivered,
    at: bytes(`${headOf(200, { 'transfer-encoding': 'chunked' })}zzz\r\n`),
  },
  {
    name: 'has headers of 64 KB',
    ...delivered,
    at: bytes(`HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(64 * 1024)}\r\ncontent-length: 0\r\n\r\n`),
  },
  { name: 'ends its lines with a bare LF', ...delivered, at: bytes('HTTP/1.1 200 OK\ncontent-length: 2\n\n{}') },
  {
    name: 'sends a hundred interim responses before the final one',
    ...delivered,
    at: answering((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      for (let i = 0; i < 100; i++) socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      respond(socket);
    }),
  },
  { name: 'has only an IPv6 address', ...delivered, at: answering((socket) => respond(socket), { host: '::1' }, 'six.test') },
  {
    name: 'redirects to itself endlessly',
    ...dropped,
    status: 302,
    code: 'http_302',
    words: /^the endpoint answered 302; redirects are not followed$/,
    at: answering((socket) => respond(socket, { status: 302, headers: { location: '/hook' } })),
  },
  {
    name: 'responds with 404',
    ...cancelled,
    reason: 'http_4xx',
    status: 404,
    code: 'http_4xx',
    words: /^the endpoint answered 404, which ends retries$/,
    at: answering((socket) => respond(socket, { status: 404 })),
  },
  {
    name: 'responds with 429',
    ...cancelled,
    reason: 'http_4xx',
    status: 429,
    code: 'http_4xx',
    words: /answered 429, which ends retries$/,
    at: answering((socket) => respond(socket, { status: 429, headers: { 'retry-after': '1' } })),
  },
  {
    name: 'has a proxy that responds with 502',
    ...cancelled,
    reason: 'http_502',
    status: 502,
    code: 'http_502',
    words: /answered 502, which ends retries$/,
    at: answering((socket) => respond(socket, { status: 502 })),
  },
  {
    name: 'responds with 500',
    ...dropped,
    status: 500,
    code: 'http_500',
    words: /^the endpoint answered 500$/,
    at: answering((socket) => respond(socket, { status: 500 })),
  },
  {
    name: 'resets the connection',
    ...network,
    shown: /^(reset|closed)$/,
    words: /^the connection was (reset|closed)/,
    at: answering((socket) => void socket.resetAndDestroy()),
  },
  {
    name: 'closes its half without an answer',
    ...network,
    shown: /^closed$/,
    words: /^the connection was closed before the response was complete$/,
    at: answering((socket) => void socket.end()),
  },
  {
    name: 'does not speak HTTP',
    ...network,
    shown: /^invalid response$/,
    words: /^the response is not valid HTTP: Expected HTTP/,
    at: bytes('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
  },
  {
    name: 'has a huge header',
    ...network,
    shown: /^invalid response$/,
    words: /^the headers of the response are larger than 128 KB$/,
    at: bytes(`HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(200_000)}\r\n\r\n`),
  },
  {
    name: 'switches to an unrequested protocol',
    ...network,
    shown: /^closed$/,
    words: /^the connection was closed/,
    at: bytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n'),
  },
  {
    name: 'sends two content-length headers',
    ...network,
    shown: /^invalid response$/,
    words: /^the response body does not match its content-length$/,
    at: bytes('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n12'),
  },
  {
    name: 'is not running',
    ...network,
    shown: /^refused$/,
    words: /^the connection was refused$/,
    at: elsewhere(`http://127.0.0.1:${CLOSED_PORT}/`),
  },
  {
    name: 'has a certificate that has expired',
    ...tls,
    words: /^TLS: the certificate has expired$/,
    at: answering((socket) => respond(socket), { tls: expired }, 'connector.test'),
  },
  {
    name: 'has a certificate for another name',
    ...tls,
    words: /^TLS: the certificate is for another name$/,
    at: answering((socket) => respond(socket), { tls: good }, 'elsewhere.test'),
  },
  {
    name: 'speaks plain HTTP where TLS is expected',
    ...tls,
    words: /^TLS: the handshake failed$/,
    async at(t) {
      const { port } = await receive(t, () => {}, { onConnection: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') });
      return { url: `https://127.0.0.1:${port}/` };
    },
  },
  {
    name: 'has a name that does not exist',
    ...cancelled,
    reason: 'dns_not_found',
    status: 502,
    code: 'dns_not_found',
    shown: /^unknown host$/,
    words: /^the host gone\.test does not exist$/,
    at: elsewhere('http://gone.test/hook'),
  },
  {
    name: 'has a name server that fails',
    ...network,
    shown: /^name server failed$/,
    words: /^the name server failed$/,
    at: elsewhere('http://sick.test/hook'),
  },
  ...['http://inside.test/hook', 'http://metadata.test/latest', 'http://192.168.0.1/', 'http://[::ffff:10.0.0.1]/'].map((url) => ({
    name: `is inside our own network: ${url}`,
    ...cancelled,
    reason: 'blocked_address',
    status: 0,
    code: 'blocked_address',
    shown: /^private address$/,
    words: / a loopback or private address, which privateTargets does not allow$/,
    at: elsewhere(url),
  })),
];

const drip = (socket: Socket, text: string): void => {
  const dripping = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(dripping));
};

/** Endpoints that are too slow. */
export const slow: readonly Misbehaviour[] = [
  {
    name: 'accepts a connection and never reads',
    ...late,
    arrive: 0,
    at: answering(() => {}, { onConnection: (socket) => socket.pause() }),
  },
  { name: 'reads the request and never answers', ...late, at: answering(() => {}) },
  {
    name: 'drips its head',
    ...late,
    at: answering((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      drip(socket, 'x');
    }),
  },
  { name: 'sends 100 Continue and no final response', ...late, at: bytes('HTTP/1.1 100 Continue\r\n\r\n') },
  { name: 'sends an interim response and no final one', ...late, at: bytes('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n') },
  {
    name: 'does not answer the TLS handshake',
    ...late,
    async at(t) {
      const { port } = await receive(t, () => {}, { onConnection: () => {} });
      return { url: `https://127.0.0.1:${port}/` };
    },
  },
  { name: 'has a name server that never answers', ...late, at: elsewhere('http://silent.test/hook') },
  { name: 'sends 200 and no body', ...delivered, takes: 5, at: bytes(headOf(200, { 'content-length': '10' })) },
  {
    name: 'drips its body',
    ...delivered,
    takes: 5,
    at: answering((socket) => {
      socket.write(headOf(200, { 'content-length': '100000' }));
      drip(socket, 'x');
    }),
  },
  {
    name: 'has a body that never ends',
    ...delivered,
    takes: 5,
    at: answering((socket) => {
      socket.write(headOf(200, { 'transfer-encoding': 'chunked' }));
      drip(socket, '1\r\nx\r\n');
    }),
  },
];
