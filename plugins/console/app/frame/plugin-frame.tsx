import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { ContributedPage } from '#core';
import { Failure } from '../components/status.js';
import { SERVER } from '../data/address.js';
import { admin, CallFailed, type Method } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { live } from '../data/live.js';
import { shownTheme } from '../data/preferences.js';
import { isAllowed } from './allowed-call.js';
import type { FromFrame, Opening, ToFrame } from './messages.js';
import { texts } from './texts.js';

/** A page of a plugin, as `GET /admin/v1/console/pages` lists it. */
export type PluginPage = Required<Omit<ContributedPage, 'html'>>;

type Subject = Opening['context']['subject'];

/** A page that does not connect in this time is reported as failed. */
const CONNECT_MS = 8_000;
const MAX_PENDING = 20;
const MAX_ERRORS = 20;
const MAX_TEXT = 500;
/** Pixels. */
const HEIGHT = { least: 32, most: 20_000 };

/** The frame of a plugin's page. Errors of the page are shown above it, and affect nothing else. */
export function PluginFrame({ page, subject }: { page: PluginPage; subject: Subject }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [, navigate] = useLocation();
  const height = useSignal(HEIGHT.least);
  const errors = useSignal<readonly string[]>([]);
  /** Why there is no frame. */
  const failed = useSignal<string | undefined>(undefined);
  const attempt = useSignal(0);
  const channel = useRef<MessagePort>();
  const post = (message: ToFrame): void => channel.current?.postMessage(message);

  useEffect(() => {
    if (failed.value !== undefined) return;
    let isConnected = false;
    let pending = 0;
    const timer = setTimeout(() => {
      if (!isConnected) fail(texts.itDidNotStart);
    }, CONNECT_MS);

    function fail(why: string): void {
      channel.current?.close();
      channel.current = undefined;
      failed.value = why;
    }

    function connect(): void {
      // A document that the frame loads later is not the page of the plugin.
      if (channel.current) {
        fail(texts.itLeftItsAddress);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      channel.current = port1;
      port1.onmessage = ({ data }: MessageEvent<FromFrame>) => receive(data);
      const opening: Opening = { posthorn: 'open', context: { theme: shownTheme.value, subject } };
      // The origin of a sandboxed frame has no name.
      frame.current!.contentWindow!.postMessage(opening, '*', [port2]);
    }

    function receive(message: FromFrame): void {
      switch (message.kind) {
        case 'ready':
          isConnected = true;
          return;
        case 'height':
          height.value = Math.min(HEIGHT.most, Math.max(HEIGHT.least, Math.ceil(Number(message.height)) || 0));
          return;
        case 'open':
          if (isPath(message.path)) navigate(message.path);
          else report(texts.posthornOpenTakesAPath(shortened(message.path)));
          return;
        case 'announce':
          announce(shortened(message.text));
          return;
        case 'error':
          report(shortened(message.message).replace(/^Uncaught (Error: )?/, ''));
          return;
        case 'call':
          void respond(message);
      }
    }

    async function respond({ id, method, path, payload }: Extract<FromFrame, { kind: 'call' }>): Promise<void> {
      const refuse = (message: string): void => post({ kind: 'failure', id, message, status: 403, body: null });
      if (!isPath(path) || !isAllowed(page.calls, String(method), path))
        return refuse(texts.thePageDoesNotList(shortened(`${method} ${path}`)));
      if (pending >= MAX_PENDING) return refuse(texts.thePageHasCallsWithout(MAX_PENDING));
      pending++;
      try {
        post({ kind: 'response', id, body: await admin(method as Method, path, payload) });
      } catch (error) {
        const { message, status, body } = error instanceof CallFailed ? error : new CallFailed(String(error), 0, undefined);
        post({ kind: 'failure', id, message, status, body });
      } finally {
        pending--;
      }
    }

    function report(message: string): void {
      if (errors.value.length < MAX_ERRORS && !errors.value.includes(message)) errors.value = [...errors.value, message];
    }

    const element = frame.current!;
    element.addEventListener('load', connect);
    element.src = new URL(`admin/v1/console/frames/${page.plugin}/${page.name}`, SERVER).href;
    const end = live.listen((batch) => {
      for (const event of batch)
        if (isListed(page.events, event.name)) post({ kind: 'event', event: { name: event.name, data: event.data } });
    });
    return () => {
      element.removeEventListener('load', connect);
      clearTimeout(timer);
      end();
      channel.current?.close();
      channel.current = undefined;
    };
  }, [page.plugin, page.name, subject?.uuid, attempt.value, failed.value]);

  useSignalEffect(() => {
    post({ kind: 'theme', theme: shownTheme.value });
  });

  const again = (): void => {
    errors.value = [];
    failed.value = undefined;
    attempt.value++;
  };
  return (
    <div class="plugin-frame">
      {errors.value.length > 0 && (
        <div class="failure" role="alert">
          <p>{texts.thisPageOfThePlugin(page.plugin)}</p>
          <ul>
            {errors.value.map((error) => (
              <li key={error} dir="auto">
                {error}
              </li>
            ))}
          </ul>
          <button type="button" class="button plain" onClick={again}>
            {texts.loadItAgain}
          </button>
        </div>
      )}
      {failed.value === undefined ? (
        <iframe key={attempt.value} ref={frame} title={page.title} sandbox="allow-scripts" style={{ blockSize: `${height.value}px` }} />
      ) : (
        <Failure error={{ message: texts.thePageOfThePlugin(page.title, page.plugin, failed.value) }} retry={again} />
      )}
    </div>
  );
}

const isPath = (path: unknown): path is string => typeof path === 'string' && /^\/(?![/\\])/.test(path) && path.length < 2_000;
const isListed = (events: readonly string[], name: string): boolean =>
  events.some((event) => (event.endsWith('.') ? name.startsWith(event) : name === event));
const shortened = (text: unknown): string => String(text).slice(0, MAX_TEXT);
