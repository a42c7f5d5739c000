import {
  array,
  Conflict,
  definePlugin,
  InvalidRequest,
  object,
  on,
  type Plugin,
  permit,
  record,
  route,
  storeReopened,
  string,
  type TypeOf,
} from '#core';
import { sandboxCauses } from '../causes.js';
import { faultPresets } from './fault-presets.js';
import { checkFault, faultIn, faultRuleSchema, faultRules, faultTargetsShown, type NewFault, newFaultSchema } from './fault-rule.js';
import { type FaultRules, faultChanged, faultFired } from './fault-rules.js';

const rulesSchema = object({ faults: array(faultRuleSchema) });

/** The admin routes of fault rules. The rules act through the port `faults` of the same platform. */
export const faultPlugin = (rules: FaultRules, { hasFiles }: { readonly hasFiles: boolean }): Plugin =>
  definePlugin({
    name: 'faults',
    version: '0.1.0',
    permissions: {
      'faults.write': permit.both('Add and remove fault rules.'),
    },
    causes: sandboxCauses.faults,
    collections: { rules: faultRules },
    emits: [faultFired, faultChanged],
    register({ store, announce, clock, log }) {
      rules.connect({ store, announce, clock, log });
      return {
        start: () => rules.load(),
        stop: () => rules.stop(),
        // While the disk was full, counters could not be stored.
        on: [on(storeReopened, () => rules.save())],
        admin: [
          route({
            method: 'GET',
            path: '/faults',
            permission: 'platform.read',
            shards: 'refused',
            summary:
              'Lists the fault rules with their counters, the presets, and for each target its effects and the fields that a rule can match.',
            responses: {
              200: object({
                faults: array(faultRuleSchema),
                presets: record(string()),
                targets: record(object({ effects: array(string()), match: array(string()) })),
              }),
            },
            handler: () => ({
              faults: rules.list(),
              presets: Object.fromEntries(Object.entries(faultPresets).map(([name, { summary }]) => [name, summary])),
              targets: faultTargetsShown(hasFiles),
            }),
          }),
          route({
            method: 'POST',
            path: '/faults',
            permission: 'faults.write',
            shards: 'refused',
            summary:
              'Adds a fault rule, or with `{"preset": NAME}` those of a preset. A rule acts `times` times, once if not given, or with the probability `rate`, and until the time `until`.',
            request: { payload: newFaultSchema },
            responses: { 200: rulesSchema },
            errors: [409],
            async handler({ payload }) {
              const created = payload.preset === undefined ? [faultIn(payload)] : presetOf(payload);
              for (const one of created) {
                checkFault(one);
                if (one.where === 'store' && !hasFiles)
                  throw new Conflict(
                    'no_disk',
                    'The state of this sandbox is in memory, so its disk cannot fail; start it with --data DIR',
                  );
              }
              return { faults: await rules.add(created) };
            },
          }),
          route({
            method: 'DELETE',
            path: '/faults/{id}',
            permission: 'faults.write',
            shards: 'refused',
            summary: 'Removes a fault rule.',
            request: { params: object({ id: string() }) },
            responses: { 200: rulesSchema },
            async handler({ params: { id } }) {
              await rules.remove(id);
              return { faults: rules.list() };
            },
          }),
        ],
      };
    },
  })();

function presetOf({ preset: name = '', ...others }: TypeOf<typeof newFaultSchema>): readonly NewFault[] {
  if (Object.keys(others).length > 0) throw new InvalidRequest([], 'preset takes no other fields');
  if (!Object.hasOwn(faultPresets, name)) {
    const message = `preset must be one of ${Object.keys(faultPresets).join(', ')}`;
    throw new InvalidRequest([{ path: ['preset'], rule: 'any.only', message }]);
  }
  return faultPresets[name]!.rules;
}
