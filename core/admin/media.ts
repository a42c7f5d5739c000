import { errorsSchema } from '../contract/default-errors.js';
import { type Route, route } from '../contract/route.js';
import type { Media } from '../messaging/media.js';
import { integer, object, string } from '../shape.js';

/** The route behind signed media links. The link is the only credential, and expires after two minutes. */
export function mediaRoutes({ media }: { media: Media }): Route[] {
  return [
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
