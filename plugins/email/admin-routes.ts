import { NotFound, object, owned, type PluginContext, type Route, route, string } from '#core';

/** Shows operators a mail as it came. */
export const emailAdminRoutes = ({ messages, media }: Pick<PluginContext, 'messages' | 'media'>): readonly Route[] => [
  route({
    method: 'GET',
    path: '/email/originals/{message}',
    summary: 'Downloads the mail of a message as it came.',
    permission: 'messages.read_bodies',
    accounts: { message: owned.message },
    request: { params: object({ message: string() }) },
    responses: { 200: { contentType: 'message/rfc822' } },
    errors: [404],
    async handler({ params: { message: uuid } }, h) {
      const raw = (await messages.get(uuid))?.channel?.raw;
      if (typeof raw !== 'string') throw new NotFound('message', uuid);
      const { bytes } = await media.get(raw);
      return h
        .response(Buffer.from(bytes))
        .type('message/rfc822')
        .header('content-disposition', 'attachment; filename="mail.eml"')
        .header('x-content-type-options', 'nosniff');
    },
  }),
];
