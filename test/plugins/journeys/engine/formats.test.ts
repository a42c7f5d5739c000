import t from 'tap';
import type { Json, JsonObject } from '../../../../core/json.js';
import { checkContainer } from '../../../../plugins/journeys/engine/container.js';
import type { Container } from '../../../../plugins/journeys/engine/floip.js';
import { Talk } from './journey-under-test.js';
import { containers } from './release-candidates.js';

/** Adds an unknown key to every object of a container. */
function marked(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(marked);
  if (typeof value !== 'object' || value === null) return value;
  const inside = Object.entries(value).map(
    ([key, item]) => [key, key === 'choices' && !Array.isArray(item) ? item : marked(item)] as const,
  );
  return { ...Object.fromEntries(inside), x_of_a_vendor: { kept: ['as', 1, null] } };
}

const texts = ({ last }: Talk): readonly string[] =>
  (last?.events ?? []).flatMap((event) => {
    if (event.type !== 'message_out') return [];
    const turn = event.turn as unknown as JsonObject & { text?: { body: string }; interactive?: { body: { text: string } } };
    return turn.text?.body ?? turn.interactive?.body.text ?? '';
  });

for (const [version, { container, talk, block }] of Object.entries(containers)) {
  t.test(`a container of ${version} loads and runs`, async (t) => {
    t.strictSame(
      checkContainer(container).filter(({ severity }) => severity === 'error'),
      [],
    );
    const journey = new Talk({ main: container });
    journey.start({ contact: { name: 'Bo', language: 'fra' } });
    for (const [i, [answer, ...received]] of talk.entries()) {
      if (i > 0) journey.say(answer);
      t.strictSame(texts(journey), received, answer);
    }
    t.equal(journey.session?.status, 'ended');
  });

  t.test(`a container of ${version} runs with unknown keys, and keeps them in its blocks`, async (t) => {
    const own = marked(container as unknown as Json) as unknown as Container;
    t.strictSame(
      checkContainer(own).filter(({ severity }) => severity === 'error'),
      [],
    );
    const journey = new Talk({ main: own });
    const { events } = journey.start({ contact: { name: 'Bo', language: 'fra' } });
    const shown = events.find((event) => event.type === 'message_out' && event.at.block === block);
    const stored = own.flows.flatMap(({ blocks }) => blocks).find(({ uuid }) => uuid === block);
    t.strictSame(shown?.type === 'message_out' && shown.step.block, stored);
    t.match(shown, {
      step: { block: { x_of_a_vendor: { kept: ['as', 1, null] }, exits: [{ x_of_a_vendor: {} }] }, resources: [{ x_of_a_vendor: {} }] },
    });
  });
}

t.test('problems of a container have their block and path', async (t) => {
  const { container } = containers['1.0.0-rc4']!;
  const broken = structuredClone(container) as unknown as {
    flows: { blocks: { config: Record<string, unknown>; exits: Record<string, unknown>[] }[] }[];
  };
  broken.flows[0]!.blocks[0]!.config.prompt = 'gone';
  broken.flows[0]!.blocks[1]!.exits[0]!.test = 'nope(1)';
  t.match(checkContainer(broken), [
    { severity: 'error', path: 'flows[0].blocks[0].config.prompt', block: 'thanks', message: 'resource gone does not exist' },
    { severity: 'error', path: 'flows[0].blocks[1].exits[0].test', block: 'drink', message: /nope/ },
  ]);
});
