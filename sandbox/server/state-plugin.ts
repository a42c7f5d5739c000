import { anyValue, array, Conflict, definePlugin, event, InvalidRequest, InvalidState, object, oneOf, permit, route, string } from '#core';
import { sandboxCauses } from '../causes.js';
import type { Imported } from '../state/imported-state.js';
import { readStateFile, type StateFile, stateText, UnusableState } from '../state/state-file.js';
import { type SeedServices, seedRoutes } from './seed-routes.js';

const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** Contains the passphrase as percent-encoded UTF-8, because a header cannot contain every character. */
const KEY_HEADER = 'posthorn-export-key';

export interface StateReplaced {
  readonly by: 'reset' | 'import' | 'settings';
}

export const stateReplaced = event<StateReplaced>(
  'state.reset',
  'The state of the sandbox was reset to its seed, replaced by an import, or kept under other options.',
);

export interface StateServices extends SeedServices {
  reset(): Promise<void>;
  exportState(passphrase?: string): Promise<StateFile>;
  importState(file: StateFile, passphrase?: string): Promise<Imported>;
}

const importedSchema = object({
  /** Webhooks that got a new secret, because the file omits theirs. Only this response contains it. */
  new_secrets: array(object({ webhook: string(), hmac_secret: string() })),
  /** Names of secrets to set again, such as API tokens of integrations. */
  missing_secrets: array(string()),
});

/** Resets, exports and imports the state of the sandbox. @param by why the platform has started, if it replaces another */
export const statePlugin = (by: StateReplaced['by'] | undefined, services: StateServices) =>
  definePlugin({
    name: 'state',
    version: '0.1.0',
    permissions: {
      'state.export': permit.owners('Export and compare the whole state, with secrets.'),
      'state.import': permit.owners('Replace or reset the whole state.'),
    },
    causes: sandboxCauses.state,
    emits: [stateReplaced],
    register: ({ announce }) => ({
      start: () => by && announce(stateReplaced, { by }),
      admin: [
        ...seedRoutes(services, MAX_FILE_BYTES),
        route({
          method: 'POST',
          path: '/state/reset',
          permission: 'state.import',
          replacesStore: true,
          shards: 'refused',
          summary: 'Deletes everything and applies the seed again. The URL stays, and so do tokens and secrets of the seed.',
          keepsNothing: true,
          responses: { 200: object({ reset: oneOf('done') }) },
          async handler() {
            await services.reset();
            return { reset: 'done' as const };
          },
        }),
        route({
          method: 'POST',
          path: '/state/export',
          permission: 'state.export',
          shards: 'refused',
          summary: `Returns everything that the sandbox stores as one JSON document. \`sealed\` encrypts the secrets with the passphrase in the header \`${KEY_HEADER}\`; otherwise the document has none.`,
          keepsNothing: true,
          request: { payload: object({}, { secrets: oneOf('omit', 'sealed') }) },
          responses: { 200: anyValue() },
          async handler({ payload: { secrets = 'omit' }, headers }, h) {
            const passphrase = secrets === 'sealed' ? passphraseIn(headers) : undefined;
            if (secrets === 'sealed' && passphrase === undefined)
              throw new InvalidRequest([], `Sealed secrets need a passphrase in the header ${KEY_HEADER}`);
            return h.response(stateText(await services.exportState(passphrase))).type('application/json');
          },
        }),
        route({
          method: 'POST',
          path: '/state/import',
          permission: 'state.import',
          replacesStore: true,
          shards: 'refused',
          summary:
            'Replaces everything by an exported state: the body is its document. Checks all of it before anything changes; requests that arrive meanwhile wait.',
          body: 'bytes',
          maxBytes: MAX_FILE_BYTES,
          responses: { 200: importedSchema },
          async handler({ payload, headers }) {
            try {
              return await services.importState(readStateFile(Buffer.from(payload as Uint8Array).toString()), passphraseIn(headers));
            } catch (error) {
              if (!(error instanceof UnusableState || error instanceof InvalidState)) throw error;
              throw new Conflict('unusable_state', `This state cannot be imported, and nothing was changed: ${error.message}`);
            }
          },
        }),
      ],
    }),
  })();

/** @throws InvalidRequest */
function passphraseIn({ [KEY_HEADER]: header }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (header === undefined || header === '') return undefined;
  try {
    return decodeURIComponent(header);
  } catch {
    throw new InvalidRequest([], `The header ${KEY_HEADER} must be percent-encoded UTF-8`);
  }
}
