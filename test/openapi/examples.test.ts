import t from 'tap';
import { bodiesOf, bothDocuments, examplesOf, faultBy, type OpenApi, operationsOf } from './documents.js';

t.test('every request body, every answer and every webhook payload has an example, and each fits its schema', async (t) => {
  for (const [part, document] of Object.entries(await bothDocuments(t))) {
    let count = 0;
    for (const [name, operation] of operationsOf(document)) {
      for (const [place, body] of bodiesOf(operation)) {
        const faultOf = faultBy(document, body.schema!);
        const examples = Object.entries(examplesOf(body));
        t.ok(examples.length > 0, `${name} ${place} has an example`);
        for (const [example, value] of examples) {
          t.equal(faultOf(value), undefined, `${name} ${place} ${example}: ${JSON.stringify(value)}`);
          count++;
        }
      }
    }
    t.ok(count > 400, `${part}: ${count} examples`);
  }
});

t.test('the examples of schemas fit them', async (t) => {
  for (const document of Object.values(await bothDocuments(t))) {
    let count = 0;
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const { examples = [] } = schema as { readonly examples?: readonly unknown[] };
      for (const example of examples) {
        t.equal(faultBy(document, schema)(example), undefined, `${name}: ${JSON.stringify(example)}`);
        count++;
      }
    }
    t.ok(count > 15, `${count} examples`);
  }
});

t.test('errors are shown as their area really answers them', async (t) => {
  const { api } = await bothDocuments(t);
  const errorOf = (path: string, method: string, status: string) =>
    examplesOf(api.paths[path]![method]!.responses[status]!.content!['application/json']!);
  t.strictSame(errorOf('/v1/numbers/{number_uuid}/messages', 'post', '400'), {
    example: { message: 'Bad Request', errors: { contact: { id: ["can't be blank"] } } },
  });
  t.match(errorOf('/v1/flows', 'post', '403').example, {
    meta: { http_code: 403 },
    error: { code: 'not_supported', type: 'NotSupported' },
  });
  t.match(errorOf('/v1/messages', 'post', '429').example, { errors: [{ code: 429, title: 'Too Many Requests' }] });
});

/** The names of the examples of what a schema is, where it is a request of an operation or of a webhook. */
const examplesIn = (document: OpenApi, name: string): string[] => {
  const [, { requestBody }] = operationsOf(document).find(([operation]) => operation === name)!;
  return Object.keys(examplesOf(requestBody!.content['application/json']!));
};

t.test('what people look for first has an example of every kind', async (t) => {
  const { api, admin } = await bothDocuments(t);
  const media = ['image', 'audio', 'video', 'document', 'sticker'];
  const replies = ['button_reply', 'list_reply', 'nfm_reply'];
  const rest = ['location', 'contacts', 'reaction'];
  t.strictSame(examplesIn(api, 'POST /v1/messages'), ['text', ...media, ...rest, 'template', 'hsm', 'button', 'list', 'flow']);
  t.strictSame(examplesIn(api, 'POST /v1/numbers/{number_uuid}/messages').sort(), ['text', ...media, 'button', ...replies].sort());
  t.strictSame(examplesIn(api, 'POST /v1/numbers/{number_uuid}/statuses'), ['delivered', 'failed']);
  t.strictSame(examplesIn(api, 'POST outboundMessage'), [
    'text',
    'template',
    'buttons',
    'list',
    'flow',
    'image',
    'video',
    'audio',
    'document',
  ]);
  t.strictSame(
    examplesIn(api, 'POST messageReceived').sort(),
    ['text', ...media, 'voice', ...rest, 'reaction removed', 'system', 'button', ...replies, 'unsupported'].sort(),
  );
  t.strictSame(examplesIn(api, 'POST messageStatus'), ['delivered', 'read', 'failed']);
  for (const operation of ['POST /v1/numbers', 'POST /v1/flows', 'POST /v1/journeys/{uuid}/simulation', 'PUT /v1/messages/{message_id}'])
    t.ok(examplesIn(api, operation).length > 0, operation);
  for (const operation of [
    'POST /admin/v1/webhooks',
    'PUT /admin/v1/journeys/{uuid}',
    'POST /admin/v1/integrations',
    'POST /admin/v1/flows',
  ])
    t.ok(examplesIn(admin, operation).length > 0, operation);
});
