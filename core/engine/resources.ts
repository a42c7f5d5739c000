import type { Json, JsonObject } from '../json.js';
import type { Flow, Language, Resource } from './compile.js';
import type { ContainerValue } from './floip.js';

/** One value of a resource, ready to be sent. */
export interface Rendered {
  readonly kind: 'text' | 'image' | 'video' | 'audio' | 'document';
  readonly text: string;
  readonly mimeType: string | undefined;
}

/** What a message can carry, best first. */
const MODES = ['RICH_MESSAGING', 'TEXT'];

/** The language of the flow that a contact's language means: exactly, then without its region, then the first of the flow. */
export function languageFor(flow: Flow, wanted: Json | undefined): Language | undefined {
  const [first] = flow.languages;
  if (typeof wanted !== 'string' || wanted === '') return first;
  const code = wanted.toLowerCase();
  const [root] = code.split(/[-_]/);
  const exact = flow.languages.find(({ codes }) => codes.includes(code));
  return exact ?? flow.languages.find(({ codes }) => codes.some((known) => known.split(/[-_]/)[0] === root)) ?? first;
}

/** All values of one language and mode: together they are one message. */
export function chooseValues(resource: Resource, flow: Flow, language: Language | undefined): readonly ContainerValue[] {
  const [fallback] = flow.languages;
  for (const candidate of [language, fallback]) {
    const spoken = resource.values.filter(({ language_id }) => language_id === candidate?.id);
    for (const mode of MODES) {
      const fitting = spoken.filter(({ modes }) => !modes || modes.length === 0 || modes.includes(mode));
      if (fitting.length > 0) return fitting;
    }
    if (spoken.length > 0) return spoken;
  }
  return resource.values.slice(0, 1);
}

const mediaKinds: Readonly<Record<string, Rendered['kind']>> = { IMAGE: 'image', VIDEO: 'video', AUDIO: 'audio' };

/** A document is stored as text with the type of the document. */
export function renderedValue(value: ContainerValue, text: string): Rendered {
  const mimeType = value.mime_type ?? undefined;
  const isDocument = value.content_type === 'TEXT' && mimeType !== undefined && /^application\//.test(mimeType);
  return { kind: mediaKinds[value.content_type] ?? (isDocument ? 'document' : 'text'), text, mimeType };
}

/** A resource as it is stored, with the values that were used replaced by what they became. */
export function evaluatedResource(resource: Resource, texts: ReadonlyMap<ContainerValue, string>): JsonObject {
  const values = resource.values.map((value) => ({ ...(value as unknown as JsonObject), value: texts.get(value) ?? value.value }));
  return { ...resource.source, values };
}
