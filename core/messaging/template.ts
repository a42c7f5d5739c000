import Joi from 'joi';
import { beginningOf } from '../cut-text.js';
import type { Problem } from '../errors.js';
import { collection } from '../ports/store.js';
import { anyOf, anyStringUpTo, array, named, object, oneOf, string, stringUpTo, type TypeOf, typed } from '../shape.js';
import { NETWORK_LIMITS } from '../turns/network-limits.js';

/** Templates: texts with numbered placeholders (`{{1}}`) that the network has approved, and that may open a conversation. */

/** Accepts a keyword in any case and stores it in lower case, because the network uses both. */
const inAnyCase = <const V extends readonly string[]>(...values: V): Joi.StringSchema<V[number]> =>
  oneOf(...values)
    .insensitive()
    .prefs({ convert: true }) as Joi.StringSchema<V[number]>;

/** The schemas of the components; `word` builds their enumerations, `more` are additional keys. */
function shapesOf<O extends Record<string, Joi.Schema>>(word: typeof oneOf, more: O) {
  const button = object(
    { type: word('quick_reply', 'url', 'phone_number'), text: stringUpTo(NETWORK_LIMITS.templateButton) },
    { url: string(), phone_number: string(), ...more },
  );
  return {
    body: object({ type: word('body'), text: stringUpTo(NETWORK_LIMITS.templateBody) }, more),
    header: object(
      { type: word('header'), format: word('text', 'image', 'video', 'document', 'location') },
      { text: stringUpTo(NETWORK_LIMITS.templateEdge), ...more },
    ),
    footer: object({ type: word('footer'), text: stringUpTo(NETWORK_LIMITS.templateEdge) }, more),
    buttons: object({ type: word('buttons'), buttons: array(button).min(1).max(NETWORK_LIMITS.templateButtons) }, more),
  };
}

const { header, body, footer, buttons } = shapesOf(oneOf, {});
const component = named(
  'TemplateComponent',
  anyOf(named('TemplateHeader', header), named('TemplateBody', body), named('TemplateFooter', footer), named('TemplateButtons', buttons)),
);

/** Examples serve the network's approval of templates. Posthorn has no approval, so it accepts and drops them. */
const newShapes = shapesOf(inAnyCase, { example: Joi.any().strip() });
const types = Object.keys(newShapes);
/** Selected by type, so that errors name the wrong key of the component. */
const newComponent = typed<typeof component>(
  Joi.alternatives().conditional('.type', {
    switch: Object.entries(newShapes).map(([type, then]) => ({ is: inAnyCase(type).required(), then })),
    otherwise: object({ type: inAnyCase(...types) }).unknown(),
  }),
);
const components = <S extends Joi.Schema>(one: S) => array(one).min(1).max(4);

const identity = {
  name: string().pattern(new RegExp(`^[a-z0-9_]{1,${NETWORK_LIMITS.templateName}}$`), 'lower-case letters, digits and _'),
  /** A language code, such as `en` or `pt_BR`. */
  language: stringUpTo(NETWORK_LIMITS.templateLanguage),
};
const settings = {
  namespace: anyStringUpTo(128),
  category: oneOf('AUTHENTICATION', 'MARKETING', 'UTILITY'),
  /** Only templates with the status `APPROVED` can be sent. */
  status: oneOf('APPROVED', 'PENDING', 'REJECTED', 'PAUSED'),
};

/** The schema of a template that is created. */
export const newTemplateSchema = named('NewTemplate', object({ ...identity, components: components(newComponent) }, settings));
/** A new template. Defaults: `UTILITY`, `APPROVED`, no namespace. */
export type NewTemplate = TypeOf<typeof newTemplateSchema>;

/** The schema of a template as the APIs show it. */
export const templateSchema = named(
  'Template',
  object({
    uuid: string(),
    number: string(),
    ...identity,
    components: components(component),
    ...settings,
    created_at: string(),
    updated_at: string(),
  }),
);
/** A template of a number. */
export type TemplateRecord = TypeOf<typeof templateSchema>;

export const templates = collection<TemplateRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { name: ['number', 'name', 'language'] },
  audited: ['name', 'language', 'category', 'status', 'components'],
});

/** The template of a message: its name, language and parameters. */
export interface SentTemplate {
  readonly name: string;
  readonly language: { readonly code: string };
  readonly components?:
    | readonly {
        readonly type: string;
        readonly sub_type?: string | undefined;
        readonly parameters?: readonly { readonly type: string; readonly text?: unknown }[] | undefined;
      }[]
    | undefined;
}

/** The older form of a template message (`hsm`), with parameters for the body only. */
export interface LegacyTemplate {
  readonly namespace?: string;
  readonly element_name: string;
  readonly language: { readonly code: string };
  readonly localizable_params?: readonly { readonly default?: string }[];
}

/** Converts a template message in the earlier form of the network to the current one. */
export function fromLegacy({ namespace, element_name: name, language, localizable_params: parameters = [] }: LegacyTemplate) {
  const body = { type: 'body', parameters: parameters.map(({ default: text = '' }) => ({ type: 'text', text })) };
  return {
    name,
    language: { code: language.code },
    ...(namespace !== undefined && { namespace }),
    components: parameters.length > 0 ? [body] : [],
  };
}

const TEXT_TYPES = ['text', 'currency', 'date_time'];

/** Reports parameters whose type does not match the component of the template. */
export function misplacedParameters(template: TemplateRecord, { components = [] }: SentTemplate): Problem[] {
  return components.flatMap(({ type, parameters = [] }, i) => {
    const component = template.components.find((one) => one.type === type.toLowerCase());
    if (!component || component.type === 'buttons') return [];
    const allowed = component.type === 'header' && component.format !== 'text' ? [component.format] : TEXT_TYPES;
    return parameters.flatMap((parameter, n) => {
      if (allowed.includes(parameter.type.toLowerCase())) return [];
      const path = ['template', 'components', i, 'parameters', n, 'type'];
      const message = `template.components[${i}].parameters[${n}].type must be ${allowed.join(' or ')} in the ${component.type} of this template`;
      return [{ path, rule: 'any.only', message }];
    });
  });
}

/** The number of parameters that a component needs. A header with media or a location needs one. */
export function placeholdersOf(template: TemplateRecord, type: 'header' | 'body'): number {
  const component = template.components.find((one) => one.type === type);
  if (!component) return 0;
  if (component.type === 'header' && component.format !== 'text') return 1;
  const numbers = [...textIn(component).matchAll(PLACEHOLDER)].map(([, n]) => Number(n));
  return numbers.length === 0 ? 0 : Math.max(...numbers);
}

const PLACEHOLDER = /\{\{\s*(\d{1,3})\s*\}\}/g;

/** The text of a template with its placeholders filled in, cut to `RENDERED_CHARACTERS`. */
export function render(template: TemplateRecord, sent: SentTemplate): string {
  const lines = template.components.flatMap((component) => {
    if (component.type === 'buttons') return [];
    const given = parametersOf(sent, component.type);
    return [textIn(component).replace(PLACEHOLDER, (_, n: string) => shownAs(given[Number(n) - 1]))];
  });
  return beginningOf(lines.filter((line) => line !== '').join('\n'), RENDERED_CHARACTERS);
}

/** Limits the stored text: hundreds of placeholders could each have a long value. */
const RENDERED_CHARACTERS = 16_384;

/** The text of a parameter: of currencies and dates, the sender's `fallback_value`. */
function shownAs(parameter: Readonly<Record<string, unknown>> | undefined): string {
  if (typeof parameter?.text === 'string') return parameter.text;
  const { fallback_value: shown } = (parameter?.[String(parameter.type).toLowerCase()] ?? {}) as { fallback_value?: unknown };
  return typeof shown === 'string' ? shown : '';
}

export const parametersOf = ({ components = [] }: SentTemplate, type: string) =>
  components.find((component) => component.type.toLowerCase() === type)?.parameters ?? [];

const textIn = (component: TemplateRecord['components'][number]): string => ('text' in component ? (component.text ?? '') : '');
