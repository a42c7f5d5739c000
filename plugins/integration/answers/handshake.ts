import { isObject, readObject } from '../client/read-answer.js';
import { type Capabilities, contextObjectTypes, type Trouble, type Warning } from '../schemas.js';

const INTEGRATION_API_VERSION = '1.0.0-alpha';

/** Things on screen for one integration; what is beyond is passed over with a warning. */
export const SHOWN_LIMITS = { objects: 20, rows: 200, suggestions: 50, actions: 100, options: 100, text: 4_096 } as const;

/** A handshake response as it is understood. A missing version, extra keys and unknown types are passed over. */
export function readHandshake(
  body: Uint8Array,
): { readonly version: string; readonly capabilities: Capabilities; readonly warnings: Warning[] } | { readonly trouble: Trouble } {
  const read = readObject(body);
  if ('trouble' in read) return read;
  const { version = INTEGRATION_API_VERSION, capabilities } = read.value;
  if (!isObject(capabilities)) {
    return { trouble: { kind: 'bad_answer', reason: 'the answer to the handshake has no object named capabilities' } };
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

  /** What is not said is found out when it is offered. */
  function offers(name: 'actions' | 'suggested_responses'): boolean {
    const said = (capabilities as Readonly<Record<string, unknown>>)[name];
    if (said !== undefined && typeof said !== 'boolean') {
      warnings.push({ code: 'wrong_type', path: `capabilities.${name}`, message: `capabilities.${name} is neither true nor false` });
    }
    return said !== false;
  }
}

/** An answer without a version is one of ours. */
export function versionWarnings(version: unknown): Warning[] {
  if (version === undefined || version === INTEGRATION_API_VERSION) return [];
  const said = typeof version === 'string' ? `'${version.slice(0, 40)}'` : 'no text';
  return [{ code: 'unknown_version', path: 'version', message: `version is ${said}, known is '${INTEGRATION_API_VERSION}'` }];
}

function objectsOf(given: readonly unknown[], warnings: Warning[]): Capabilities['context_objects'] {
  const objects: Capabilities['context_objects'] = [];
  for (const [i, item] of given.entries()) {
    const path = `capabilities.context_objects[${i}]`;
    if (objects.length === SHOWN_LIMITS.objects) {
      warnings.push({
        code: 'too_many',
        path,
        message: `${given.length} context objects are declared, the first ${SHOWN_LIMITS.objects} are shown`,
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
        message: `${path} is of a type that is not shown; known are ${contextObjectTypes.join(', ')}`,
      });
    } else if (objects.some((object) => object.code === code)) {
      warnings.push({ code: 'duplicate_code', path, message: `${path} has the code of an earlier one` });
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
