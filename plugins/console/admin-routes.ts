import { array, boolean, NotFound, object, operatorOf, owned, type PluginContext, type Route, route, string } from '#core';
import { endedCookie, placeOf, sessionTokens } from './auth.js';
import { FRAME_HEADERS, frameOf } from './frames.js';
import { pluginPageSchema, signInSchema } from './schemas.js';
import type { ConsoleSessions } from './sessions.js';

/** Types that browsers show without running anything. Every other type, such as SVG, HTML and PDF, is a download without a type. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  ...['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/mp4', 'audio/x-m4a'],
  ...['video/mp4', 'video/webm'],
]);

/** The headers of every media file. Opened as a page of its own, a file runs no script, loads nothing and has no access to the console. */
const MEDIA_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  // A browser asks before it shows its copy, so that no file is shown after the session has ended.
  'cache-control': 'private, no-cache',
};

export const consoleAdminRoutes = (sessions: ConsoleSessions, { media, pages, publicUrl, log }: PluginContext): Route[] => [
  route({
    method: 'POST',
    path: '/console/sessions',
    permission: 'any',
    accounts: 'none',
    summary:
      'Creates a URL that signs a browser in to the console; it works once, within 10 minutes. The session has the roles of the key.',
    keepsNothing: true,
    needsAdminKey: true,
    responses: { 200: signInSchema },
    handler: ({ request }) => ({ url: `${publicUrl()}/console/?code=${sessions.issueCode(operatorOf(request).keyId)}` }),
  }),
  route({
    method: 'DELETE',
    path: '/console/session',
    permission: 'any',
    accounts: 'none',
    summary: 'Signs a browser out: ends the session in its cookie, and deletes the cookie.',
    responses: { 200: object({ success: boolean() }) },
    handler({ headers, request }, h) {
      for (const token of sessionTokens(headers)) sessions.end(token);
      return h.response({ success: true }).header('set-cookie', endedCookie(placeOf(request, publicUrl())));
    },
  }),
  route({
    method: 'GET',
    path: '/console/pages',
    permission: 'any',
    accounts: 'none',
    summary: 'Lists the pages and panels that plugins add to the console.',
    responses: { 200: object({ pages: array(pluginPageSchema) }) },
    handler: () => ({
      pages: pages().map(({ plugin, name, title, place = 'menu', calls = [], events = [] }) => {
        return { plugin, name, title, place, calls: [...calls], events: [...events] };
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/console/frames/{plugin}/{name}',
    permission: 'any',
    accounts: 'none',
    summary: 'Returns a page of a plugin, for a frame of the console.',
    request: { params: object({ plugin: string(), name: string() }) },
    responses: { 200: { contentType: 'text/html' } },
    async handler({ params: { plugin, name } }, h) {
      const page = pages().find((one) => one.plugin === plugin && one.name === name);
      if (!page) throw new NotFound('page', `${plugin}/${name}`);
      const response = h.response(await frameOf(page, log)).type('text/html');
      for (const [header, value] of Object.entries(FRAME_HEADERS)) response.header(header, value);
      return response;
    },
  }),
  route({
    method: 'GET',
    path: '/console/media/{id}',
    permission: 'messages.read_bodies',
    accounts: { id: owned.medium },
    summary: 'Returns a media file for a page: an image, audio or video of a safe type, or else a download. Serves byte ranges.',
    request: { params: object({ id: string() }) },
    responses: { 200: { contentType: '*/*' } },
    async handler({ params: { id } }, h) {
      const { media: metadata, bytes } = await media.get(id);
      const type = metadata.mime_type.split(';')[0]!.trim().toLowerCase();
      const isShown = SHOWN_TYPES.has(type);
      const response = h
        .response(Buffer.from(bytes))
        .type(isShown ? type : 'application/octet-stream')
        .etag(metadata.sha256);
      if (!isShown) response.header('content-disposition', 'attachment');
      for (const [name, value] of Object.entries(MEDIA_HEADERS)) response.header(name, value);
      return response;
    },
  }),
];
