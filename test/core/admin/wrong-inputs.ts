/** By route: paths after /admin/v1 with invalid input. */
export const wrong: Readonly<Record<string, readonly (readonly [input: unknown, details: RegExp])[]>> = {
  'POST /numbers': [
    [{}, /^kind is required; address is required; name is required$/],
    [{ kind: 'fax', address: '1', name: 'n' }, /^kind must be one of \[network, sandbox, channel\]$/],
    [{ kind: 'network', address: '', name: 5 }, /^address is not allowed to be empty; name must be a string$/],
    [{ kind: 'network', address: 'a'.repeat(257), name: 'n' }, /^address length must be less than or equal to 256 characters long$/],
  ],
  'POST /commands/{plugin}/{verb}': [[{ args: 'x' }, /^args must be an array$/]],
  'GET /contacts': [
    ['?blocked=me&opted_in=perhaps', /^blocked must be one of \[any, contact, network, operator\]; opted_in must be a boolean$/],
    ['?text=%22%20%22', /^text must have 1 to 12 words$/],
  ],
  'PUT /contacts/{uuid}/block': [[{}, /^reason is required$/]],
  'POST /contacts/merge': [[{ into: 1 }, /^contact is required; into must be a string$/]],
  'POST /contacts/split': [[{}, /^contact is required$/]],
  'DELETE /contacts/{uuid}': [['?compact=maybe', /^compact must be a boolean$/]],
  'GET /contacts/{uuid}/export': [['?media=maybe', /^media must be a boolean$/]],
  'POST /keys': [
    [{}, /^name is required; roles is required$/],
    [{ name: ' ', roles: 'viewer' }, /^name .*; roles must be an array$/],
  ],
  'GET /erasures': [['?limit=501&before=yesterday', /^before must be a date.*; limit must be less than or equal to 500$/]],
  'POST /erasures': [[{ erasures: [{ id: 1 }] }, /^erasures\[0\].id must be a string; erasures\[0\].number is required/]],
  'GET /search': [
    ['', /^q is required$/],
    [
      '?q=a&limit=101&kind=message',
      /^limit must be less than or equal to 100; kind is not known: the query takes q, kinds, before, limit$/,
    ],
    ['?q=a&kinds=fax', /^kinds must be of number, contact, /],
  ],
  'GET /audit': [['?limit=1001&since=yesterday', /^since must be a date.*; limit must be less than or equal to 1000$/]],
  'PATCH /accounts': [[{ account: 'a', kept_days: 6 }, /^kept_days must be greater than or equal to 7$/]],
  'PATCH /store/losses/{id}': [[{ confirmed: false }, /^confirmed must be \[true\]$/]],
  'GET /connections': [['?type=', /^type is not allowed to be empty$/]],
  'POST /connections': [
    [{}, /^type is required; settings is required$/],
    [{ type: 5, settings: [], name: '' }, /^type must be a string; settings must be of type object; name is not allowed to be empty$/],
  ],
  'PUT /numbers/{uuid}/connection': [[{}, /^settings is required$/]],
  'PATCH /numbers/{uuid}': [[{ name: '' }, /^name is not allowed to be empty$/]],
  'POST /numbers/{uuid}/tokens': [
    [{}, /^name is required$/],
    [{ name: 'n', expires_at: 'tomorrow' }, /^expires_at must be a date, or a date and time with Z or an offset: 2027-03-01T08:00:00Z$/],
  ],
  'PUT /numbers/{uuid}/secrets': [
    [{}, /^name is required; value is required$/],
    [{ name: 'a', value: '' }, /^value is not allowed to be empty$/],
    [{ name: 'a b', value: 'short' }, /^name with value a b .* letters, digits and _.*; value .* at least 8 characters long$/],
  ],
  'PATCH /contacts/{uuid}': [
    [{}, /^fields is required$/],
    [{ fields: [] }, /^fields must be of type object$/],
  ],
  'GET /numbers/{uuid}/conversations': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'GET /numbers/{uuid}/contacts': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'GET /conversations': [['?limit=501&before=yesterday', /^before must be a date.*; limit must be less than or equal to 500$/]],
  'GET /messages': [['?limit=101', /^limit must be less than or equal to 100$/]],
  'GET /conversations/{uuid}': [
    ['?limit=501', /^limit must be less than or equal to 500$/],
    ['?refresh=perhaps', /^refresh must be a boolean$/],
  ],
  'GET /deliveries': [
    ['?before=yesterday', /^before must be a date/],
    ['?limit=ten', /^limit must be a number$/],
    ['?from=yesterday', /^from must be a date/],
    ['?text=%20', /^text must have 1 to 12 words$/],
    ['?number=a&number=b', /^number must be a string$/],
    ['?state=lost', /^state must be one of \[queued, sending, retry_wait, delivered, cancelled, dropped\]$/],
  ],
  'GET /endpoints': [['?number=a&number=b', /^number must be a string$/]],
  'GET /endpoints/traffic': [['?range=2h', /^range must be one of \[5m, 1h, 24h\]$/]],
  'POST /deliveries/redeliver': [
    [{ states: ['queued'] }, /^states\[0\] must be one of \[retry_wait, delivered, cancelled, dropped\]$/],
    [{ limit: 1_001 }, /^limit must be less than or equal to 1000$/],
    [{ from: 'yesterday' }, /^from must be a date/],
  ],
  'POST /deliveries/cancel': [
    [{ states: ['delivered'] }, /^states\[0\] must be one of \[queued, sending, retry_wait\]$/],
    [{ states: [] }, /^states must contain at least 1 items$/],
    [{ limit: 0 }, /^limit must be greater than or equal to 1$/],
  ],
  'POST /deliveries/{uuid}/redeliver': [
    ['?no_retry=perhaps', /^no_retry must be a boolean$/],
    [{ times: 0, keep_signature: 'yes' }, /^keep_signature must be a boolean; times must be greater than or equal to 1$/],
  ],
  'GET /advice': [['?since=yesterday', /^since is not known: /]],
  'GET /why': [
    ['', /^message, contact or since is required$/],
    ['?since=yesterday', /^since/],
    ['?message=a&contact=b', /^message must not be combined with contact or since$/],
  ],
  'GET /calls': [
    ['?refused=perhaps&limit=0', /^refused must be a boolean; limit must be greater than or equal to 1$/],
    ['?status=40x', /^status/],
  ],
  'POST /signatures/explain': [
    [{}, /^signature is required$/],
    [{ signature: 's', body: 'a', body_base64: 'Yg==' }, /body/],
    [{ signature: 's', body_base64: '*' }, /^body_base64 must be a valid base64 string$/],
  ],
  'POST /webhooks/{uuid}/rotate-secret': [[{ overlap_hours: 169 }, /^overlap_hours must be less than or equal to 168$/]],
  'POST /channels': [
    [{}, /^from_addr is required; name is required; endpoint is required$/],
    [
      { from_addr: 'a', name: 'n', endpoint: 'ftp://a.test' },
      /^endpoint must be a valid uri with a scheme matching the http\|https pattern$/,
    ],
  ],
  // Problems of a body are reported as to the connector, once the channel is known.
  'POST /channels/{uuid}/messages': [[[], /^the body must be of type object$/]],
  'POST /channels/{uuid}/statuses': [[[], /^the body must be of type object$/]],
  'PATCH /channels/{uuid}': [[{ endpoint: 'nowhere' }, /^endpoint must be a valid uri/]],
  'POST /channels/{uuid}/samples': [
    [{}, /^turn is required$/],
    [{ turn: 'fax' }, /^turn must be one of \[text, template, buttons, list, flow, image, video, audio, document\]$/],
  ],
  'GET /attempts': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'GET /webhooks': [['?number=a&number=b', /^number must be a string$/]],
  'POST /webhooks': [
    [{}, /^number is required; url is required$/],
    [{ number: 'n', url: 'https://a.test', subscriptions: [] }, /^subscriptions must contain at least 1 items$/],
    [
      { number: 'n', url: 'https://a.test', subscriptions: ['all'] },
      /^subscriptions\[0\] must be one of \[msgapp, svc, journey_outbound, channel\]$/,
    ],
    [{ number: 'n', url: 'https://a.test', subscriptions: ['svc', 'svc'] }, /^subscriptions\[1\] contains a duplicate value$/],
    [{ number: 'n', url: 'https://a.test', subscriptions: ['svc'], hmac_digest: 'md5' }, /^hmac_digest must be \[sha256\]$/],
  ],
  'PATCH /webhooks/{uuid}': [
    [{ enabled: 'yes' }, /^enabled must be a boolean$/],
    [{ headers: { 'content-length': '5' } }, /^headers\.content-length cannot be set: it is reserved or not a valid header name$/],
  ],
  'GET /journeys': [['', /^number is required$/]],
  'PUT /journeys/{uuid}': [
    [{ name: 'n', definition: {} }, /^number is required$/],
    [{ number: 'n', name: 'n', definition: 'text' }, /^definition must be of type object$/],
    [
      { number: 'n', name: 'n', definition: {}, triggers: [{ on: 'full moon' }] },
      /^triggers\[0\]\.on must be one of \[message, first_message, catch_all\]$/,
    ],
  ],
  'GET /journeys/{uuid}': [['?revision=last', /^revision must be one of \[draft, production, staging\]$/]],
  'GET /journeys/{uuid}/notebook': [['?revision=last', /^revision must be one of \[draft, production, staging\]$/]],
  'PUT /journeys/{uuid}/notebook': [
    [{ notebook: 7 }, /^notebook must be a string$/],
    ['?revision=draft', /^revision must be one of \[production, staging\]$/],
  ],
  'POST /journeys/{uuid}/simulated-turns': [
    [
      { wait_ms: 0, revision: 'old' },
      /^wait_ms must be greater than or equal to 1; revision must be one of \[draft, production, staging\]$/,
    ],
    [
      { model_replies: [{ text: 'a' }], models: { main: { rules: 'none' } } },
      /^models\.main\.rules must be an array; model_replies\[0\]\.calls is required$/,
    ],
    [{ http_mocks: {}, fail_unmocked_http_calls: 'no' }, /^http_mocks must be an array; fail_unmocked_http_calls must be a boolean$/],
  ],
  'POST /notebooks/completions': [
    [{ notebook: '', offset: -1 }, /^offset must be greater than or equal to 0$/],
    [{ offset: 0 }, /^send either notebook or json$/],
    [{ notebook: '', json: '', offset: 0 }, /^send either notebook or json$/],
  ],
  'POST /journeys/{uuid}/problems': [
    [{}, /^send either notebook or json$/],
    [{ notebook: '', json: '{}' }, /^send either notebook or json$/],
    [{ json: 7 }, /^json must be a string$/],
  ],
  'POST /journeys/{uuid}/graph': [[{ notebook: {} }, /^notebook must be a string$/]],
  'POST /journeys/{uuid}/edits': [
    [{ card: 'A' }, /^notebook is required$/],
    [{ notebook: '', card: 'A', action: { kind: 'paint' } }, /^action.kind must be one of \[text, /],
  ],
  'GET /journeys/{uuid}/graph': [['?revision=', /^revision is not allowed to be empty$/]],
  'GET /journeys/{uuid}/revisions': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'POST /journeys/{uuid}/publish': [[{ revision: 'draft' }, /^revision must be one of \[production, staging\]$/]],
  'POST /journeys/{uuid}/start': [[{ contact: 'Ann' }, /^contact must be a valid GUID$/]],
  'GET /content-cards': [['', /^number is required$/]],
  'PUT /content-cards/{uuid}': [
    [{ name: 'n', text: 't' }, /^number is required$/],
    [{ number: 'n', name: 'n', text: 't', media: [{ type: 'smell', link: 'https://a.test' }] }, /^media\[0\]\.type must be one of/],
    [
      { number: 'n', name: 'n', text: 't', media: [{ type: 'image', link: 'file:///etc/passwd' }] },
      /^media\[0\]\.link must be a valid uri/,
    ],
  ],
  'GET /code-skills': [['', /^number is required$/]],
  'PUT /code-skills/{uuid}': [
    [{ number: 'n', name: 'n' }, /^source is required$/],
    [{ number: 'n', name: 'n', source: 'x'.repeat(300_000) }, /^source length must be less than or equal to 262144 characters long$/],
  ],
  'GET /ai-connections': [['', /^number is required$/]],
  'PUT /ai-connections/{uuid}': [
    [{ number: 'n', name: 'n', vendor: 'oracle' }, /^vendor must be one of \[openai-compatible, scripted, replay\]$/],
    [{ number: 'n', name: 'n', vendor: 'scripted', token: 'short' }, /^token length must be at least 8 characters long$/],
    [
      { number: 'n', name: 'n', vendor: 'scripted', rules: [{ when: { turn: 0 } }] },
      /^rules\[0\]\.when\.turn must be greater than or equal to 1$/,
    ],
  ],
  'GET /ai-calls': [
    ['', /^number is required$/],
    ['?number=n&limit=1001', /^limit must be less than or equal to 1000$/],
  ],
  'GET /journeys/{uuid}/traffic': [['?hours=169', /^hours must be less than or equal to 168$/]],
  'GET /journeys/{uuid}/sessions': [['?limit=-1', /^limit must be greater than or equal to 1$/]],
};
