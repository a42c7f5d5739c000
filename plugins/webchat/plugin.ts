import { defaultErrors, definePlugin } from '#core';
import { causes } from './causes.js';
import { WEBCHAT } from './connection.js';
import { webchatDriver } from './messages/driver.js';
import { fileRoutes } from './messages/routes.js';
import { type Options, optionsSchema, type WebchatOptions } from './options.js';
import { createParts } from './parts.js';
import { personalData } from './personal-data.js';
import { sessions, uploads } from './records.js';
import { widgetRoutes } from './routes.js';
import { visitorRoutes } from './visitors/routes.js';

/** Lets visitors of a website write to a number, in a widget that the website embeds with one script tag. */
export const webchat = definePlugin<WebchatOptions, keyof WebchatOptions>({
  name: 'webchat',
  version: '0.1.0',
  causes,
  options: optionsSchema,
  collections: { sessions, uploads },
  register(context, options: Options) {
    const parts = createParts(context, options);
    const { streams, metrics } = parts;
    return {
      routes: [...widgetRoutes(parts), ...visitorRoutes(parts), ...fileRoutes(parts)],
      channels: [webchatDriver(context)],
      on: streams.listeners,
      personalData: personalData(context, streams),
      metrics(all) {
        metrics.define(all);
        all.gauge({ name: 'webchat_streams', help: 'Streams that widgets have open.' }, (set) => set({}, streams.count()));
      },
      errors: defaultErrors,
      async start() {
        await parts.fileKey.load();
        await parts.sessions.sweep();
        await context.connections.connectAll(WEBCHAT, options.numbers);
      },
      stop: parts.sessions.stop,
    };
  },
});

export type { WebchatNumber, WebchatOptions } from './options.js';
