import t from 'tap';
import { readCases } from './flow-cases.js';
import { findings } from './rule-scenes.js';

interface Case {
  readonly rule: string;
  readonly flow: unknown;
  readonly errors: readonly string[];
}

const cases = readCases<Case[]>('rules/flows.json');

t.test('the rules about screens, counts, Footers, Forms, actions, data and routes are applied exactly', async (t) => {
  for (const { rule, flow, errors } of cases) t.strictSame(findings(flow).errors.sort(), [...errors].sort(), rule);
});

const footer = { type: 'Footer', label: 'Go', 'on-click-action': { name: 'complete', payload: {} } };
const screen = (id: string, children: readonly unknown[], more: object = {}) => ({
  id,
  ...more,
  layout: { type: 'SingleColumnLayout', children },
});
const flow = (screens: readonly unknown[]) => ({ version: '7.3', screens });

t.test('a flow has at most 100 screens', async (t) => {
  const id = (index: number): string => `S_${[...String(index)].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('')}`;
  const chain = (length: number) =>
    flow(
      Array.from({ length }, (_, i) => {
        if (i === length - 1) return screen(id(i), [footer], { terminal: true });
        const action = { name: 'navigate', next: { type: 'screen', name: id(i + 1) }, payload: {} };
        return screen(id(i), [{ ...footer, 'on-click-action': action }]);
      }),
    );
  t.strictSame(findings(chain(100)).errors, []);
  t.strictSame(findings(chain(101)).errors, ['MAX_SCREENS_NUMBER screens']);
});

t.test('a Dropdown allows 200 options, or 100 if one of them has an image', async (t) => {
  const errors = (length: number, hasImage: boolean): string[] => {
    const options = Array.from({ length }, (_, i) => ({ id: `${i}`, title: 'T', ...(hasImage && i === 3 && { image: 'aGk=' }) }));
    const dropdown = { type: 'Dropdown', name: 'd', label: 'L', 'data-source': options };
    return findings(flow([screen('A', [dropdown, footer], { terminal: true })])).errors;
  };
  const tooMany = ['MAX_ITEMS_EXCEEDED screens[0].layout.children[0].data-source'];
  t.strictSame([errors(200, false), errors(201, false), errors(100, true), errors(101, true)], [[], tooMany, [], tooMany]);
});
