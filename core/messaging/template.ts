import Joi from 'joi';
import { beginningOf } from '../cut-text.js';
import type { Problem } from '../errors.js';
import { collection } from '../ports/store.js';
import { anyOf, anyStringUpTo, array, object, oneOf, string, stringUpTo, type TypeOf, typed } from '../shape.js';

/** Templates: texts with numbered blanks (`{{1}}`) that the network has approved, and that may open a conversation. */

/** A word in capitals or small letters, kept in small ones: the network writes both. */
const inAnyCase = <const V extends readonly string[]>(...values: V): Joi.StringSchema<V[number]> =>
  oneOf(...values)
    .insensitive()
    .prefs({ convert: true }) as Joi.StringSchema<V[number]>;

/** The components, with their words written in one way, and what else each may have. */
function shapesOf<O extends Record<string, Joi.Schema>>(word: typeof oneOf, more: O) {
  const button = object(
    { type: word('quick_reply', 'url', 'phone_number'), text: stringUpTo(100) },
    { url: string(), phone_number: string(), ...more },
  );
  return {
    body: object({ type: word('body'), text: stringUpTo(4096) }, more),
    header: object({ type: word('header'), format: word('text', 'image', 'video', 'document') }, { text: stringUpTo(1024), ...more }),
    footer: object({ type: word('footer'), text: stringUpTo(1024) }, more),
    buttons: object({ type: word('buttons'), buttons: array(button).min(1).max(10) }, more),
  };
}

const { header, body, footer, buttons } = shapesOf(oneOf, {});
const component = anyOf(header, body, footer, buttons);

/** Examples serve the approval of a template, which does not exist here. */
const newShapes = shapesOf(inAnyCase, { example: Joi.any().strip() });
const types = Object.keys(newShapes);
/** By its type, so that what is wrong with a component is said where it is wrong. */
const newComponent = typed<typeof component>(
  Joi.alternatives().conditional('.type', {
    switch: Object.entries(newShapes).map(([type, then]) => ({ is: inAnyCase(type).required(), then })),
    otherwise: object({ type: inAnyCase(...types) }).unknown(),
  }),
);
const components = <S extends Joi.Schema>(one: S) => array(one).min(1).max(4);

const about = {
  name: string().pattern(/^[a-z0-9_]{1,512}$/, 'lower-case letters, digits and _'),
  /** Such as `en` or `pt_BR`. */
  language: stringUpTo(16),
};
const choices = {
  namespace: anyStringUpTo(128),
  category: oneOf('AUTHENTICATION', 'MARKETING', 'UTILITY'),
  /** Only an approved one can be sent. */
  status: oneOf('APPROVED', 'PENDING', 'REJECTED', 'PAUSED'),
};

/** A template as it is posted. */
export const newTemplateSchema = object({ ...about, components: components(newComponent) }, choices);
/** A template to be made. What is left out is `UTILITY`, `APPROVED` and in no namespace. */
export type NewTemplate = TypeOf<typeof newTemplateSchema>;

/** A template as it is kept. */
export const templateSchema = object({
  uuid: string(),
  number: string(),
  ...about,
  components: components(component),
  ...choices,
  created_at: string(),
  updated_at: string(),
});
/** A template of a number. */
export type TemplateRecord = TypeOf<typeof templateSchema>;

export const templates = collection<TemplateRecord>({ key: 'uuid', unique: { name: ['number', 'name', 'language'] } });

/** The template as a message names it. */
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

/** The form that templates had before: only the body could have parameters. */
export interface LegacyTemplate {
  readonly namespace?: string;
  readonly element_name: string;
  readonly language: { readonly code: string };
  readonly localizable_params?: readonly { readonly default?: string }[];
}

/** A template in its old form, as messages name templates today. */
export function fromLegacy({ namespace, element_name: name, language, localizable_params: parameters = [] }: LegacyTemplate) {
  const body = { type: 'body', parameters: parameters.map(({ default: text = '' }) => ({ type: 'text', text })) };
  return {
    name,
    language: { code: language.code },
    ...(namespace !== undefined && { namespace }),
    components: parameters.length > 0 ? [body] : [],
  };
}

const TEXTS = ['text', 'currency', 'date_time'];

/** Parameters of other kinds than the blanks they are for. */
export function misplaced(template: TemplateRecord, { components = [] }: SentTemplate): Problem[] {
  return components.flatMap(({ type, parameters = [] }, i) => {
    const component = template.components.find((one) => one.type === type.toLowerCase());
    if (!component || component.type === 'buttons') return [];
    const taken = component.type === 'header' && component.format !== 'text' ? [component.format] : TEXTS;
    return parameters.flatMap((parameter, n) => {
      if (taken.includes(parameter.type.toLowerCase())) return [];
      const path = ['template', 'components', i, 'parameters', n, 'type'];
      const message = `template.components[${i}].parameters[${n}].type must be ${taken.join(' or ')} in the ${component.type} of this template`;
      return [{ path, rule: 'any.only', message }];
    });
  });
}

/** A header that is a medium takes that medium as its one parameter. */
export function placeholdersOf(template: TemplateRecord, type: 'header' | 'body'): number {
  const component = template.components.find((one) => one.type === type);
  if (!component) return 0;
  if (component.type === 'header' && component.format !== 'text') return 1;
  const named = [...textIn(component).matchAll(PLACEHOLDER)].map(([, n]) => Number(n));
  return named.length === 0 ? 0 : Math.max(...named);
}

const PLACEHOLDER = /\{\{\s*(\d{1,3})\s*\}\}/g;

/** The text of a template with its blanks filled in. */
export function render(template: TemplateRecord, sent: SentTemplate): string {
  const lines = template.components.flatMap((component) => {
    if (component.type === 'buttons') return [];
    const given = parametersOf(sent, component.type);
    return [textIn(component).replace(PLACEHOLDER, (_, n: string) => shownAs(given[Number(n) - 1]))];
  });
  return beginningOf(lines.filter((line) => line !== '').join('\n'), RENDERED_CHARACTERS);
}

/** People read no more of it; a text with hundreds of blanks could be filled with as many long ones. */
const RENDERED_CHARACTERS = 16_384;

/** A text as it is; money and days as the sender formatted them. */
function shownAs(parameter: Readonly<Record<string, unknown>> | undefined): string {
  if (typeof parameter?.text === 'string') return parameter.text;
  const { fallback_value: shown } = (parameter?.[String(parameter.type).toLowerCase()] ?? {}) as { fallback_value?: unknown };
  return typeof shown === 'string' ? shown : '';
}

/** What a message gives for the blanks of one component. */
export const parametersOf = ({ components = [] }: SentTemplate, type: string) =>
  components.find((component) => component.type.toLowerCase() === type)?.parameters ?? [];

const textIn = (component: TemplateRecord['components'][number]): string => ('text' in component ? (component.text ?? '') : '');
