import type { PluginContext } from '../contract/context.js';
import { errorsSchema } from '../contract/default-errors.js';
import { type ErrorPage, type Route, route } from '../contract/route.js';
import type { PlatformError } from '../errors.js';
import { integer, object, string, stringUpTo } from '../shape.js';

/** Wrong links that a client may open in a minute. */
const MAX_WRONG = 30;
/** Images that browsers show; other files are only downloaded. */
const SHOWN = /^image\/(png|jpeg|gif|webp)$/;

/** The routes behind links to media files: signed ones that expire after two minutes, and published ones. The link is the only credential. */
export function mediaRoutes({ media, callLimit, clientAddress }: Pick<PluginContext, 'media' | 'callLimit' | 'clientAddress'>): Route[] {
  const wrong = callLimit({ name: 'wrong links to files', calls: MAX_WRONG });
  return [
    route({
      method: 'GET',
      path: '/media/{id}/{token}',
      auth: 'none',
      summary: 'Opens a media file through the link that a contact got.',
      request: { params: object({ id: stringUpTo(64), token: stringUpTo(64) }) },
      responses: { 200: { contentType: '*/*' }, 404: errorsSchema, 410: errorsSchema, 429: errorsSchema },
      errorPage,
      async handler({ params: { id, token }, request }, h) {
        const { media: file, bytes } = await wrong.countMisses(clientAddress(request), media.opened(id, token));
        const { mime_type: type, filename } = file;
        const name = encodeURIComponent(filename ?? 'file').replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
        return h
          .response(Buffer.from(bytes))
          .type(type)
          .header('content-disposition', `${SHOWN.test(type) ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('x-content-type-options', 'nosniff')
          .header('x-robots-tag', 'noindex')
          .header('referrer-policy', 'no-referrer')
          .header('cache-control', 'private, no-store');
      },
    }),
    route({
      method: 'GET',
      path: '/v1/media/{id}/content',
      auth: 'none',
      summary: 'Downloads the content of a media file through a signed link.',
      request: { params: object({ id: string() }), query: object({ expires: integer(), signature: string() }) },
      responses: { 200: { contentType: '*/*' }, 403: errorsSchema, 404: errorsSchema },
      async handler({ params: { id }, query: { expires, signature } }, h) {
        media.checkLink(id, expires, signature);
        const { media: metadata, bytes } = await media.get(id);
        return h
          .response(Buffer.from(bytes))
          .type(metadata.mime_type)
          .etag(metadata.sha256)
          .header('content-disposition', 'attachment')
          .header('x-content-type-options', 'nosniff');
      },
    }),
  ];
}

const texts: Readonly<Record<number, readonly [title: string, action: string]>> = {
  404: ['This file is not available', 'The link is incomplete, or the file was deleted.'],
  410: ['This link has expired', 'Ask the person who sent it to you for a new one.'],
  429: ['Too many wrong links', 'Try again in a minute.'],
};

/** For people who open a published link. */
function errorPage({ status }: PlatformError): ErrorPage {
  const [title, action] = texts[status] ?? ['The file cannot be opened', 'Try again in a minute.'];
  return {
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<p>${action}</p>
</html>
`,
    headers: { 'content-security-policy': "default-src 'none'", 'cache-control': 'no-store', 'x-robots-tag': 'noindex' },
  };
}
