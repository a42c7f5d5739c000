import type { PageApi, PageContext, PageEvent } from '../../page-api.js';
import type { FromFrame, Opening, ToFrame } from './messages.js';

// Runs in the frame of a plugin's page, before the scripts of the page.

interface Waiting {
  readonly resolve: (body: never) => void;
  readonly reject: (error: Error) => void;
}

let port: MessagePort | undefined;
let connected: (context: PageContext) => void;
const early: FromFrame[] = [];
const waiting = new Map<number, Waiting>();
const listeners = new Set<(event: PageEvent) => void>();
let lastId = 0;

function send(message: FromFrame): void {
  if (port) port.postMessage(message);
  else early.push(message);
}

function receive(message: ToFrame): void {
  switch (message.kind) {
    case 'theme':
      document.documentElement.dataset.theme = message.theme;
      return;
    case 'event':
      for (const listener of listeners) listener(message.event);
      return;
    case 'response':
      waiting.get(message.id)?.resolve(message.body as never);
      break;
    case 'failure': {
      const { status, body } = message;
      waiting.get(message.id)?.reject(Object.assign(new Error(message.message), { status, body }));
    }
  }
  waiting.delete(message.id);
}

const api: PageApi = {
  ready: new Promise((resolve) => {
    connected = resolve;
  }),
  call: (method, path, payload) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      send({ kind: 'call', id, method, path, ...(payload !== undefined && { payload }) });
    }),
  listen(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  open: (path) => send({ kind: 'open', path: String(path) }),
  announce: (text) => send({ kind: 'announce', text: String(text) }),
};
Object.defineProperty(globalThis, 'posthorn', { value: Object.freeze(api) });

addEventListener('error', ({ message }) => send({ kind: 'error', message }));
addEventListener('unhandledrejection', ({ reason }) =>
  send({ kind: 'error', message: String((reason as Error | undefined)?.message ?? reason) }),
);

addEventListener('message', function open({ source, data, ports }: MessageEvent<Opening>) {
  if (source !== parent || data?.posthorn !== 'open') return;
  removeEventListener('message', open);
  port = ports[0]!;
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => receive(data);
  document.documentElement.dataset.theme = data.context.theme;
  send({ kind: 'ready' });
  for (const message of early.splice(0)) send(message);
  const measure = (): void => send({ kind: 'height', height: document.documentElement.getBoundingClientRect().height });
  // Browsers run no observers in frames that cannot be seen.
  measure();
  new ResizeObserver(measure).observe(document.documentElement);
  connected(data.context);
});
