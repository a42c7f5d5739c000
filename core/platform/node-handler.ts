import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@hapi/hapi';
import { CAUSE_HEADER } from '../contract/cause.js';
import { defaultErrors } from '../contract/default-errors.js';
import { NotReady, PlatformError } from '../errors.js';
import { RETRY_AFTER_SECONDS } from '../kernel/http/answers.js';
import { BROWSER_HEADERS } from '../kernel/http/browser-guard.js';
import type { createLifecycle } from '../kernel/plugins/lifecycle.js';
import type { Logger } from '../ports/logger.js';
import { NOT_RUNNING } from './lifecycle.js';

/** A request as frameworks pass it on: `originalUrl` is that of the client, without what they have removed from `url`. */
type Incoming = IncomingMessage & { readonly originalUrl?: string };

/** Responds to a request, as `http.createServer` and `app.use` of Express call it. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void;

interface ServingDeps {
  /** Mounts the platform at the root of a server, whose start calls `begin`. */
  readonly mount: (server: Server, begin: () => Promise<void>) => Promise<void>;
  /** Starts the platform, once. */
  readonly begin: () => Promise<void>;
  readonly lifecycle: Pick<ReturnType<typeof createLifecycle>, 'state' | 'stop'>;
  readonly log: Pick<Logger, 'error'>;
}

/** How long a stop waits for responses in progress, as a hapi server does by default. */
const DRAIN_MS = 5_000;
const LOOK_MS = 5;

/**
 * Serves a platform whose host has no hapi server. Requests of any `node:http` server go to a hapi server that does not listen. The
 * first request creates it, because links need the address that this request shows.
 */
export function serveWithoutHost({ mount, begin, lifecycle, log }: ServingDeps) {
  let serving: Promise<Server | undefined> | undefined;
  let begun: Promise<void> | undefined;
  let isBegunByRequest = false;
  let stopping: Promise<void> | undefined;
  let isStoppedEarly = false;
  const inFlight = new Set<ServerResponse>();

  return {
    nodeHandler({ prefix }: { readonly prefix?: string } = {}): NodeHandler {
      if (prefix !== undefined && !/^\/.*[^/]$/.test(prefix))
        throw new TypeError(`the prefix ${JSON.stringify(prefix)} cannot be used: it must begin with a slash, and not end with one`);
      return (req, res) =>
        void respond(req, res, prefix).catch((error) => {
          log.error('a request could not be passed on to the platform', { error });
          refuse(res, new PlatformError(500, 'internal_error', 'Internal error; the log says why'));
        });
    },

    start(): Promise<void> {
      if (isBegunByRequest) return begun!;
      isStoppedEarly = false;
      const starting = begin();
      begun ??= starting;
      return starting;
    },

    /** Before the first start or request, requests are refused from then on, unless `start` is called. */
    stop(): Promise<void> {
      isStoppedEarly = !serving && lifecycle.state() === 'new';
      if (isStoppedEarly) return Promise.resolve();
      stopping ??= (async () => {
        // Ends a start in progress, for which the server would wait.
        if (lifecycle.state() === 'starting') await lifecycle.stop();
        const server = await serving;
        await (server ?? lifecycle).stop();
      })();
      return stopping;
    },
  };

  function whyEnded(): string | undefined {
    const state = lifecycle.state();
    return state === 'new' ? ((isStoppedEarly || stopping) && NOT_RUNNING.stopped) || undefined : NOT_RUNNING[state];
  }

  async function respond(req: Incoming, res: ServerResponse, prefix: string | undefined): Promise<void> {
    const whyNot = whyEnded();
    if (whyNot !== undefined) return refuse(res, new NotReady(whyNot));
    const { base, rest } = placeOf(req, prefix);
    if (rest === undefined) return refuse(res, new PlatformError(404, 'route_not_found', `This handler serves paths below ${base}`));
    if (isBodyRead(req)) {
      log.error(BODY_READ, { method: req.method });
      return refuse(res, new PlatformError(500, 'internal_error', BODY_READ));
    }
    serving ??= serve(req, base).catch((error) => {
      log.error('the platform could not start', { error });
      return undefined;
    });
    const server = await serving;
    if (!server) return refuse(res, new NotReady('the platform could not start; its log says why'));
    if (res.destroyed) return;
    inFlight.add(res);
    const ended = () => inFlight.delete(res);
    // Both events: responses of test tools only finish, and those whose client disconnects only close.
    res.once('finish', ended).once('close', ended);
    req.url = rest;
    server.listener.emit('request', req, res);
  }

  async function serve({ socket }: Incoming, base: string): Promise<Server> {
    // Loaded here: a host with a hapi server of its own has loaded it already.
    const { server: create } = await import('@hapi/hapi');
    const isTls = 'encrypted' in socket;
    const port = socket.localPort === undefined ? '' : `:${socket.localPort}`;
    const server = create({
      autoListen: false,
      listener: createServer(),
      // The connections are those of the host, so a stop leaves them open.
      operations: { cleanStop: false },
      uri: `http${isTls ? 's' : ''}://localhost${port}${base}`,
      ...(isTls && { tls: true }),
    });
    await mount(server, () => {
      isBegunByRequest = begun === undefined;
      begun ??= begin();
      return begun;
    });
    // After the extension of the platform, which ends event streams.
    server.ext('onPreStop', async () => {
      for (const end = performance.now() + DRAIN_MS; inFlight.size > 0 && performance.now() < end; ) await sleep(LOOK_MS);
    });
    // Does not listen. Without it, each response would end the connection of the client.
    await server.start();
    return server;
  }
}

/** Where the handler is mounted, and the rest of the URL; undefined for a URL outside of the prefix. */
function placeOf(
  { originalUrl, url = '/' }: Incoming,
  given: string | undefined,
): { readonly base: string; readonly rest: string | undefined } {
  const whole = originalUrl ?? url;
  if (given === undefined) {
    const [path, rest] = [pathOf(whole), pathOf(url)];
    // Express removes the whole path of its mount, and adds a slash.
    const base = path.endsWith(rest) ? path.slice(0, -rest.length) : rest === '/' ? path : '';
    return { base, rest: url };
  }
  const rest = whole.slice(given.length);
  if (!whole.startsWith(given) || !/^([/?]|$)/.test(rest)) return { base: given, rest: undefined };
  return { base: given, rest: rest.startsWith('/') ? rest : `/${rest}` };
}

const pathOf = (url: string): string => url.split('?')[0]!;

const BODY_READ =
  'The body was read before the platform received the request: call the handler of platform.nodeHandler() before body parsers such as express.json()';

/** Whether a parser of the host has read the body, so that the platform would wait for it in vain, or see none. */
const isBodyRead = ({ readableDidRead, headers }: IncomingMessage): boolean =>
  readableDidRead && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

function refuse(res: ServerResponse, error: PlatformError): void {
  if (res.headersSent) return;
  const { status, body } = defaultErrors.render(error)!;
  const retry = status >= 500 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  res.writeHead(status, { ...BROWSER_HEADERS, ...retry, 'content-type': 'application/json; charset=utf-8', [CAUSE_HEADER]: error.code });
  res.end(JSON.stringify(body));
}
