import t from 'tap';
import { ManualClock, type ModelUnderTest, modelContract, type Tap } from '#core/testing';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import { OpenAiCompatibleModel } from '../../../core/adapters/models/openai-compatible.js';
import { type Script, ScriptedModel } from '../../../core/adapters/models/scripted.js';
import { completion, standIn, toolCalls } from '../adapters/models/stand-in.js';

const TOKEN = 'sk-very-secret-token-0123456789';

async function endpoint(t: Tap): Promise<ModelUnderTest> {
  const { baseUrl, answer } = await standIn(t);
  const clock = new RealClock({ onError: (error) => t.fail(String(error)) });
  const http = new UndiciClient({ clock, guard: false });
  t.teardown(() => http.stop());
  return {
    model: new OpenAiCompatibleModel({ baseUrl, token: TOKEN }, { http, clock }),
    says: (content) => answer({ json: completion({ content }) }),
    calls: (name, args) => answer({ json: toolCalls({ id: 'a', function: { name, arguments: JSON.stringify(args) } }) }),
    breaks: () => answer({ status: 401, json: { error: { message: `no such token: ${TOKEN}` } } }),
    token: TOKEN,
  };
}

function script(): ModelUnderTest {
  const rules: Script = { rules: [] };
  const say = (rule: object): void => void Object.assign(rules, { rules: [rule] });
  return {
    model: new ScriptedModel(rules, new ManualClock()),
    says: (text) => say({ say: text }),
    calls: (name, args) => say({ call: { [name]: args } }),
    breaks: () => void Object.assign(rules, { rules: [] }),
  };
}

t.test('a chat completions endpoint keeps the contract of models', (t) => modelContract(t, endpoint));
t.test('a script keeps the contract of models', (t) => modelContract(t, script));
