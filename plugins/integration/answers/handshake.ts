import { isObject, readObject } from '../client/read-answer.js';
import { type Capabilities, contextObjectTypes, type Trouble, type Warning } from '../schemas.js';

const INTEGRATION_API_VERSION = '1.0.0-alpha';

/** The limits of one panel. Entries beyond a limit are ignored with a warning. */
export const SHOWN_LIMITS = { objects: 20, rows: 200, suggestions: 50, actions: 100, options: 100, text: 4_096 } as const;

/** Reads a handshake response (Resources, "Handshake response"). Invalid parts are ignored with a warning. */
export function readHandshake(
  body: Uint8Array,
): { readonly version: string; readonly capabilities: Capabilities; readonly warnings: Warning[] } | { readonly trouble: Trouble } {
  const read = readObject(body);
  if ('trouble' in read) return read;
  const { version = INTEGRATION_API_VERSION, capabilities } = read.value;
  if (!isObject(capabilities)) {
    return { trouble: { kind: 'bad_answer', reason: 'the handshake response has no object capabilities' } };
  }
  const warnings: Warning[] = versionWarnings(version);
  const { context_objects = [] } = capabilities;
  if (!Array.isArray(context_objects)) {
    warnings.push({ code: 'wrong_type', path: 'capabilities.context_objects', message: 'capabilities.context_objects is not an array' });
  }
  return {
    version: typeof version === 'string' ? version.slice(0, 64) : INTEGRATION_API_VERSION,
    capabilities: {
      actions: offers('actions'),
      suggested_responses: offers('suggested_responses'),
      context_objects: objectsOf(Array.isArray(context_objects) ? context_objects : [], warnings),
    },
    warnings,
  };

  /** A capability counts as offered unless it is false. */
  function offers(name: 'actions' | 'suggested_responses'): boolean {
    const value = (capabilities as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && typeof value !== 'boolean') {
      warnings.push({ code: 'wrong_type', path: `capabilities.${name}`, message: `capabilities.${name} is not true or false` });
    }
    return value !== false;
  }
}

/** A missing version counts as the supported version. */
export function versionWarnings(version: unknown): Warning[] {
  if (version === undefined || version === INTEGRATION_API_VERSION) return [];
  const found = typeof version === 'string' ? `'${version.slice(0, 40)}'` : 'not a string';
  return [{ code: 'unknown_version', path: 'version', message: `version is ${found}, expected '${INTEGRATION_API_VERSION}'` }];
}

function objectsOf(given: readonly unknown[], warnings: Warning[]): Capabilities['context_objects'] {
  const objects: Capabilities['context_objects'] = [];
  for (const [i, item] of given.entries()) {
    const path = `capabilities.context_objects[${i}]`;
    if (objects.length === SHOWN_LIMITS.objects) {
      warnings.push({
        code: 'too_many',
        path,
        message: `${given.length} context objects are declared; only the first ${SHOWN_LIMITS.objects} are shown`,
      });
      break;
    }
    if (!isObject(item) || typeof item.code !== 'string' || item.code === '') {
      warnings.push({ code: 'wrong_type', path, message: `${path} has no code` });
      continue;
    }
    const { code, title } = item;
    const type = contextObjectTypes.find((known) => known === item.type);
    if (type === undefined) {
      warnings.push({
        code: 'unknown_type',
        path,
        message: `${path} has an unknown type; use ${contextObjectTypes.join(' or ')}`,
      });
    } else if (objects.some((object) => object.code === code)) {
      warnings.push({ code: 'duplicate_code', path, message: `${path} has the same code as an earlier object` });
    } else {
      objects.push({
        code: code.slice(0, 256),
        title: typeof title === 'string' && title !== '' ? title.slice(0, 256) : code.slice(0, 256),
        type,
      });
    }
  }
  return objects;
}
