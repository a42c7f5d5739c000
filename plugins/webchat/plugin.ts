import { defaultErrors, definePlugin } from '#core';
import { createStoredKey } from '#core/messaging';
import { causes } from './causes.js';
import { createWebchats, WEBCHAT } from './connection.js';
import { webchatDriver } from './messages/driver.js';
import { createPages } from './messages/pages.js';
import { createReceiving } from './messages/receive.js';
import { fileRoutes } from './messages/routes.js';
import { createFileLinks, createShown } from './messages/shown.js';
import { createMetrics } from './metrics.js';
import { type Options, optionsSchema, type WebchatOptions } from './options.js';
import type { WebchatParts } from './parts.js';
import { personalData } from './personal-data.js';
import { sessions as sessionRecords, uploads } from './records.js';
import { widgetRoutes } from './routes.js';
import { createStreams } from './streams.js';
import { createPeople } from './visitors/people.js';
import { visitorRoutes } from './visitors/routes.js';
import { createSessions } from './visitors/sessions.js';

/** Lets visitors of a website write to a number, in a widget that the website embeds with one script tag. */
export const webchat = definePlugin<WebchatOptions, keyof WebchatOptions>({
  name: 'webchat',
  version: '0.1.0',
  causes,
  options: optionsSchema,
  collections: { sessions: sessionRecords, uploads },
  register(context, options: Options) {
    const fileKey = createStoredKey(context, 'files');
    const links = createFileLinks(fileKey.get);
    const webchats = createWebchats(context);
    const sessions = createSessions(context);
    const people = createPeople(context, { sessions, webchats });
    // Relative, as the URLs of files: the widget knows under which address visitors reach the platform.
    const formUrl = async (message: string) => (await context.forms.linkOf(message))?.replace(context.publicUrl(), '../..');
    const shown = createShown({ links, about: context.media.about, formUrl });
    const pages = createPages(context, { people, shown });
    const streams = createStreams(context, { people, pages, perAddress: options.streamsPerAddress });
    const metrics = createMetrics();
    const receiving = createReceiving(context);
    const parts: WebchatParts = { context, webchats, sessions, people, pages, shown, links, receiving, streams, metrics, options };
    return {
      routes: [...widgetRoutes(parts), ...visitorRoutes(parts), ...fileRoutes(parts)],
      channels: [webchatDriver(context)],
      on: streams.listeners,
      consumes: [sessions.sweeper()],
      personalData: personalData(context, streams),
      metrics(all) {
        metrics.define(all);
        all.gauge({ name: 'webchat_streams', help: 'Streams that widgets have open.' }, (set) => set({}, streams.count()));
      },
      errors: defaultErrors,
      async start() {
        await fileKey.load();
        await sessions.start();
        await context.connections.connectAll(WEBCHAT, options.numbers);
      },
    };
  },
});

export type { WebchatNumber, WebchatOptions } from './options.js';
