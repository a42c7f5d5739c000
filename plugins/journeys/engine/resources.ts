import type { Json, JsonObject } from '#core/basics';
import type { Flow, Language, Resource } from './compile.js';
import type { ContainerValue } from './floip.js';

export interface Rendered {
  readonly kind: 'text' | 'image' | 'video' | 'audio' | 'document';
  readonly text: string;
  readonly mimeType: string | undefined;
}

/** The modes of the specification that messages support, preferred first. */
const MODES = ['RICH_MESSAGING', 'TEXT'];

/** Selects the flow's language for a contact: an exact match, then a match without the region, then the flow's first language. */
export function languageFor(flow: Flow, wanted: Json | undefined): Language | undefined {
  const [first] = flow.languages;
  if (typeof wanted !== 'string' || wanted === '') return first;
  const code = wanted.toLowerCase();
  const [root] = code.split(/[-_]/);
  const exact = flow.languages.find(({ codes }) => codes.includes(code));
  return exact ?? flow.languages.find(({ codes }) => codes.some((known) => known.split(/[-_]/)[0] === root)) ?? first;
}

/** Selects the values of a resource for one message: in this language, or in the flow's first language if there are none; in the best mode. */
export function chooseValues(resource: Resource, flow: Flow, language: Language | undefined): readonly ContainerValue[] {
  const [fallback] = flow.languages;
  for (const candidate of [language, fallback]) {
    const inLanguage = resource.values.filter(({ language_id }) => language_id === candidate?.id);
    for (const mode of MODES) {
      const inMode = inLanguage.filter(({ modes }) => !modes || modes.length === 0 || modes.includes(mode));
      if (inMode.length > 0) return inMode;
    }
    if (inLanguage.length > 0) return inLanguage;
  }
  return resource.values.slice(0, 1);
}

const mediaKinds: Readonly<Record<string, Rendered['kind']>> = { IMAGE: 'image', VIDEO: 'video', AUDIO: 'audio' };

/** An evaluated value with its kind. The format has no content type for documents: they are `TEXT` with an `application/…` MIME type. */
export function renderedValue(value: ContainerValue, text: string): Rendered {
  const mimeType = value.mime_type ?? undefined;
  const isDocument = value.content_type === 'TEXT' && mimeType !== undefined && /^application\//.test(mimeType);
  return { kind: mediaKinds[value.content_type] ?? (isDocument ? 'document' : 'text'), text, mimeType };
}

/** A stored resource with its templates replaced by the texts they evaluated to. */
export function evaluatedResource(resource: Resource, texts: ReadonlyMap<ContainerValue, string>): JsonObject {
  const values = resource.values.map((value) => ({ ...(value as unknown as JsonObject), value: texts.get(value) ?? value.value }));
  return { ...resource.source, values };
}
