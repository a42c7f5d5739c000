import { isDeepStrictEqual } from 'node:util';
import { anyValue, array, boolean, definePlugin, InvalidRequest, object, oneOf, permit, record, route, string } from '#core';
import { InvalidOptions, type SandboxSettings } from './settings.js';
import { switches } from './switches.js';

const settingSchema = object(
  {
    /** The path of the option, as for `posthorn sandbox --option`. */
    path: string(),
    title: string(),
    why: string(),
    kind: oneOf('boolean', 'number', 'choice', 'choices'),
    /** The current value; null if the option is not set and has no default. */
    value: anyValue(),
    default: anyValue(),
    changed: boolean(),
  },
  { values: array(string()) },
);
const settingsSchema = object({
  settings: array(settingSchema),
  /** Every option that differs from the default of a sandbox, also those that cannot be changed while it runs. */
  changed_options: array(object({ path: string(), value: anyValue(), default: anyValue() })),
});

interface SettingsServices {
  /** Those of the running platform. */
  readonly settings: () => Pick<SandboxSettings, 'changed' | 'optionAt'>;
  change(changes: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Shows and changes the options that the specification leaves open. */
export const settingsPlugin = ({ settings, change }: SettingsServices) =>
  definePlugin({
    name: 'settings',
    version: '0.1.0',
    permissions: {
      'sandbox.write': permit.owners('Change the options of a running sandbox.'),
    },
    register: () => ({
      admin: [
        route({
          method: 'GET',
          path: '/settings',
          permission: 'platform.read',
          shards: 'refused',
          summary: 'Lists the options for points that the API specification leaves open, with their values, and every changed option.',
          responses: { 200: settingsSchema },
          handler: () => viewOf(settings()),
        }),
        route({
          method: 'PATCH',
          path: '/settings',
          permission: 'sandbox.write',
          replacesStore: true,
          shards: 'refused',
          summary:
            'Changes options, by their paths; null takes a change back. Starts the platform again with the same state and the same URL; requests that arrive meanwhile wait.',
          request: { payload: object({ options: record(anyValue()) }) },
          responses: { 200: settingsSchema },
          errors: [409],
          async handler({ payload: { options } }) {
            const unknown = Object.keys(options).find((path) => !switches.some((one) => one.path === path));
            if (unknown !== undefined) throw invalid(unknown, `${unknown} cannot be changed here; there are ${paths}`);
            try {
              await change(options);
            } catch (error) {
              if (!(error instanceof InvalidOptions)) throw error;
              throw invalid(Object.keys(options)[0]!, error.message);
            }
            return viewOf(settings());
          },
        }),
      ],
    }),
  })();

function viewOf({ changed, optionAt }: Pick<SandboxSettings, 'changed' | 'optionAt'>) {
  return {
    settings: switches.map((one) => {
      const { value, default: standard } = optionAt(one.path);
      return {
        ...one,
        ...(one.values && { values: [...one.values] }),
        value,
        default: standard,
        changed: !isDeepStrictEqual(value, standard),
      };
    }),
    changed_options: changed.map((one) => ({ ...one })),
  };
}

const paths = switches.map(({ path }) => path).join(', ');

const invalid = (path: string, message: string): InvalidRequest =>
  new InvalidRequest([{ path: ['options', path], rule: 'any.invalid', message }], message);
