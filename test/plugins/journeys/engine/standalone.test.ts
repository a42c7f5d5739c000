import { execFileSync } from 'node:child_process';
import t from 'tap';
import { compile, DefinitionInvalid, evaluate, lint, render, type Session, type Signal, step } from '#engine';
import { containerOf } from './journey-under-test.js';

const environment = { now: '2026-01-05T08:00:00Z', timeZone: 'Africa/Johannesburg', seed: 'seed' };

t.test('a journey compiles and runs without a platform', async (t) => {
  const container = containerOf({
    blocks: [
      { name: 'age', type: 'MobilePrimitives.NumericResponse', config: { prompt: 'ask' } },
      { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'thanks' } },
    ],
    texts: { ask: 'How old are you?', thanks: 'You are @age, @contact.name.' },
  });
  const definition = compile(container);
  const take = (session: Session | null, signal: Signal) => step({ definitions: () => definition, session, signal, environment });
  const opened = take(null, { kind: 'start', session: 's', journey: 'j', revision: 'r', contact: { name: 'Ada' }, globals: {} });
  t.match(opened.next, { kind: 'wait' });
  const closed = take(opened.session, { kind: 'input', input: { text: '36', type: 'text' } });
  t.match(closed.next, { kind: 'end' });
  const said = closed.events.flatMap((event) => (event.type === 'message_out' ? [event.turn] : []));
  t.match(said, [{ text: { body: 'You are 36, Ada.' } }]);
});

t.test('compile rejects a container with errors and returns their findings', async (t) => {
  const broken = containerOf({ blocks: [{ name: 'a', type: 'Core.Case', exits: [{ name: 'x', test: '1 +', to: null }] }] });
  const errors = lint(broken).filter(({ severity }) => severity === 'error');
  t.ok(errors.length > 0);
  t.strictSame(refusalOf(broken)?.findings, errors);
  t.match(refusalOf('no container')?.findings, [{ code: 'invalid_shape' }]);
});

t.test('expressions and templates are evaluated with a context', async (t) => {
  t.strictSame(evaluate('contact.age + 1', { contact: { age: 41 } }), { value: 42, warnings: [] });
  t.strictSame(
    render('Hello @contact.name, it is @(year(now())).', { contact: { name: 'Ada' } }, environment).value,
    'Hello Ada, it is 2026.',
  );
  t.strictSame(evaluate('rand_between(1, 1000)', {}, { seed: 'a' }), evaluate('rand_between(1, 1000)', {}, { seed: 'a' }));
  const missing = evaluate('contact.age + 1');
  t.equal(missing.value, null);
  t.ok(missing.warnings.length > 0);
});

t.test('the engine does not load the platform', async (t) => {
  const script = `
    import { createRequire } from 'node:module';
    await import(${JSON.stringify(new URL('../../../../plugins/journeys/engine/index.js', import.meta.url).href)});
    const { cache } = createRequire(import.meta.url);
    const loaded = Object.keys(cache).flatMap((file) => /node_modules.(@[^/]+.[^/]+|[^/]+)/.exec(file)?.[1] ?? []);
    console.log(JSON.stringify([...new Set(loaded)].sort()));`;
  const loaded = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })) as string[];
  t.ok(loaded.includes('joi'), 'the probe sees loaded packages');
  t.strictSame(
    loaded.filter((name) => /^(@hapi\/hapi|piscina|lowdb|undici|tsyringe|eventemitter3)$/.test(name)),
    [],
  );
});

function refusalOf(container: unknown): DefinitionInvalid | undefined {
  try {
    compile(container);
    return undefined;
  } catch (error) {
    if (error instanceof DefinitionInvalid) return error;
    throw error;
  }
}
