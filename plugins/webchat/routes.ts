import { object, type Route, route, string } from '#core';
import { uuidInPath } from '#core/schemas';
import { numberParams, visitorRoute, type WebchatParts } from './parts.js';
import { configSchema } from './schemas.js';

/** `scripts/compile.mjs` bundles the widget into this folder. */
const BUILT = new URL('built/', import.meta.url);
const SCRIPT = 'text/javascript';
/** Pages ask for a new loader, and so for a new widget and settings, every five minutes. */
const FOR_MINUTES = 'public, max-age=300';
/** In the loader, the place of the name of the application. */
const APP = '{app}';

/** The widget: a small loader under a fixed name, the application under a name with its hash, and the settings. */
export function widgetRoutes(parts: WebchatParts): Route[] {
  const { context, webchats } = parts;
  const loader = context.browserFile(new URL('loader.js', BUILT), SCRIPT);
  const app = context.browserFile(new URL('app.js', BUILT), SCRIPT);
  const appName = (): string => `app-${app.hash()}.js`;
  const asFile = { ...visitorRoute(parts), responses: { 200: { contentType: SCRIPT } } } as const;
  return [
    route({
      ...asFile,
      method: 'GET',
      path: '/webchat/{number}/widget.js',
      summary: 'The script that a website embeds. It shows the button of the web chat, and loads the rest when it is opened.',
      request: { params: numberParams },
      async handler({ params: { number } }, h) {
        await webchats.require(number);
        const response = h.response(loader.text().replace(APP, appName()));
        return response.type(SCRIPT).header('cache-control', FOR_MINUTES).header('cross-origin-resource-policy', 'cross-origin');
      },
    }),
    route({
      ...asFile,
      method: 'GET',
      path: '/webchat/{number}/app-{hash}.js',
      summary: 'The application of the widget. Its name changes with its content.',
      needsNoStore: true,
      request: { params: object({ number: uuidInPath(), hash: string() }) },
      handler: ({ params: { hash } }, h) => app.respond(h, hash),
    }),
    route({
      ...visitorRoute(parts),
      method: 'GET',
      path: '/webchat/{number}/config',
      summary: 'The settings of the widget: name, texts, colours, and what visitors can do.',
      request: { params: numberParams },
      responses: { 200: configSchema },
      async handler({ params: { number } }, h) {
        const { settings } = await webchats.require(number);
        const { name, language, texts, theme, upload, identify } = settings;
        const features = { upload, identify };
        return h.response({ name, language, texts, theme, features, app: appName() }).header('cache-control', FOR_MINUTES);
      },
    }),
  ];
}
