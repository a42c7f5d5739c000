import type { ChatModel, ModelMessage, ModelOutcome, ModelRequest } from '../ports/model.js';
import type { Tap } from './tap.js';

/** A model whose vendor the test plays. */
export interface ModelUnderTest {
  readonly model: ChatModel;
  /** Makes the next reply this text. */
  says(text: string): void;
  /** Makes the next reply a tool call with these arguments. */
  calls(name: string, args: object): void;
  /** Makes all further requests to the vendor fail. Omit it for models without a vendor. */
  breaks?(): void;
  /** The token that the vendor receives, if there is one. */
  readonly token?: string;
}

const tool = {
  name: 'find_order',
  description: 'Looks an order up',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};
const greeting: readonly ModelMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hi' },
];
const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({ model: 'small', messages: greeting, tools: [], ...fields });

/** The contract of every model: `generate` always resolves with a value and never rejects. */
export async function modelContract(t: Tap, open: (t: Tap) => ModelUnderTest | Promise<ModelUnderTest>): Promise<void> {
  await t.test('a reply is a text with its token counts', async (t) => {
    const { model, says } = await open(t);
    says('Hello!');
    const answer = await model.generate(request());
    t.match(answer, { kind: 'reply', text: 'Hello!', calls: [] });
    if (answer.kind !== 'reply') return;
    for (const count of Object.values(answer.tokens)) t.ok(Number.isInteger(count) && count >= 0);
  });

  await t.test('a tool call has the name of the tool, an id and arguments as text', async (t) => {
    const { model, calls } = await open(t);
    calls('find_order', { id: '7' });
    const answer = await model.generate(request({ tools: [tool] }));
    const [call] = answer.kind === 'reply' ? answer.calls : [];
    t.equal(call?.name, 'find_order');
    t.ok(call?.id);
    t.strictSame(JSON.parse(call?.arguments ?? ''), { id: '7' });
  });

  await t.test('a conversation with a tool result is understood', async (t) => {
    const { model, says } = await open(t);
    says('It has been sent.');
    const messages: readonly ModelMessage[] = [
      ...greeting,
      { role: 'assistant', content: '', calls: [{ id: 'a1', name: 'find_order', arguments: '{"id":"7"}' }] },
      { role: 'tool', call: 'a1', name: 'find_order', content: '{"state":"sent"}' },
    ];
    t.match(await model.generate(request({ tools: [tool], messages })), { kind: 'reply', text: 'It has been sent.' });
  });

  await t.test('the same request can be made twice at the same time', async (t) => {
    const { model, says } = await open(t);
    says('Hello!');
    const answers = await Promise.all([model.generate(request()), model.generate(request())]);
    t.same(
      answers.map((answer) => answer.kind),
      ['reply', 'reply'],
    );
  });

  const { breaks, token } = await open(t);
  if (!breaks) return;
  await t.test('a vendor that fails is a failure with a code and a reason, without the token', async (t) => {
    const { model, breaks } = await open(t);
    breaks!();
    const answer: ModelOutcome = await model.generate(request());
    t.match(answer, { kind: 'failed', code: /^model_/, reason: /./ });
    if (token !== undefined) t.notOk(JSON.stringify(answer).includes(token));
  });
}
