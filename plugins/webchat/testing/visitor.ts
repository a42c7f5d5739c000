import { randomUUID } from 'node:crypto';

/** A message as the web chat shows it to its visitor. */
export interface VisitorMessage {
  readonly position: number;
  readonly id: string;
  readonly client_id?: string;
  readonly direction: 'in' | 'out';
  readonly type: string;
  readonly status: string;
  readonly text?: { readonly body: string; readonly spans: readonly unknown[] };
  readonly options?: readonly { readonly key: number; readonly id: string; readonly title: string }[];
  readonly chosen?: number;
  readonly file?: {
    readonly url: string;
    readonly type: string;
    readonly kind: string;
    readonly size?: number;
    readonly caption?: { readonly body: string };
  };
  readonly [field: string]: unknown;
}

/** An event of the stream, in the order of arrival. */
export interface VisitorEvent {
  readonly event: string;
  readonly id?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: data of any event
  readonly data: any;
}

/** The response to a call that the web chat refuses. */
export class CallRefused extends Error {
  readonly status: number;
  readonly reason: string;
  readonly retryAfter: string | null;

  constructor(status: number, body: string, retryAfter: string | null) {
    super(`${status}: ${body}`);
    this.status = status;
    this.reason = /"cause":"(\w+)"/.exec(body)?.[1] ?? '';
    this.retryAfter = retryAfter;
  }
}

const UNTIL_MS = 10_000;

/** How a visitor reaches the web chat. */
export interface VisitorOptions {
  /** The URL of the web chat: `http://localhost:3000/webchat/<uuid of the number>`. */
  readonly url: string;
  /** The origin of the page, as a browser sends it. */
  readonly origin?: string;
  /** A token that an earlier visitor on this browser had. */
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch;
}

/** A visitor of a website with the protocol of the widget: sessions, messages, files, and a stream that can be cut and resumed. */
export type WebchatVisitor = ReturnType<typeof webchatVisitor>;

export function webchatVisitor({ url, origin, token: stored, fetch: send = fetch }: VisitorOptions) {
  let token = stored;
  let cursor: string | undefined;
  let stream: AbortController | undefined;
  const known = new Map<string, VisitorMessage>();
  const events: VisitorEvent[] = [];
  const waiting = new Set<() => void>();

  async function call(method: string, path: string, body?: object | Uint8Array): Promise<Response> {
    const isBytes = body instanceof Uint8Array;
    const response = await send(`${url}/${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(origin !== undefined && { origin }),
        ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body && { body: (isBytes ? body : JSON.stringify(body)) as never }),
    });
    if (!response.ok) throw new CallRefused(response.status, await response.text(), response.headers.get('retry-after'));
    return response;
  }
  // biome-ignore lint/suspicious/noExplicitAny: responses of any call
  const json = async (method: string, path: string, body?: object | Uint8Array): Promise<any> => (await call(method, path, body)).json();

  function keep(message: VisitorMessage): void {
    known.set(message.id, message);
  }
  function took(event: VisitorEvent): void {
    events.push(event);
    if (event.event === 'message') {
      keep(event.data);
      cursor = event.id ?? cursor;
    }
    for (const wake of waiting) wake();
  }

  async function read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
        const data = field('data');
        if (data !== undefined) took({ event: field('event') ?? 'message', id: field('id'), data: JSON.parse(data) });
      }
    }
  }

  const post = async (body: object): Promise<VisitorMessage> => {
    const { message } = await json('POST', 'messages', body);
    keep(message);
    return message;
  };

  return {
    events: events as readonly VisitorEvent[],
    get token(): string | undefined {
      return token;
    },
    get cursor(): string | undefined {
      return cursor;
    },
    /** All messages that the visitor has, once each, in their order. */
    messages: (): VisitorMessage[] => [...known.values()].sort((a, b) => a.position - b.position),

    /** Opens a session, or continues it. */
    async open(more: { user?: object; language?: string } = {}) {
      const opened = await json('POST', 'sessions', { ...(token !== undefined && { token }), ...more });
      ({ token, cursor } = opened);
      for (const message of opened.messages) keep(message);
      return opened;
    },

    say: (text: string, client_id: string = randomUUID()) => post({ client_id, type: 'text', text }),
    tap: (message: string, index: number, client_id: string = randomUUID()) => post({ client_id, type: 'tap', option: { message, index } }),
    /** Uploads a file, and sends it. */
    async sendFile(
      bytes: Uint8Array,
      { name, type, caption }: { name: string; type: string; caption?: string },
      client_id: string = randomUUID(),
    ) {
      const file = await json('POST', `files?name=${encodeURIComponent(name)}&type=${encodeURIComponent(type)}`, bytes);
      return post({ client_id, type: 'file', file: file.id, ...(caption !== undefined && { caption }) });
    },
    /** The response to a call for a file, by its URL in a message. */
    file: (path: string): Promise<Response> => send(`${url}/${path}`),

    seen: (position: number) => json('POST', 'seen', { position }),
    received: (position: number) => json('POST', 'received', { position }),
    typing: (on: boolean) => json('POST', 'typing', { on }),
    /** Asks for the messages after the last one that the visitor has. */
    async poll() {
      for (let more = true; more; ) {
        const page = await json('GET', `messages?after=${cursor ?? '0'}`);
        for (const message of page.messages) keep(message);
        ({ cursor, more } = page);
      }
    },
    /** The messages before the oldest one that the visitor has. */
    history: (before: string, limit = 30) => json('GET', `messages?before=${before}&limit=${limit}`),

    /** Opens the stream, or resumes it after the last message. */
    async listen(): Promise<void> {
      stream = new AbortController();
      const { signal } = stream;
      const response = await send(`${url}/stream?after=${cursor ?? '0'}`, {
        signal,
        headers: { authorization: `Bearer ${token}`, ...(origin !== undefined && { origin }) },
      });
      if (!response.ok) throw new CallRefused(response.status, await response.text(), response.headers.get('retry-after'));
      // The visitor, the server or the network has ended the stream; `listen` opens it again.
      const ended = (error?: unknown): void => took({ event: 'ended', data: { error: error === undefined ? null : String(error) } });
      read(response).then(() => ended(), ended);
    },
    /** Cuts the connection of the stream. */
    cut: (): void => stream?.abort(),

    /** Resolves when an event that fits has arrived, also before the call. Rejects after `limitMs` of real time. */
    until: (fits: (event: VisitorEvent) => boolean, limitMs = UNTIL_MS): Promise<VisitorEvent> =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`no such event within ${limitMs} ms; events: ${JSON.stringify(events)}`));
        }, limitMs);
        function look(): void {
          const found = events.find(fits);
          if (!found) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        }
        waiting.add(look);
        look();
      }),
  };
}
