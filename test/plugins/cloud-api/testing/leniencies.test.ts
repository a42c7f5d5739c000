import t from 'tap';
import { ADA, startStandIn } from './stand-in-under-test.js';

t.test('null and an empty text count as absent in optional fields, and parts of a message may be JSON text', async (t) => {
  const { standIn, send, call, phoneNumberId } = await startStandIn(t);
  await standIn.write(ADA, 'hi');
  const card = [{ name: { formatted_name: 'Ann' } }];
  const media = { link: 'https://a.test/a.png', id: null, caption: '' };
  for (const message of [
    {
      type: 'text',
      text: { body: 'a', preview_url: null },
      context: null,
      biz_opaque_callback_data: '',
      recipient_type: null,
      status: null,
    },
    { type: 'text', text: { body: 'a' }, context: '', interactive: null, typing_indicator: null },
    { type: null, text: { body: 'a' } },
    { type: 'image', image: media },
    { type: 'image', image: { ...media, id: '' } },
    { type: 'image', image: JSON.stringify(media) },
    { type: 'contacts', contacts: JSON.stringify(card) },
    { type: 'contacts', contacts: card, context: JSON.stringify({ message_id: 'wamid.1' }) },
    { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '' } },
    {
      type: 'interactive',
      interactive: {
        ...{ type: 'button', header: null, footer: '', body: { text: 'a' } },
        action: { name: null, buttons: [{ type: 'reply', reply: { id: '1', title: 'a' } }] },
      },
    },
  ]) {
    const { status, text } = await send(message);
    t.equal(status, 200, `${JSON.stringify(message)} ${text}`);
  }
  t.match(standIn.sent.at(-2)?.body, { reaction: { emoji: '' } }, 'what was posted is recorded');
  for (const [message, code] of [
    [{ type: 'text', text: null }, 131008],
    [{ type: 'text', text: { body: null } }, 131008],
    [{ type: 'text', text: '{no json' }, 131009],
    [{ type: 'image', image: { link: null, id: '' } }, 131008],
    [{ type: 'contacts', contacts: '[]' }, 131009],
    [{ type: 'text', text: { body: 'a' }, to: '' }, 131008],
  ] as const)
    t.match(await send(message), { status: 400, body: { error: { code } } }, JSON.stringify(message));
  const flow = await call('POST', `/${standIn.numbers[0]!.wabaId}/flows`, {
    name: 'a',
    categories: ['OTHER'],
    endpoint_uri: null,
    flow_json: '',
  });
  t.equal((await call('POST', `/${flow.body.id}`, { name: null, categories: null })).status, 200);
  t.match(standIn.flows, [{ name: 'a', categories: ['OTHER'] }]);
  t.equal((await call('POST', `/${phoneNumberId}`, { webhook_configuration: null })).status, 200);
});

const BOUNDARY = 'boundary-of-the-parts-of-a-form';

t.test('an upload takes messaging_product from its query, and the content type of the part before `type`', async (t) => {
  const { standIn, phoneNumberId } = await startStandIn(t);
  const upload = async (query: string, parts: readonly string[]) => {
    const body = parts.map((part) => `--${BOUNDARY}\r\ncontent-disposition: form-data; ${part}\r\n`).join('');
    const response = await fetch(`${standIn.url}/v25.0/${phoneNumberId}/media${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${standIn.accessToken}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: `${body}--${BOUNDARY}--\r\n`,
    });
    const { id, error } = (await response.json()) as { id?: string; error?: { message: string; error_data?: { details: string } } };
    if (id === undefined) return error?.error_data?.details ?? error?.message;
    const found = await fetch(`${standIn.url}/v25.0/${id}`, { headers: { authorization: `Bearer ${standIn.accessToken}` } });
    return ((await found.json()) as { mime_type: string }).mime_type;
  };
  const file = (type = '') => `name="file"; filename="a.bin"${type && `\r\ncontent-type: ${type}`}\r\n\r\nbytes`;
  const field = (name: string, value: string) => `name="${name}"\r\n\r\n${value}`;
  const product = '?messaging_product=whatsapp';
  t.equal(await upload(product, [file('image/png')]), 'image/png');
  t.equal(await upload('', [field('messaging_product', 'whatsapp'), file('image/png')]), 'image/png');
  t.match(await upload('', [file('image/png')]), /messaging_product is required/);
  t.equal(await upload(product, [field('type', 'image/jpeg'), file('image/png')]), 'image/png');
  t.equal(await upload(product, [field('type', 'image/jpeg'), file()]), 'image/jpeg');
  t.equal(await upload(`${product}&type=image/jpeg`, [file()]), 'image/jpeg');
  t.match(await upload(product, [field('type', 'image/jpeg'), file('application/octet-stream')]), /application\/octet-stream is none/);
});

t.test('a call without a version has the version of the app', async (t) => {
  const { standIn, phoneNumberId } = await startStandIn(t);
  const get = async (path: string) =>
    (await fetch(`${standIn.url}${path}`, { headers: { authorization: `Bearer ${standIn.accessToken}` } })).status;
  t.strictSame(await Promise.all([`/${phoneNumberId}`, `/v25.0/${phoneNumberId}`, '/other', '/v25.0'].map(get)), [200, 200, 404, 404]);
});

t.test('the fields of flows, the summary of templates, and the vertical of the profile', async (t) => {
  const { standIn, call, phoneNumberId } = await startStandIn(t);
  const { wabaId } = standIn.numbers[0]!;
  const { id } = (await call('POST', `/${wabaId}/flows`, { name: 'a', categories: ['OTHER'], endpoint_uri: 'https://a.test/flow' })).body;
  const names =
    'id,name,status,categories,validation_errors,json_version,data_api_version,endpoint_uri,preview,whatsapp_business_account,health_status';
  const shown = (await call('GET', `/${id}?fields=${names},preview.invalidate(false),health_status.phone_number(1)`)).body;
  const without = ['json_version', 'data_api_version'];
  t.strictSame(
    names.split(',').filter((name) => !(name in shown)),
    without,
    'only what the definition lacks',
  );
  t.match((await call('GET', `/${id}?fields=name,preview`)).body, { id, name: 'a', preview: { preview_url: shown.preview.preview_url } });
  const renewed = (await call('GET', `/${id}?fields=preview.invalidate(true)`)).body;
  t.not(renewed.preview.preview_url, shown.preview.preview_url);
  t.strictSame(Object.keys(renewed).sort(), ['id', 'preview']);

  for (const name of ['one', 'two']) standIn.addTemplate({ name });
  const templates = async (query: string) => (await call('GET', `/${wabaId}/message_templates?${query}`)).body.summary;
  t.strictSame(await templates('name=one&summary=total_count,message_template_count'), { total_count: 1, message_template_count: 2 });
  t.match(await templates('summary=true'), { total_count: 2, message_template_limit: Number, are_translations_complete: true });
  t.equal(await templates('limit=1'), undefined);

  const profile = `/${phoneNumberId}/whatsapp_business_profile`;
  t.match((await call('GET', profile)).body, { data: [{ vertical: 'UNDEFINED' }] });
  const change = { messaging_product: 'whatsapp', vertical: 'RETAIL', about: 'Books', email: null };
  t.equal((await call('POST', profile, change)).status, 200);
  t.strictSame((await call('GET', `${profile}?fields=about,vertical,email`)).body, {
    data: [{ messaging_product: 'whatsapp', vertical: 'RETAIL', about: 'Books' }],
  });
  t.match(await call('POST', profile, { messaging_product: 'whatsapp', vertical: 'MINING' }), {
    status: 400,
    body: { error: { code: 100 } },
  });
});
